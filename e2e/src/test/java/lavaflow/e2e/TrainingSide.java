package lavaflow.e2e;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * One of two clusters where a scenario happens: does its steps, and is the scheduler, the kubelet and the gang scheduler there. Pods are on no
 * node unless they are bound, so that they are gone as soon as they are deleted.
 */
final class TrainingSide {
    private static final KubeApi.Kind PODS = KubeApi.Kind.core("pods");
    private static final KubeApi.Kind BATCH_JOBS = new KubeApi.Kind("batch", "v1", "jobs", true);
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Duration LOOK = Duration.ofMillis(300);

    /** Where values that are more than words begin. */
    private static final Pattern VALUES = Pattern.compile("Invalid value: (?=[{\\[])");

    /** {@code jobset-words} in docs/compatibility.md. */
    private static final String WRAPPING = "<nil>: Internal error: ";

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final String who;
    private final KubeApi api;
    private final String namespace;
    private final String operator;
    private final TrainingState state;

    TrainingSide(String who, KubeApi api, String namespace, String operator) {
        this.who = who;
        this.api = api;
        this.namespace = namespace;
        this.operator = operator;
        this.state = new TrainingState(api, namespace, operator);
    }

    void begin() throws InterruptedException {
        ObjectNode made = Json.object();
        made.putObject("metadata").put("name", namespace);
        api.create(KubeApi.Kind.clusterWide("namespaces"), "", made);
        await(
                "an account",
                () -> api.find(KubeApi.Kind.core("serviceaccounts"), namespace, "default")
                        .isPresent());
    }

    void perform(JsonNode step) throws InterruptedException {
        for (Map.Entry<String, JsonNode> each : step.properties()) {
            JsonNode what = each.getValue();
            switch (each.getKey()) {
                case "create" -> create((ObjectNode) what.deepCopy());
                case "patch" ->
                    api.patch(
                            kind(what),
                            where(kind(what)),
                            Json.textAt(what, "name"),
                            Json.textAt(what, "subresource"),
                            KubeApi.Merge.PLAIN,
                            (ObjectNode) what.get("patch"));
                case "delete" ->
                    api.delete(
                            kind(what),
                            where(kind(what)),
                            Json.textAt(what, "name"),
                            new KubeApi.Deletion(null, null, "Background"));
                case "launch" -> launch(Json.textAt(step, "launch"));
                case "group" -> group(Json.textAt(step, "group"));
                case "play" -> {
                    for (Map.Entry<String, JsonNode> pod : what.properties()) {
                        play(pod.getKey(), pod.getValue().textValue());
                    }
                }
                default -> throw new IllegalArgumentException("there is no step " + each.getKey());
            }
        }
    }

    /** What the server says to a step that it may refuse. */
    ObjectNode attempt(ObjectNode step) throws InterruptedException {
        ObjectNode answer = Json.object();
        try {
            perform(step);
            answer.put("answer", "done");
        } catch (ApiException e) {
            answer.put(
                    "answer",
                    e.code() + " " + e.reason() + ": " + inOrder(e.getMessage().replace(WRAPPING, "")));
        }
        return answer;
    }

    /** Values in a message in the order of names, and without the empty parts that Go writes. */
    private static String inOrder(String message) {
        Matcher values = VALUES.matcher(message);
        StringBuilder told = new StringBuilder();
        int from = 0;
        while (values.find(from)) {
            told.append(message, from, values.end());
            from = values.end();
            try (JsonParser parser = MAPPER.createParser(message.substring(from))) {
                told.append(MAPPER.writeValueAsString(full(MAPPER.readTree(parser))));
                from += (int) parser.currentLocation().getCharOffset();
            } catch (IOException _) {
                told.append(message.substring(from));
                from = message.length();
            }
        }
        return told.append(message.substring(from)).toString();
    }

    private static JsonNode full(JsonNode value) {
        if (value instanceof ArrayNode list) {
            ArrayNode copy = Json.array();
            list.forEach(each -> copy.add(full(each)));
            return copy;
        }
        if (!(value instanceof ObjectNode object)) {
            return value;
        }
        ObjectNode copy = Json.object();
        new TreeMap<>(object.properties().stream().collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)))
                .forEach((name, each) -> {
                    JsonNode kept = full(each);
                    if (!kept.isEmpty() || kept.isValueNode()) {
                        copy.set(name, kept);
                    }
                });
        return copy;
    }

    private KubeApi.Kind kind(JsonNode what) {
        String[] words = Json.textAt(what, "kind").split(" ", -1);
        return api.findKind(words[0], words[1]).orElseThrow();
    }

    private String where(KubeApi.Kind kind) {
        return kind.namespaced() ? namespace : "";
    }

    private void create(ObjectNode object) {
        KubeApi.Kind kind = api.findKind(Json.textAt(object, "apiVersion"), Json.textAt(object, "kind"))
                .orElseThrow();
        try {
            api.create(kind, where(kind), object);
        } catch (ApiException e) {
            // What all scenarios share, such as a PriorityClass, may be there already.
            if (kind.namespaced() || e.code() != 409) {
                throw e;
            }
        }
    }

    // ---- what schedulers, kubelets and the controller of Jobs do

    /** Makes the pod of a Job. */
    private void launch(String job) throws InterruptedException {
        await("a Job " + job, () -> api.find(BATCH_JOBS, namespace, job).isPresent());
        ObjectNode found = api.find(BATCH_JOBS, namespace, job).orElseThrow();
        ObjectNode pod = ((ObjectNode) found.get("spec").get("template")).deepCopy();
        ObjectNode metadata = Json.ensureObject(pod, "metadata");
        metadata.remove("ownerReferences");
        metadata.put("name", job);
        metadata.putArray("ownerReferences")
                .addObject()
                .put("apiVersion", "batch/v1")
                .put("kind", "Job")
                .put("name", job)
                .put("uid", Json.textAt(found, "metadata", "uid"))
                .put("controller", true);
        api.create(PODS, namespace, pod);
    }

    /** Gives the PodGroups a phase. */
    private void group(String phase) throws InterruptedException {
        KubeApi.Kind groups = new KubeApi.Kind("scheduling.volcano.sh", "v1beta1", "podgroups", true);
        await(
                "a PodGroup",
                () -> !api.list(groups, namespace, KubeApi.View.METADATA)
                        .items()
                        .isEmpty());
        for (ObjectNode group :
                api.list(groups, namespace, KubeApi.View.METADATA).items()) {
            ObjectNode patch = Json.object();
            patch.putObject("status").put("phase", phase);
            api.patch(groups, namespace, name(group), "", KubeApi.Merge.PLAIN, patch); // its status is no subresource
        }
    }

    private static String name(ObjectNode object) {
        return Json.textAt(object, "metadata", "name");
    }

    /** Its name, without the end that the server chose. */
    private static String title(ObjectNode pod) {
        String chosen = Json.textAt(pod, "metadata", "generateName");
        return chosen.isEmpty() ? name(pod) : chosen.substring(0, chosen.length() - 1);
    }

    /** @param pod the end of its name, or {@code all} for every pod that has not begun */
    private void play(String pod, String part) throws InterruptedException {
        if (pod.equals("all")) {
            for (ObjectNode each : pods(false)) {
                if (Json.textAt(each, "status", "phase").equals("Pending")) {
                    play(each, part);
                }
            }
            return;
        }
        List<ObjectNode> found = new ArrayList<>();
        await("a pod " + pod + " to become " + part, () -> {
            pods(part.equals("gone")).stream()
                    .filter(each -> title(each).endsWith("-" + pod) && mayBecome(each, part))
                    .forEach(found::add);
            return !found.isEmpty();
        });
        play(found.getFirst(), part);
    }

    /** @param going whether those that are being deleted are wanted, too */
    private List<ObjectNode> pods(boolean going) {
        return api.list(PODS, namespace, KubeApi.View.WHOLE).items().stream()
                .filter(pod -> going || Json.at(pod, "metadata", "deletionTimestamp") == null)
                .toList();
    }

    /** A pod that ended is soon another one of the same name. */
    private static boolean mayBecome(ObjectNode pod, String part) {
        String phase = Json.textAt(pod, "status", "phase");
        return switch (part) {
            case "running", "ready", "waiting", "unschedulable" -> phase.equals("Pending");
            case "deleted", "gone" -> true;
            default -> phase.equals("Pending") || phase.equals("Running");
        };
    }

    private void play(ObjectNode pod, String part) {
        if (part.equals("deleted") || part.equals("gone")) {
            api.delete(
                    PODS,
                    namespace,
                    name(pod),
                    part.equals("gone") ? KubeApi.Deletion.PLAIN.atOnce() : KubeApi.Deletion.PLAIN);
            return;
        }
        if (part.equals("bound")) {
            ObjectNode binding = Json.object().put("apiVersion", "v1").put("kind", "Binding");
            binding.putObject("metadata").put("name", name(pod));
            binding.putObject("target").put("kind", "Node").put("name", "played");
            api.post(PODS, namespace, name(pod), "binding", binding);
            return;
        }
        ObjectNode patch = Json.object();
        patch.set("status", status(pod, part));
        api.patch(PODS, namespace, name(pod), "status", KubeApi.Merge.PLAIN, patch);
    }

    /** As {@code running}, {@code ready}, {@code succeeded}, {@code failed-1}, {@code restarted-3}, {@code evicted}, {@code waiting}, {@code unschedulable}. */
    private static ObjectNode status(ObjectNode pod, String part) {
        String[] words = part.split("-", 2);
        int number = words.length > 1 ? Integer.parseInt(words[1]) : 0;
        String now = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
        ObjectNode status = Json.object();
        status.put("startTime", now);
        switch (words[0]) {
            case "running", "ready", "restarted" -> {
                status.put("phase", "Running");
                if (words[0].equals("ready")) {
                    status.putArray("conditions")
                            .addObject()
                            .put("type", "Ready")
                            .put("status", "True")
                            .put("lastTransitionTime", now);
                }
                containers(pod, status, number)
                        .forEach(each -> ((ObjectNode) each)
                                .putObject("state")
                                .putObject("running")
                                .put("startedAt", now));
            }
            case "succeeded", "failed" -> {
                status.put("phase", words[0].equals("failed") ? "Failed" : "Succeeded");
                containers(pod, status, 0)
                        .forEach(each -> ((ObjectNode) each)
                                .putObject("state")
                                .putObject("terminated")
                                .put("exitCode", number)
                                .put("reason", number == 0 ? "Completed" : "Error")
                                .put("startedAt", now)
                                .put("finishedAt", now));
            }
            case "evicted" ->
                status.put("phase", "Failed").put("reason", "Evicted").put("message", "The node was low on resource");
            case "waiting" -> {
                status.put("phase", "Pending");
                containers(pod, status, 0)
                        .forEach(each -> ((ObjectNode) each)
                                .putObject("state")
                                .putObject("waiting")
                                .put("reason", "ImagePullBackOff")
                                .put("message", "Back-off pulling image"));
            }
            case "unschedulable" -> {
                status.put("phase", "Pending");
                status.putArray("conditions")
                        .addObject()
                        .put("type", "PodScheduled")
                        .put("status", "False")
                        .put("lastTransitionTime", now)
                        .put("reason", "Unschedulable")
                        .put("message", "0/1 nodes are available");
            }
            default -> throw new IllegalArgumentException("pods do not become " + part);
        }
        return status;
    }

    private static ArrayNode containers(ObjectNode pod, ObjectNode status, int restarts) {
        ArrayNode shown = status.putArray("containerStatuses");
        for (JsonNode container : Json.listAt(pod, "spec", "containers")) {
            shown.addObject()
                    .put("name", Json.textAt(container, "name"))
                    .put("image", Json.textAt(container, "image"))
                    .put("imageID", "")
                    .put("ready", false)
                    .put("restartCount", restarts);
        }
        return shown;
    }

    private interface Question {
        boolean holds();
    }

    private void await(String what, Question question) throws InterruptedException {
        Instant deadline = Instant.now().plus(PATIENCE);
        while (!question.holds()) {
            if (Instant.now().isAfter(deadline)) {
                throw new AssertionError(who + ": in " + PATIENCE.toSeconds() + " s there was not " + what);
            }
            Thread.sleep(LOOK);
        }
    }

    /** Operators are to have no more to do than the scenarios that happen. */
    void endJobs() {
        for (KubeApi.Kind jobs : TrainingState.jobs(operator)) {
            api.list(jobs, namespace, KubeApi.View.METADATA, job -> {
                if (Json.at(job, "metadata", "ownerReferences") == null) { // others go with their owners
                    api.delete(jobs, namespace, name(job), KubeApi.Deletion.PLAIN);
                }
            });
        }
    }

    // ---- what there is

    ObjectNode glance() {
        return state.glance();
    }

    ObjectNode state() {
        return state.whole();
    }
}
