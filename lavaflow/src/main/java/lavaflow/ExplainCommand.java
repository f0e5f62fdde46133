package lavaflow;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import lavaflow.batch.Batch;
import lavaflow.cli.JobFailure;
import lavaflow.cli.TaskWait;
import lavaflow.cli.VolcanoObjects;
import lavaflow.controller.KubeApi;
import lavaflow.explain.Explainer;
import lavaflow.explain.Explanation;
import lavaflow.explain.ExplanationForm;
import lavaflow.explain.PlainPod;
import lavaflow.gang.Configuration;
import lavaflow.gang.Snapshot;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;
import lavaflow.placement.ScheduledPod;
import lavaflow.plugins.Plugins;
import lavaflow.scheduler.GangSettings;
import lavaflow.scheduler.ListedCluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Says why something waits, and what would free it. */
final class ExplainCommand implements Command {
    private static final KubeApi.Kind PODS = KubeApi.Kind.core("pods");
    private static final String GROUP_NAME = "scheduling.k8s.io/group-name";
    private static final String BASE = "/apis/" + ExplanationForm.GROUP + "/" + ExplanationForm.VERSION;

    /** What a Job of Volcano's is in the end. */
    private static final Set<String> ENDS = Set.of("Completed", "Failed", "Aborted", "Terminated");

    private static final Option FROM_LISTS =
            Option.flag("--from-lists", "Ask no scheduler: work it out here from what the cluster lists.");
    private static final Option CONFIGURATION = Option.of(
            "--scheduler-conf",
            "FILE",
            null,
            "With --from-lists: the scheduler's configuration, if not the cluster's.");

    private static final List<String> OURS = List.of(".volcano.sh", ".kubeflow.org");

    /** What was asked about. */
    private record Question(String type, String name) {
        static Question of(Command command, String text) {
            int slash = text.indexOf('/');
            String type = slash < 0 ? "" : singular(text.substring(0, slash));
            if (type.isEmpty() || slash == text.length() - 1) {
                throw Arguments.wrong(
                        command,
                        "'" + text
                                + "' is none of podgroup/NAME, job/NAME (or tfjob/NAME and the like), pod/NAME and queue/NAME");
            }
            return new Question(type, text.substring(slash + 1));
        }

        private static String singular(String said) {
            int dot = said.indexOf('.');
            // As kubectl prints names: job.batch.volcano.sh/train. Other groups have other jobs.
            boolean ours = dot > 0 && OURS.stream().anyMatch(said::endsWith);
            String type = ours ? said.substring(0, dot) : said;
            return switch (type) {
                case "podgroup", "podgroups", "pg" -> "podgroup";
                case "job", "jobs", "vcjob", "vcjobs", "vj" -> "job";
                case "tfjob", "tfjobs", "pytorchjob", "pytorchjobs", "mpijob", "mpijobs" -> "job";
                case "xgboostjob", "xgboostjobs", "paddlejob", "paddlejobs", "jaxjob", "jaxjobs" -> "job";
                case "trainjob", "trainjobs" -> "job";
                case "pod", "pods", "po" -> "pod";
                case "queue", "queues", "q" -> "queue";
                default -> "";
            };
        }
    }

    @Override
    public String name() {
        return "explain";
    }

    @Override
    public String summary() {
        return "Say why a job, pod or queue waits, and what would free it.";
    }

    @Override
    public List<String> parameters() {
        return List.of("TYPE/NAME");
    }

    @Override
    public List<Option> options() {
        return ClusterClient.printingOptions(ClusterClient.NAMESPACE, FROM_LISTS, CONFIGURATION);
    }

    @Override
    public int run(Arguments arguments, Console console) throws IOException {
        boolean text = ClusterClient.isText(this, arguments);
        Question question = Question.of(this, arguments.parameter(0));
        try (ClusterClient cluster = ClusterClient.connect(arguments)) {
            cluster.requireQueues();
            ObjectNode document = answer(cluster, arguments, question);
            if (text) {
                new ExplanationText(console).print(document);
            } else {
                ClusterClient.print(arguments, console, document);
            }
        } catch (ApiException e) {
            throw ClusterClient.refused(e);
        }
        return Lava.DONE;
    }

    private ObjectNode answer(ClusterClient cluster, Arguments arguments, Question question) throws IOException {
        String namespace = ClusterClient.namespace(arguments);
        return switch (question.type) {
            case "queue" -> explain(cluster, arguments, "queues", "", question.name);
            case "pod" -> pod(cluster, arguments, namespace, question.name);
            case "job" -> job(cluster, arguments, namespace, question.name);
            default -> explain(cluster, arguments, "podgroups", namespace, question.name);
        };
    }

    // ---- which PodGroup ----

    private ObjectNode job(ClusterClient cluster, Arguments arguments, String namespace, String name)
            throws IOException {
        for (ObjectNode group : cluster.all(Batch.POD_GROUPS)) {
            if (Json.textAt(group, "metadata", "namespace").equals(namespace) && isOf(group, name)) {
                ObjectNode told =
                        explain(cluster, arguments, "podgroups", namespace, Json.textAt(group, "metadata", "name"));
                ObjectNode pods = Json.objectAt(told, "pods");
                boolean unmade = Json.flagAt(told, "waiting") && (pods == null || pods.isEmpty());
                cluster.api().find(VolcanoObjects.JOBS, namespace, name).ifPresent(job -> {
                    if (unmade) {
                        PodTroubles.tellOfMaker(cluster.api(), job, told);
                    }
                    tellOfLaterTasks(cluster, job, told);
                });
                return told;
            }
        }
        Optional<ObjectNode> training = TrainingJobState.find(cluster.api(), namespace, name);
        return training.isPresent() ? training.get() : ended(cluster, namespace, name);
    }

    /** Its gang need not wait for them: it grows when they begin. */
    private static void tellOfLaterTasks(ClusterClient cluster, ObjectNode job, ObjectNode told) {
        List<TaskWait> waits = TaskWait.of(job, JobGetCommand.pods(cluster, job));
        if (!waits.isEmpty()) {
            ArrayNode later = told.putArray("laterTasks");
            waits.forEach(wait -> later.addObject()
                    .put("task", wait.task())
                    .put("pods", wait.replicas())
                    .put("waitsFor", wait.reason()));
        }
    }

    /** A Job of Volcano's that has ended has no PodGroup any longer. */
    private static ObjectNode ended(ClusterClient cluster, String namespace, String name) {
        Optional<ObjectNode> job = cluster.api().find(VolcanoObjects.JOBS, namespace, name);
        String phase =
                job.map(found -> Json.textAt(found, "status", "state", "phase")).orElse("");
        if (job.isPresent() && ENDS.contains(phase)) {
            String said = Json.textAt(job.get(), "status", "state", "message");
            return ExplanationForm.ofEndedJob(
                    namespace,
                    name,
                    Json.textAt(job.get(), "spec", "queue"),
                    phase,
                    said.isEmpty() ? JobFailure.of(job.get()) : said);
        }
        if (job.isPresent()) {
            ObjectNode told =
                    ExplanationForm.ofUngroupedJob(namespace, name, Json.textAt(job.get(), "spec", "queue"), phase);
            PodTroubles.tellOfMaker(cluster.api(), job.get(), told);
            return told;
        }
        throw new CommandFailure(
                Lava.FAILED,
                "no PodGroup in namespace '" + namespace + "' is of a job '" + name
                        + "'. Either it does not exist, or its pods do not name a scheduler of gangs");
    }

    private static boolean isOf(ObjectNode group, String job) {
        for (JsonNode owner : Json.listAt(group, "metadata", "ownerReferences")) {
            if (Json.textAt(owner, "kind").endsWith("Job")
                    && Json.textAt(owner, "name").equals(job)) {
                return true;
            }
        }
        return Json.textAt(group, "metadata", "name").equals(job);
    }

    private ObjectNode pod(ClusterClient cluster, Arguments arguments, String namespace, String name)
            throws IOException {
        ObjectNode pod = cluster.api()
                .find(PODS, namespace, name)
                .orElseThrow(() -> new CommandFailure(
                        Lava.FAILED, "there is no pod '" + name + "' in namespace '" + namespace + "'"));
        String group = Json.textAt(pod, "metadata", "annotations", GROUP_NAME);
        boolean ofGang = GangSettings.USUAL_NAMES.contains(Json.textAt(pod, "spec", "schedulerName"));
        ObjectNode document;
        if (ofGang && group.isEmpty()) {
            throw new CommandFailure(
                    Lava.FAILED, "pod '" + name + "' has no PodGroup yet: annotation " + GROUP_NAME + " is missing");
        } else if (ofGang) {
            document = explain(cluster, arguments, "podgroups", namespace, group);
        } else {
            document = ExplanationForm.of(new PlainPod(listed(cluster, arguments), ScheduledPod.of(pod)).explain());
        }
        document.set("pod", itself(pod));
        return document;
    }

    private static ObjectNode itself(ObjectNode pod) {
        String said = "";
        for (JsonNode condition : Json.listAt(pod, "status", "conditions")) {
            if (Json.textAt(condition, "type").equals("PodScheduled")
                    && Json.textAt(condition, "status").equals("False")) {
                said = Json.textAt(condition, "message");
            }
        }
        return Json.object()
                .put("name", Json.textAt(pod, "metadata", "name"))
                .put("phase", Json.textAt(pod, "status", "phase"))
                .put("node", Json.textAt(pod, "spec", "nodeName"))
                .put("nominatedNode", Json.textAt(pod, "status", "nominatedNodeName"))
                .put("message", said);
    }

    // ---- who explains ----

    private ObjectNode explain(
            ClusterClient cluster, Arguments arguments, String resource, String namespace, String name)
            throws IOException {
        boolean here = arguments.has(FROM_LISTS) || arguments.has(CONFIGURATION) || !isServed(cluster);
        Optional<ObjectNode> told = here ? Optional.empty() : asked(cluster, resource, namespace, name);
        // What was made a moment ago the scheduler may not know yet.
        ObjectNode document = told.isPresent()
                ? told.get()
                : worked(cluster, arguments, resource, namespace, name)
                        .orElseThrow(() -> missing(resource, namespace, name));
        if (resource.equals("podgroups")) {
            PodTroubles.tell(cluster.api(), namespace, name, document);
        }
        return document;
    }

    private static Optional<ObjectNode> asked(ClusterClient cluster, String resource, String namespace, String name) {
        try {
            String where = namespace.isEmpty() ? "" : "/namespaces/" + namespace;
            return Optional.of(cluster.read(BASE + where + "/" + resource + "/" + name));
        } catch (ApiException e) {
            if (e.code() == 404) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private static CommandFailure missing(String resource, String namespace, String name) {
        return new CommandFailure(
                Lava.FAILED,
                resource.equals("queues")
                        ? "there is no queue '" + name + "'. Try: lava queue ls"
                        : "there is no PodGroup '" + name + "' in namespace '" + namespace
                                + "'. Name another one with -n NAMESPACE");
    }

    /** Whether the scheduler of the cluster can be asked. */
    private static boolean isServed(ClusterClient cluster) {
        try {
            ObjectNode found = cluster.read(BASE);
            return !Json.listAt(found, "resources").isEmpty();
        } catch (ApiException e) {
            return false;
        }
    }

    private static Optional<ObjectNode> worked(
            ClusterClient cluster, Arguments arguments, String resource, String namespace, String name)
            throws IOException {
        Explainer explainer = new Explainer(listed(cluster, arguments), Plugins::make);
        return resource.equals("queues")
                ? explainer.queue(name).map(ExplanationForm::of)
                : explainer.group(namespace + "/" + name).map((Explanation each) -> ExplanationForm.of(each));
    }

    private static Snapshot listed(ClusterClient cluster, Arguments arguments) throws IOException {
        return ListedCluster.read(cluster.api(), GangSettings.USUAL_NAMES, configuration(arguments), Instant.now());
    }

    private static @Nullable Configuration configuration(Arguments arguments) throws IOException {
        Path file = arguments.findPath(CONFIGURATION);
        try {
            return file == null ? null : Configuration.parse(Files.readString(file, StandardCharsets.UTF_8));
        } catch (MalformedException e) {
            throw new CommandFailure(Lava.USAGE, file + ": " + e.getMessage());
        }
    }
}
