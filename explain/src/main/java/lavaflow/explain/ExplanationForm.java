package lavaflow.explain;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Explanations as objects of the API. */
public final class ExplanationForm {
    public static final String GROUP = "explain.lavaflow.dev";
    public static final String VERSION = "v1";

    private ExplanationForm() {}

    private static ObjectNode head(String kind, String namespace, String name) {
        ObjectNode object = Json.object();
        object.put("kind", kind).put("apiVersion", GROUP + "/" + VERSION);
        ObjectNode metadata = object.putObject("metadata").put("name", name);
        if (!namespace.isEmpty()) {
            metadata.put("namespace", namespace);
        }
        return object;
    }

    public static ObjectNode of(Explanation explanation) {
        Explanation.Subject subject = explanation.subject();
        ObjectNode object = head("PodGroupExplanation", subject.namespace(), subject.name());
        fill(object, explanation);
        return object;
    }

    private static void fill(ObjectNode object, Explanation explanation) {
        Explanation.Subject subject = explanation.subject();
        object.put("headline", explanation.headline())
                .put("waiting", explanation.waiting())
                .put("queue", subject.queue())
                .put("phase", subject.phase())
                .put("priority", (long) subject.priority())
                .put("minMember", (long) subject.minMember());
        ObjectNode pods = object.putObject("pods");
        subject.pods().forEach((word, count) -> pods.put(word, (long) count));
        ArrayNode stages = object.putArray("stages");
        for (Explanation.StageReport report : explanation.stages()) {
            ObjectNode stage = stages.addObject()
                    .put("stage", report.stage().word())
                    .put("verdict", report.verdict().word());
            ArrayNode findings = stage.putArray("findings");
            report.findings().forEach(finding -> findings.add(of(finding)));
        }
        ArrayNode remedies = object.putArray("remedies");
        for (Explanation.Remedy remedy : explanation.remedies()) {
            ObjectNode one = remedies.addObject().put("summary", remedy.summary());
            ArrayNode changes = one.putArray("changes");
            remedy.changes().forEach(change -> changes.add(of(change)));
        }
        object.put("thorough", explanation.thorough());
    }

    public static ObjectNode of(QueueExplanation queue) {
        ObjectNode object = head("QueueExplanation", "", queue.name());
        object.put("headline", queue.headline()).put("state", queue.state());
        object.set("allocated", amounts(queue.account().allocated()));
        object.set("requested", amounts(queue.account().requested()));
        object.set("inqueue", amounts(queue.account().inqueue()));
        setIfSaid(object, "deserved", queue.account().deserved());
        setIfSaid(object, "limit", queue.account().limit());
        object.put("others", (long) queue.others()).put("waiters", (long) queue.waiters());
        ArrayNode waiting = object.putArray("waiting");
        for (Explanation each : queue.waiting()) {
            ObjectNode one = waiting.addObject()
                    .put("namespace", each.subject().namespace())
                    .put("name", each.subject().name());
            fill(one, each);
            one.remove("remedies");
            one.remove("thorough");
        }
        return object;
    }

    /** A job that has ended and waits for nothing. */
    public static ObjectNode ofEndedJob(String namespace, String name, String queue, String phase, String message) {
        String why = message.isEmpty() ? "" : " (" + message + ")";
        return head("JobExplanation", namespace, name)
                .put("headline", "Job %s/%s is %s%s: it waits for nothing.".formatted(namespace, name, phase, why))
                .put("waiting", false)
                .put("queue", queue)
                .put("phase", phase);
    }

    /** A job that has not ended and has no PodGroup, since nobody made it one yet, or it begins anew. */
    public static ObjectNode ofUngroupedJob(String namespace, String name, String queue, String phase) {
        String is = phase.isEmpty() ? "new" : phase;
        return head("JobExplanation", namespace, name)
                .put("headline", "Job %s/%s is %s and has no PodGroup.".formatted(namespace, name, is))
                .put("waiting", false)
                .put("queue", queue)
                .put("phase", phase);
    }

    /**
     * A job that has no PodGroup, as it has ended or was never a gang.
     *
     * @param kind of the job, as TFJob
     * @param phase its last condition
     */
    public static ObjectNode ofJob(String kind, String namespace, String name, String phase, String message) {
        String what = switch (phase) {
            case "Succeeded" -> "has succeeded";
            case "Failed" -> "has failed";
            case "" -> "is new";
            default -> "is " + phase;
        };
        String why = message.isEmpty() ? "" : ": " + message;
        return head("JobExplanation", namespace, name)
                .put("headline", "%s %s/%s %s%s".formatted(kind, namespace, name, what, why))
                .put("waiting", false)
                .put("phase", phase);
    }

    private static void setIfSaid(ObjectNode object, String field, @Nullable Map<String, Long> amounts) {
        if (amounts != null) {
            object.set(field, amounts(amounts));
        }
    }

    /** As manifests write them. */
    private static ObjectNode amounts(Map<String, Long> amounts) {
        ObjectNode object = Json.object();
        new TreeMap<>(amounts).forEach((name, amount) -> object.put(name, Amount.number(name, amount)));
        return object;
    }

    private static ObjectNode of(Finding finding) {
        ObjectNode object =
                Json.object().put("reason", finding.getClass().getSimpleName()).put("message", finding.message());
        switch (finding) {
            case Finding.QueueMissing(String queue) -> object.put("queue", queue);
            case Finding.QueueNotOpen(String queue, String state) ->
                object.put("queue", queue).put("state", state);
            case Finding.NotLetIn(String plugin, String said) ->
                object.put("plugin", plugin).put("said", said);
            case Finding.TooLittle little -> tooLittle(object, little);
            case Finding.EntranceLimit limit -> entrance(object, limit);
            case Finding.TooFewPods few -> object.put("type", few.reason()).put("missing", (long) few.missing());
            case Finding.Gated(int pods) -> object.put("pods", (long) pods);
            case Finding.ShareUsedUp used -> {
                object.put("queue", used.queue()).set("allocated", amounts(used.allocated()));
                object.set("deserved", amounts(used.deserved()));
            }
            case Finding.BeyondLimit limit -> beyond(object, limit);
            case Finding.NoNode none -> noNode(object, none);
            case Finding.KeptFor kept -> {
                object.put("podGroup", kept.podGroup())
                        .put("pods", (long) kept.pods())
                        .put("seconds", kept.seconds());
                kept.nodes().forEach(object.putArray("nodes")::add);
                object.set("amounts", amounts(kept.amounts()));
            }
            case Finding.Hopeless(String role, int pods, List<String> examples, String _) -> {
                object.put("role", role).put("pods", (long) pods).put("firstPod", examples.getFirst());
                examples.forEach(object.putArray("examples")::add);
            }
            case Finding.NoDomain _, Finding.Said _, Finding.NoPreemption _ -> {}
            case Finding.Bystander stander -> bystander(object, stander);
        }
        return object;
    }

    private static void tooLittle(ObjectNode object, Finding.TooLittle little) {
        String resource = little.resource();
        object.put("resource", resource)
                .put("asked", Amount.number(resource, little.asked()))
                .put("total", Amount.number(resource, little.total()))
                .put("used", Amount.number(resource, little.used()))
                .put("promised", Amount.number(resource, little.promised()))
                .put("missing", Amount.number(resource, little.missing()));
    }

    private static void entrance(ObjectNode object, Finding.EntranceLimit limit) {
        String resource = limit.resource();
        object.put("queue", limit.queue())
                .put("resource", resource)
                .put("asked", Amount.number(resource, limit.asked()))
                .put("allocated", Amount.number(resource, limit.allocated()));
        if (limit.limit() >= 0) {
            object.put("limit", Amount.number(resource, limit.limit()));
        }
    }

    private static void beyond(ObjectNode object, Finding.BeyondLimit limit) {
        String resource = limit.resource();
        object.put("queue", limit.queue())
                .put("resource", resource)
                .put("role", limit.role())
                .put("pods", (long) limit.pods())
                .put("allowed", (long) limit.allowed())
                .put("each", Amount.number(resource, limit.each()))
                .put("allocated", Amount.number(resource, limit.allocated()))
                .put("kept", Amount.number(resource, limit.kept()));
        if (limit.limit() >= 0) {
            object.put("limit", Amount.number(resource, limit.limit()));
        }
    }

    private static void noNode(ObjectNode object, Finding.NoNode none) {
        object.put("role", none.role())
                .put("pods", (long) none.pods())
                .put("fitting", (long) none.fitting())
                .put("firstPod", none.first())
                .put("nodes", (long) none.nodes());
        object.set("request", amounts(none.request()));
        object.set("missing", amounts(none.missing()));
        ArrayNode reasons = object.putArray("reasons");
        for (Finding.NodeReason each : none.reasons()) {
            ArrayNode examples = reasons.addObject()
                    .put("reason", each.reason())
                    .put("nodes", (long) each.nodes())
                    .put("preemptionHelps", each.preemptionHelps())
                    .putArray("examples");
            each.examples().forEach(examples::add);
        }
    }

    private static void bystander(ObjectNode object, Finding.Bystander stander) {
        object.put("podGroup", stander.podGroup())
                .put("job", Explanation.job(stander.podGroup()))
                .put("queue", stander.queue())
                .put("priority", (long) stander.priority())
                .put("pods", (long) stander.pods())
                .put("action", stander.action())
                .put("spared", stander.spared())
                .put("plugin", stander.plugin());
    }

    private static ObjectNode of(Change change) {
        ObjectNode object =
                Json.object().put("type", change.getClass().getSimpleName()).put("text", change.text());
        switch (change) {
            case Change.EndJob job -> {
                object.put("podGroup", job.podGroup()).put("queue", job.queue()).put("pods", (long) job.pods());
                object.set("frees", amounts(job.frees()));
            }
            case Change.EndPod pod -> object.put("pod", pod.pod()).set("frees", amounts(pod.frees()));
            case Change.MakePods pods ->
                object.put("podGroup", pods.podGroup())
                        .put("role", pods.like().role())
                        .put("count", (long) pods.count())
                        .put("like", pods.like().pod().name());
            case Change.LowerMinimum(String podGroup, String role, int from, int to) ->
                object.put("podGroup", podGroup)
                        .put("role", role)
                        .put("from", (long) from)
                        .put("to", (long) to);
            case Change.CreateQueue(String queue) -> object.put("queue", queue);
            case Change.OpenQueue(String queue) -> object.put("queue", queue);
            case Change.RaiseLimit raise -> {
                String resource = raise.resource();
                object.put("queue", raise.queue()).put("field", raise.field()).put("resource", resource);
                object.put("from", Amount.number(resource, raise.from()));
                if (raise.to() >= 0) {
                    object.put("to", Amount.number(resource, raise.to()));
                }
            }
            case Change.RaiseWeight(String queue, int from, int to) ->
                object.put("queue", queue).put("from", (long) from).put("to", (long) to);
            case Change.Uncordon(String node) -> object.put("node", node);
            case Change.AddNodes nodes -> {
                object.put("count", (long) nodes.count()).put("like", nodes.like());
                object.set("allocatable", amounts(nodes.amounts()));
                object.set("labels", nodes.labels());
            }
        }
        return object;
    }
}
