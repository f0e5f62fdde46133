package lavaflow.e2e;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** What may happen next to a Job of Volcano's, given what is there; one step of what chance picks. */
final class RandomStep {
    private static final String JOB = "batch.volcano.sh/v1alpha1 Job";
    private static final Set<String> ENDED = Set.of("Completed", "Failed", "Terminated");

    private final Random chance;
    private final ObjectNode job;
    private final List<ObjectNode> pods;
    private final int number;
    private final List<List<ObjectNode>> ideas = new ArrayList<>();

    private RandomStep(Random chance, ObjectNode job, List<ObjectNode> pods, int number) {
        this.chance = chance;
        this.job = job;
        this.pods = pods;
        this.number = number;
    }

    /** Empty where nothing is left to do. */
    static List<ObjectNode> after(Random chance, ObjectNode job, List<ObjectNode> pods, int number) {
        RandomStep step = new RandomStep(chance, job, pods, number);
        step.think();
        return step.ideas.isEmpty() ? List.of() : step.ideas.get(chance.nextInt(step.ideas.size()));
    }

    private void idea(int weight, List<ObjectNode> steps) {
        for (int i = 0; i < weight; i++) {
            ideas.add(steps);
        }
    }

    private void think() {
        String phase = Json.textAt(job, "status", "state", "phase");
        boolean over = ENDED.contains(phase);
        if (over && chance.nextInt(3) > 0) {
            return;
        }
        for (ObjectNode pod : pods) {
            if (Json.textAt(pod, "metadata", "deletionTimestamp").isEmpty()) {
                about(pod);
            }
        }
        if (!over) {
            tasksEnd();
            change();
        }
        commands(phase);
        idea(
                1,
                List.of(RandomJob.step(
                        "delete",
                        Json.object()
                                .put("kind", JOB)
                                .put("name", "j")
                                .put("policy", chance.nextBoolean() ? "Background" : "Foreground"))));
    }

    private void about(ObjectNode pod) {
        String name = Json.textAt(pod, "metadata", "name");
        String phase = Json.textAt(pod, "status", "phase");
        boolean placed = !Json.textAt(pod, "spec", "nodeName").isEmpty();
        idea(
                1,
                List.of(RandomJob.step(
                        "delete", Json.object().put("kind", "v1 Pod").put("name", name))));
        if (phase.equals("Running")) {
            idea(3, List.of(end(name, 0)));
            idea(2, List.of(end(name, chance.nextBoolean() ? 1 : 3)));
            idea(
                    1,
                    List.of(RandomJob.step(
                            "containers",
                            Json.object().put("pod", name).put("ready", true).put("restarts", 1 + chance.nextInt(4)))));
            boolean ready =
                    Json.flagAt(Json.listAt(pod, "status", "containerStatuses").path(0), "ready");
            idea(
                    1,
                    List.of(RandomJob.step(
                            "containers", Json.object().put("pod", name).put("ready", !ready))));
        } else if (phase.equals("Pending") && placed) {
            idea(4, List.of(RandomJob.step("begin", Json.object().put("pod", name))));
        }
    }

    private static ObjectNode end(String pod, int code) {
        return RandomJob.step("end", Json.object().put("pod", pod).put("exitCode", code));
    }

    private void tasksEnd() {
        for (JsonNode task : Json.listAt(job, "spec", "tasks")) {
            List<ObjectNode> ends = pods.stream()
                    .filter(pod -> Json.textAt(pod, "status", "phase").equals("Running"))
                    .filter(pod -> Json.textAt(pod, "metadata", "annotations", "volcano.sh/task-spec")
                            .equals(Json.textAt(task, "name")))
                    .map(pod -> end(Json.textAt(pod, "metadata", "name"), 0))
                    .toList();
            if (ends.size() > 1) {
                idea(3, ends);
            }
        }
    }

    private void commands(String phase) {
        List<String> actions = switch (phase) {
            case "Aborted" -> List.of("ResumeJob", "ResumeJob", "ResumeJob", "ResumeJob", "RestartJob", "AbortJob");
            case "Completed", "Failed", "Terminated" -> List.of("RestartJob", "ResumeJob", "AbortJob");
            default ->
                List.of("AbortJob", "AbortJob", "RestartJob", "RestartJob", "TerminateJob", "CompleteJob", "ResumeJob");
        };
        ObjectNode command = Json.object();
        command.put("apiVersion", "bus.volcano.sh/v1alpha1").put("kind", "Command");
        command.putObject("metadata").put("name", "order" + number);
        command.put("action", actions.get(chance.nextInt(actions.size())));
        command.putObject("target")
                .put("apiVersion", "batch.volcano.sh/v1alpha1")
                .put("kind", "Job")
                .put("name", "j")
                .put("controller", true);
        idea(phase.equals("Aborted") ? 8 : 3, List.of(RandomJob.step("create", command)));
    }

    private static boolean evictionMatters(JsonNode about) {
        return Json.listAt(about, "policies")
                .valueStream()
                .anyMatch(policy -> policy.toString().contains("PodEvicted")
                        || Json.textAt(policy, "event").equals("*"));
    }

    private void change() {
        int sum = 0;
        for (JsonNode task : Json.listAt(job, "spec", "tasks")) {
            sum += (int) Json.longAt(task, 1, "replicas");
        }
        JsonNode task = Json.listAt(job, "spec", "tasks")
                .get(chance.nextInt(Json.listAt(job, "spec", "tasks").size()));
        long jobMinimum = Json.longAt(job, 0, "spec", "minAvailable");
        if (!task.has("partitionPolicy")) {
            int replicas = chance.nextInt(5);
            if (evictionMatters(job.path("spec")) || evictionMatters(task)) {
                // What a task that was made smaller loses was evicted as upstream has it (job-policies).
                replicas = Math.max(replicas, (int) Json.longAt(task, 1, "replicas"));
            }
            if (replicas == 0 && Json.listAt(job, "spec", "tasks").size() == 1) {
                replicas = 1; // upstream takes a gang that needs no pod for one that has completed
            }
            int total = sum - (int) Json.longAt(task, 1, "replicas") + replicas;
            ObjectNode scale = Json.object().put("name", "j").put("task", Json.textAt(task, "name"));
            scale.put("replicas", replicas);
            if (Json.longAt(task, 0, "minAvailable") > replicas || chance.nextInt(3) == 0) {
                scale.put("minAvailable", chance.nextInt(replicas + 1));
            }
            if (jobMinimum > total || chance.nextInt(3) == 0) {
                scale.put("jobMinAvailable", total == 0 ? 0 : 1 + chance.nextInt(total));
            }
            idea(3, List.of(RandomJob.step("scale", scale)));
        }
        idea(
                1,
                List.of(RandomJob.step(
                        "scale",
                        Json.object()
                                .put("name", "j")
                                .put("jobMinAvailable", sum == 0 ? 0 : 1 + chance.nextInt(sum)))));
        ObjectNode priority = Json.object().put("kind", JOB).put("name", "j");
        priority.putObject("patch")
                .putObject("spec")
                .put("priorityClassName", chance.nextBoolean() ? "random-high" : "random-low");
        idea(1, List.of(RandomJob.step("patch", priority)));
    }
}
