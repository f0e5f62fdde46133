package lavaflow.e2e;

import java.util.List;
import java.util.stream.Stream;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Whether what differs of a Job may, since its tasks wait for others or its pods have failed (job-dependencies). It is worked out anew from the pods, not taken from
 * whoever differs.
 *
 * @param job as it is there
 */
record DependencyExcuse(ObjectNode job, List<ObjectNode> theirPods, List<ObjectNode> ourPods) {
    /** Empty if there is none. */
    String find(ObjectNode theirs, ObjectNode ours) {
        if (hasBegunAfterSuccess()) {
            return "job-dependencies: success is not ready there";
        }
        if (hasFailed(theirs, ours)) {
            return "job-dependencies: waits for ever there";
        }
        if (neverWhole()
                && theirPods.stream()
                        .anyMatch(pod -> text(pod, "spec", "nodeName").isEmpty())) {
            return "job-dependencies: its gang waits there";
        }
        if ((hasFewer(ours) || !beginsWhole()) && isStopped(theirs)) {
            return "job-dependencies: its gang waited there until a policy did something";
        }
        return "";
    }

    /** Takes the size of gangs out of both where ours is what it may be. */
    boolean leaveOutSize(ObjectNode theirs, ObjectNode ours) {
        if (!needsFewer(theirs, ours)) {
            return false;
        }
        for (ObjectNode state : List.of(theirs, ours)) {
            if (hasFewer(ours)) {
                Differences.blank(state, "/podgroups.scheduling.volcano.sh/*/status/phase"); // Unknown there
            }
        }
        for (ObjectNode state : List.of(theirs, ours)) {
            Differences.blank(state, "/podgroups.scheduling.volcano.sh/*/spec/minMember");
            Differences.blank(state, "/podgroups.scheduling.volcano.sh/*/spec/minTaskMember");
            Differences.blank(state, "/podgroups.scheduling.volcano.sh/*/spec/subGroupPolicy/*/minSubGroups");
        }
        return true;
    }

    private static String text(JsonNode node, String... path) {
        return Json.textAt(node, path);
    }

    // ---- tasks

    private Stream<JsonNode> tasks() {
        return Json.listAt(job, "spec", "tasks").valueStream();
    }

    private static Stream<ObjectNode> of(JsonNode task, List<ObjectNode> pods) {
        return pods.stream()
                .filter(pod -> text(pod, "metadata", "annotations", "volcano.sh/task-spec")
                        .equals(text(task, "name")));
    }

    private static boolean isReady(ObjectNode pod) {
        boolean runs = text(pod, "status", "phase").equals("Running");
        return text(pod, "status", "phase").equals("Succeeded")
                || (runs
                        && Json.listAt(pod, "status", "containerStatuses")
                                .valueStream()
                                .allMatch(each -> Json.flagAt(each, "ready")));
    }

    private static boolean isFailed(ObjectNode pod) {
        return text(pod, "status", "phase").equals("Failed");
    }

    private boolean isDue(JsonNode task, List<ObjectNode> pods) {
        List<String> names = Json.listAt(task, "dependsOn", "name")
                .valueStream()
                .map(JsonNode::textValue)
                .toList();
        Stream<Boolean> met = names.stream()
                .map(name -> tasks().filter(other -> text(other, "name").equals(name))
                        .allMatch(other -> of(other, pods)
                                        .filter(DependencyExcuse::isReady)
                                        .count()
                                >= Json.longAt(other, 0, "minAvailable")));
        boolean any = names.size() > 1 && text(task, "dependsOn", "iteration").equals("any");
        return any ? met.anyMatch(each -> each) : met.allMatch(each -> each);
    }

    // ---- what may differ

    private boolean hasBegunAfterSuccess() {
        return tasks().filter(task -> task.has("dependsOn") && isDue(task, theirPods))
                .anyMatch(
                        task -> of(task, theirPods).count() < of(task, ourPods).count()
                                || of(task, theirPods).count() < Json.longAt(task, 0, "replicas"));
    }

    private static JsonNode only(ObjectNode state, String kind) {
        return state.path(kind).path(0);
    }

    private boolean hasFailed(ObjectNode theirs, ObjectNode ours) {
        String here = text(only(ours, "jobs.batch.volcano.sh"), "status", "state", "phase");
        String there = text(only(theirs, "jobs.batch.volcano.sh"), "status", "state", "phase");
        boolean told = ours.path("events")
                .valueStream()
                .anyMatch(each -> each.textValue().contains("DependencyFailed"));
        boolean over = theirPods.stream()
                .allMatch(pod -> List.of("Succeeded", "Failed").contains(text(pod, "status", "phase")));
        boolean lacks = tasks().anyMatch(task -> task.has("dependsOn")
                && !isDue(task, theirPods)
                && of(task, theirPods).count() < Json.longAt(task, 0, "replicas"));
        return told && here.equals("Failed") && List.of("Pending", "Running").contains(there) && over && lacks;
    }

    /** Whether there are enough pods without those that wait for others. */
    private boolean beginsWhole() {
        long first = tasks().filter(task -> !task.has("dependsOn"))
                .mapToLong(task -> Json.longAt(task, 0, "replicas"))
                .sum();
        return first >= Json.longAt(job, 0, "spec", "minAvailable");
    }

    private boolean hasFewer(ObjectNode ours) {
        long here = Json.longAt(only(ours, "podgroups.scheduling.volcano.sh"), Long.MAX_VALUE, "spec", "minMember");
        return here < Json.longAt(job, 0, "spec", "minAvailable")
                && (here == possible(ourPods, false) || here == possible(ourPods, true));
    }

    private static boolean isStopped(ObjectNode theirs) {
        String there = text(only(theirs, "jobs.batch.volcano.sh"), "status", "state", "phase");
        return List.of("Completed", "Failed", "Terminated", "Aborted").contains(there);
    }

    private boolean needsFewer(ObjectNode theirs, ObjectNode ours) {
        long here = Json.longAt(only(ours, "podgroups.scheduling.volcano.sh"), 0, "spec", "minMember");
        long there = Json.longAt(only(theirs, "podgroups.scheduling.volcano.sh"), 0, "spec", "minMember");
        long said = Json.longAt(job, 0, "spec", "minAvailable");
        boolean fewer = only(ours, "podgroups.scheduling.volcano.sh").isObject() && here <= there && there == said;
        return fewer
                && (here == Math.min(said, possible(ourPods, false)) || here == Math.min(said, possible(ourPods, true)))
                && (here < there
                        || possible(ourPods, false) < sumOfMinimums()
                        || possible(ourPods, true) < sumOfMinimums()
                        || hasParts());
    }

    /** Whether the gang there waits for more pods, of all tasks or of one, than it can have. */
    private boolean neverWhole() {
        long said = Json.longAt(job, 0, "spec", "minAvailable");
        boolean everyTaskMatters = said >= sumOfMinimums();
        return possible(theirPods, true) < said
                || tasks().anyMatch(task -> possible(task, theirPods, true) < parts(task))
                || (everyTaskMatters && tasks().anyMatch(task -> possible(task, theirPods, true) < minimum(task)));
    }

    /** How many pods have to be in parts of a task. */
    private static long parts(JsonNode task) {
        return Json.longAt(task, 0, "partitionPolicy", "minPartitions")
                * Json.longAt(task, 0, "partitionPolicy", "partitionSize");
    }

    private boolean hasParts() {
        return tasks().anyMatch(task -> task.has("partitionPolicy"));
    }

    private static long minimum(JsonNode task) {
        return Json.longAt(task, Json.longAt(task, 0, "replicas"), "minAvailable");
    }

    private long sumOfMinimums() {
        return tasks().mapToLong(DependencyExcuse::minimum).sum();
    }

    /** How many pods the Job can have by now. */
    private long possible(List<ObjectNode> pods, boolean withoutFailed) {
        return tasks().mapToLong(task -> possible(task, pods, withoutFailed)).sum();
    }

    private long possible(JsonNode task, List<ObjectNode> pods, boolean withoutFailed) {
        long failed = of(task, pods).filter(DependencyExcuse::isFailed).count();
        return isDue(task, pods)
                ? Json.longAt(task, 0, "replicas") - (withoutFailed ? failed : 0)
                : of(task, pods).count() - failed;
    }
}
