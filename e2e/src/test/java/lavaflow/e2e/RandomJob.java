package lavaflow.e2e;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** A Job of Volcano's made up from chance: small, and with some of everything a Job can say. Most are valid. */
final class RandomJob {
    /** Not Unknown: whether a scheduler looks between the end of a pod and its being made anew is chance. */
    private static final List<String> EVENTS = List.of(
            "PodFailed",
            "PodFailed",
            "PodFailed",
            "PodEvicted",
            "PodEvicted",
            "TaskCompleted",
            "TaskCompleted",
            "TaskFailed",
            "PodPending",
            "JobUpdated",
            "*");

    private static final List<String> ACTIONS = List.of(
            "RestartJob",
            "RestartJob",
            "RestartTask",
            "RestartPod",
            "AbortJob",
            "TerminateJob",
            "CompleteJob",
            "ResumeJob");
    private static final String KEYS = "--ssh-private-key=private,--ssh-public-key=public";

    private final Random chance;

    RandomJob(Random chance) {
        this.chance = chance;
    }

    private boolean oneIn(int number) {
        return chance.nextInt(number) == 0;
    }

    private <T> T oneOf(List<T> list) {
        return list.get(chance.nextInt(list.size()));
    }

    /** What has to be there first, and then the Job, as steps. */
    List<ObjectNode> steps() {
        List<ObjectNode> steps = new ArrayList<>();
        ObjectNode job = Json.object();
        job.put("apiVersion", "batch.volcano.sh/v1alpha1").put("kind", "Job");
        ObjectNode metadata = job.putObject("metadata").put("name", "j");
        if (oneIn(4)) {
            metadata.putObject("labels").put("team", "red").put("volcano.sh/preemptable", "true");
            metadata.putObject("annotations")
                    .put("volcano.sh/preemptable", "true")
                    .put("volcano.sh/cooldown-time", "600s")
                    .put("note", "blue");
        }
        ObjectNode spec = job.putObject("spec");
        tasks(spec);
        rest(spec, steps);
        if (!spec.findValues("policies").isEmpty()) {
            slow(spec);
        }
        steps.add(step("create", job));
        return steps;
    }

    /** What is seen first of pods that end as soon as they have begun, and with it which policy counts, is chance. */
    private static void slow(ObjectNode spec) {
        for (JsonNode task : Json.listAt(spec, "tasks")) {
            if (!Json.textAt(task, "template", "metadata", "annotations", "play")
                    .matches("pending|unready")) {
                Json.ensureObject((ObjectNode) task, "template").remove("metadata");
            }
        }
    }

    static ObjectNode step(String what, ObjectNode about) {
        ObjectNode step = Json.object();
        step.set(what, about);
        return step;
    }

    // ---- tasks

    private void tasks(ObjectNode spec) {
        List<String> names = framework(spec);
        ArrayNode tasks = spec.putArray("tasks");
        int sum = 0;
        for (int i = 0; i < names.size(); i++) {
            sum += task(tasks.addObject().put("name", names.get(i)), names.subList(0, i));
        }
        boolean none = Json.listAt(spec, "tasks")
                .valueStream()
                .allMatch(task -> Json.longAt(task, Json.longAt(task, 0, "replicas"), "minAvailable") == 0);
        // Upstream takes a gang that needs no pod for one that has completed.
        if (none || !oneIn(4)) {
            spec.put("minAvailable", oneIn(3) ? sum : 1 + chance.nextInt(Math.max(1, sum)));
        }
        if (oneIn(5)) {
            spec.put("minSuccess", 1 + chance.nextInt(Math.max(1, sum)));
        }
    }

    /** What the tasks are called; plugins of frameworks want names of their own. */
    private List<String> framework(ObjectNode spec) {
        ObjectNode plugins = Json.object();
        List<String> names = new ArrayList<>(List.of("a", "b", "c").subList(0, 1 + chance.nextInt(3)));
        switch (chance.nextInt(12)) {
            case 0 -> {
                arguments(plugins, "tensorflow", "--port=3000");
                names = new ArrayList<>(
                        List.of("ps", "worker", "chief", "evaluator").subList(0, 2 + chance.nextInt(3)));
            }
            case 1 -> {
                arguments(plugins, "pytorch", "--port=3000"); // how workers wait for a master differs (job-plugins)
                names = List.of("master", "worker");
            }
            case 2 -> {
                arguments(plugins, "mpi", "--port=3000");
                Json.ensureObject(plugins).set("ssh", list(KEYS));
                names = List.of("master", "worker");
            }
            case 3 -> {
                arguments(plugins, "ray", "--port=3000,--headContainer=c,--workerContainer=c");
                names = List.of("head", "worker");
            }
            case 4 -> {
                arguments(plugins, "hcclrank", "--master=master,--worker=worker");
                names = List.of("master", "worker");
            }
            default -> {}
        }
        if (oneIn(3)) {
            arguments(plugins, "env", "");
        }
        if (oneIn(3)) {
            arguments(
                    plugins,
                    "svc",
                    oneOf(List.of(
                            "--publish-not-ready-addresses=true", "--disable-network-policy=true", "--nonsense")));
        }
        if (oneIn(6) && !plugins.has("ssh")) {
            plugins.set("ssh", list(KEYS + (oneIn(2) ? ",--ssh-key-file-path=/home/me/.ssh" : "")));
        }
        if (!plugins.isEmpty()) {
            spec.set("plugins", plugins);
        }
        return names;
    }

    private void arguments(ObjectNode plugins, String plugin, String some) {
        plugins.set(plugin, list(oneIn(2) ? "" : some));
    }

    private static ArrayNode list(String commas) {
        ArrayNode list = Json.array();
        for (String each : commas.split(",", -1)) {
            if (!each.isEmpty()) {
                list.add(each);
            }
        }
        return list;
    }

    /** How many pods it has. */
    private int task(ObjectNode task, List<String> before) {
        int replicas = oneIn(20) ? 0 : 1 + chance.nextInt(3);
        if (oneIn(8)) {
            int size = 1 + chance.nextInt(2);
            int least = 1 + chance.nextInt(2);
            replicas = 2 * size;
            ObjectNode parts = task.putObject("partitionPolicy");
            parts.put("totalPartitions", 2).put("partitionSize", size).put("minPartitions", least);
            if (oneIn(2)) {
                task.put("minAvailable", least * size);
            }
        } else if (oneIn(2)) {
            task.put("minAvailable", chance.nextInt(replicas + 1));
        }
        task.put("replicas", replicas);
        if (oneIn(3)) {
            task.put("maxRetry", oneOf(List.of(-1, 1, 2, 3)));
        }
        if (!before.isEmpty() && oneIn(5)) {
            ObjectNode dependency = task.putObject("dependsOn");
            ArrayNode names = dependency.putArray("name").add(oneOf(before));
            if (before.size() > 1 && oneIn(2)) {
                names.removeAll();
                before.forEach(names::add);
                dependency.put("iteration", oneOf(List.of("any", "all")));
            }
        }
        if (oneIn(3)) {
            task.set("policies", policies(task.has("partitionPolicy")));
        }
        template(task.putObject("template"));
        return replicas;
    }

    private void template(ObjectNode template) {
        if (oneIn(4)) {
            String part = oneOf(List.of("pending", "unready", "succeed", "fail", "fail 3"));
            template.putObject("metadata").putObject("annotations").put("play", part);
        }
        ObjectNode spec = template.putObject("spec");
        spec.put("restartPolicy", oneIn(4) ? "OnFailure" : "Never");
        if (oneIn(8)) {
            spec.put("priorityClassName", oneOf(List.of("random-high", "random-low")));
        }
        ArrayNode containers = spec.putArray("containers");
        ObjectNode first = containers.addObject().put("name", "c").put("image", "i");
        first.putObject("resources").putObject("requests").put("cpu", "100m").put("memory", "1Mi");
        if (oneIn(8)) {
            ObjectNode second = containers.addObject().put("name", "d").put("image", "i");
            second.putObject("resources").putObject("limits").put("cpu", "200m");
        }
    }

    // ---- policies

    /** What restarts a part of a task that has none is another matter (job-policies). */
    private ArrayNode policies(boolean parts) {
        ArrayNode policies = Json.array();
        int count = oneIn(3) ? 2 : 1;
        String known = "";
        for (int i = 0; i < count; i++) {
            ObjectNode policy = policies.addObject();
            String event = oneOf(EVENTS);
            if (oneIn(5)) {
                policy.put("exitCode", oneOf(List.of(1, 3)));
                event = "code" + policy.path("exitCode");
            } else if (oneIn(6)) {
                policy.putArray("events").add("PodEvicted").add("PodFailed");
                event = "PodEvicted PodFailed";
            } else {
                policy.put("event", event);
            }
            boolean clashes =
                    event.contains("*") || known.contains("*") || known.contains(event) || event.contains(known);
            if (i > 0 && clashes) {
                policies.remove(i);
                return policies;
            }
            known = event;
            // A pod that was evicted is made anew while an action waits, and its part restarts without it
            // (job-policies).
            boolean mayWait = !event.contains("PodEvicted") && !event.equals("*");
            policy.put("action", parts && mayWait && oneIn(3) ? "RestartPartition" : oneOf(ACTIONS));
            if (event.equals("PodPending") || (mayWait && oneIn(7))) {
                policy.put("timeout", "3s");
            }
        }
        return policies;
    }

    // ---- the rest

    private void rest(ObjectNode spec, List<ObjectNode> before) {
        if (oneIn(2)) {
            spec.set("policies", policies(false));
        }
        if (oneIn(2)) {
            spec.put("maxRetry", 1 + chance.nextInt(4));
        }
        if (oneIn(8)) {
            spec.put("ttlSecondsAfterFinished", oneIn(2) ? 1 : 10_000);
        }
        if (oneIn(6)) {
            spec.put("priorityClassName", oneOf(List.of("random-high", "random-low")));
        }
        if (oneIn(8)) {
            spec.put("queue", "q-@namespace");
            ObjectNode queue = Json.object();
            queue.put("apiVersion", "scheduling.volcano.sh/v1beta1").put("kind", "Queue");
            queue.putObject("metadata").put("name", "q-@namespace");
            queue.putObject("spec").put("weight", 2);
            before.add(step("create", queue));
            before.add(step(
                    "until",
                    Json.object()
                            .put("kind", "scheduling.volcano.sh/v1beta1 Queue")
                            .put("name", "q-@namespace")
                            .put("path", "/status/state")
                            .put("is", "Open")));
        }
        if (oneIn(10)) {
            ObjectNode volume = spec.putArray("volumes").addObject().put("mountPath", "/data");
            ObjectNode claim = volume.putObject("volumeClaim");
            claim.putArray("accessModes").add("ReadWriteOnce");
            claim.putObject("resources").putObject("requests").put("storage", "1Gi");
        }
        if (oneIn(16)) {
            spec.putObject("networkTopology").put("mode", "soft").put("highestTierAllowed", 1);
        }
    }
}
