package lavaflow.cluster;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What the controller of jobs looks at in a pod.
 *
 * @param index which part of an indexed job it does, {@link #NO_INDEX} where it does not say
 * @param tracked whether it carries the finalizer that keeps it until it is counted
 * @param failuresBefore how often its index failed before
 * @param ignoredBefore how often its index failed before in a way that does not count
 * @param finished when it ended, if it has
 * @param restarts of all its containers together
 * @param exits how its containers ended that did not end well
 */
record JobPod(
        PodState state,
        int index,
        boolean tracked,
        int failuresBefore,
        int ignoredBefore,
        Instant finished,
        long restarts,
        List<Exit> exits,
        List<Condition> conditions) {

    static final String FINALIZER = "batch.kubernetes.io/job-tracking";
    static final String INDEX = "batch.kubernetes.io/job-completion-index";
    static final String FAILURES = "batch.kubernetes.io/job-index-failure-count";
    static final String IGNORED = "batch.kubernetes.io/job-index-ignored-failure-count";
    static final int NO_INDEX = -1;

    /** A container that ended with a code other than zero. */
    record Exit(String container, long code) {}

    record Condition(String type, String status) {}

    /** Those whose end costs least, first. */
    static final Comparator<JobPod> CHEAPEST_FIRST = Comparator.<JobPod, Boolean>comparing(
                    pod -> !pod.state.node().isEmpty())
            .thenComparingInt(pod -> phaseOrder(pod.state.phase()))
            .thenComparing(pod -> pod.state.isReady())
            .thenComparing(pod -> orEpoch(pod.state.readySince()), Comparator.reverseOrder())
            .thenComparingLong(pod -> -pod.state.restarts())
            .thenComparing(pod -> pod.state.created(), Comparator.reverseOrder())
            .thenComparing(JobPod::name);

    private static Instant orEpoch(@Nullable Instant time) {
        return time == null ? Instant.EPOCH : time;
    }

    private static int phaseOrder(String phase) {
        return switch (phase) {
            case "Running" -> 2;
            case "Unknown" -> 1;
            default -> 0;
        };
    }

    /** Pods of other controllers never are a job's. */
    static boolean mayBe(ObjectNode pod) {
        PodState.OwnerRef owner = PodState.OwnerRef.of(pod);
        return owner == null || isJob(owner);
    }

    static JobPod of(ObjectNode pod) {
        return new JobPod(
                PodState.of(pod),
                number(pod, INDEX, NO_INDEX),
                Objects.finalizers(pod).contains(FINALIZER),
                number(pod, FAILURES, 0),
                number(pod, IGNORED, 0),
                finished(pod),
                restarts(pod),
                exits(pod),
                conditions(pod));
    }

    static boolean isJob(PodState.OwnerRef owner) {
        return owner.kind().equals("Job") && owner.apiVersion().equals("batch/v1");
    }

    private static int number(ObjectNode pod, String annotation, int otherwise) {
        try {
            int number = Integer.parseInt(Json.textAt(pod, "metadata", "annotations", annotation));
            return number < 0 ? otherwise : number;
        } catch (NumberFormatException e) {
            return otherwise;
        }
    }

    /** By its containers; else since when it is not ready, else when its end was wanted, else when it began. */
    private static Instant finished(ObjectNode pod) {
        Instant last = lastContainerEnd(pod);
        if (last != null) {
            return last;
        }
        for (JsonNode condition : Json.listAt(pod, "status", "conditions")) {
            String since = Json.textAt(condition, "lastTransitionTime");
            if (Json.textAt(condition, "type").equals("Ready")
                    && Json.textAt(condition, "status").equals("False")
                    && !since.isEmpty()) {
                return PodState.time(since);
            }
        }
        String deletion = Json.textAt(pod, "metadata", "deletionTimestamp");
        if (!deletion.isEmpty()) {
            return PodState.time(deletion).minusSeconds(Json.longAt(pod, 0, "metadata", "deletionGracePeriodSeconds"));
        }
        return PodState.time(Json.textAt(pod, "metadata", "creationTimestamp"));
    }

    private static @Nullable Instant lastContainerEnd(ObjectNode pod) {
        Instant last = null;
        for (JsonNode container : Json.listAt(pod, "status", "containerStatuses")) {
            String end = Json.textAt(container, "state", "terminated", "finishedAt");
            if (end.isEmpty()) {
                return null;
            }
            Instant time = PodState.time(end);
            last = last == null || last.isBefore(time) ? time : last;
        }
        return last;
    }

    private static long restarts(ObjectNode pod) {
        long sum = 0;
        for (String list : List.of("initContainerStatuses", "containerStatuses")) {
            for (JsonNode container : Json.listAt(pod, "status", list)) {
                sum += Json.longAt(container, 0, "restartCount");
            }
        }
        return sum;
    }

    private static List<Exit> exits(ObjectNode pod) {
        List<Exit> exits = new ArrayList<>();
        for (String list : List.of("containerStatuses", "initContainerStatuses")) {
            for (JsonNode container : Json.listAt(pod, "status", list)) {
                long code = Json.longAt(container, 0, "state", "terminated", "exitCode");
                if (code != 0) {
                    exits.add(new Exit(Json.textAt(container, "name"), code));
                }
            }
        }
        return List.copyOf(exits);
    }

    private static List<Condition> conditions(ObjectNode pod) {
        List<Condition> conditions = new ArrayList<>();
        for (JsonNode condition : Json.listAt(pod, "status", "conditions")) {
            conditions.add(new Condition(Json.textAt(condition, "type"), Json.textAt(condition, "status")));
        }
        return List.copyOf(conditions);
    }

    /** Words under which a mirror finds pods: of a job, of whatever job has a name, the orphans of a namespace. */
    List<String> words() {
        PodState.OwnerRef owner = state.owner();
        return owner == null
                ? List.of(PodState.orphansOf(state.namespace()))
                : List.of(owner.uid(), ofJobNamed(state.namespace(), owner.name()));
    }

    static String ofJobNamed(String namespace, String name) {
        return "of " + namespace + "/" + name;
    }

    String name() {
        return state.name();
    }

    String uid() {
        return state.uid();
    }

    boolean hasIndexBelow(int limit) {
        return index != NO_INDEX && index < limit;
    }

    boolean isSucceeded() {
        return state.phase().equals("Succeeded");
    }

    boolean isTerminating() {
        return state.deleting() && !state.isFinished();
    }

    /** All failures of its index before it, counted or not. */
    int allFailuresBefore() {
        return failuresBefore + ignoredBefore;
    }

    /** As it will be once its deletion is seen. */
    JobPod deleting() {
        return state.deleting() ? this : with(state.whenDeleting(), tracked);
    }

    JobPod tracked(boolean now) {
        return now == tracked ? this : with(state, now);
    }

    private JobPod with(PodState newState, boolean newTracked) {
        return new JobPod(
                newState, index, newTracked, failuresBefore, ignoredBefore, finished, restarts, exits, conditions);
    }
}
