package lavaflow.jobs;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;

import lavaflow.kube.GoTime;
import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What matters of a pod of a Job.
 *
 * @param index among the pods of its task; negative where it does not say
 * @param version of the Job when the pod was made
 * @param partition the part of its task it is in; empty without parts
 * @param placed whether it has a node
 * @param ready whether it runs with all its containers ready
 * @param condemned marked to be ended by this controller
 * @param exitCode of its first container; null while that has not ended
 * @param restarts of all its containers
 * @param finished when its last container ended; null while one has not
 */
record JobPod(
        String namespace,
        String name,
        String uid,
        String job,
        String jobUid,
        String task,
        long index,
        long version,
        String partition,
        String phase,
        boolean placed,
        boolean ready,
        boolean deleting,
        boolean condemned,
        @Nullable Long exitCode,
        long restarts,
        Instant created,
        @Nullable Instant finished) {
    static final Comparator<JobPod> BY_PLACE =
            Comparator.comparing(JobPod::task).thenComparingLong(JobPod::index).thenComparing(JobPod::name);

    static boolean mayBe(ObjectNode pod) {
        return owner(pod) != null;
    }

    private static @Nullable JsonNode owner(ObjectNode pod) {
        for (JsonNode owner : Json.listAt(pod, "metadata", "ownerReferences")) {
            if (Json.flagAt(owner, "controller")
                    && Json.textAt(owner, "kind").equals("Job")
                    && Json.textAt(owner, "apiVersion").startsWith(Volcano.GROUP + "/")) {
                return owner;
            }
        }
        return null;
    }

    /** Null for a pod of somebody else. */
    static @Nullable JobPod of(ObjectNode pod) {
        JsonNode owner = owner(pod);
        if (owner == null) {
            return null;
        }
        String phase = Json.textAt(pod, "status", "phase");
        JsonNode first = Json.listAt(pod, "status", "containerStatuses").path(0);
        JsonNode code = Json.at(first, "state", "terminated", "exitCode");
        return new JobPod(
                Json.textAt(pod, "metadata", "namespace"),
                Json.textAt(pod, "metadata", "name"),
                Json.textAt(pod, "metadata", "uid"),
                Json.textAt(owner, "name"),
                Json.textAt(owner, "uid"),
                annotation(pod, Volcano.TASK_SPEC),
                number(annotation(pod, Volcano.TASK_INDEX), -1),
                number(annotation(pod, Volcano.JOB_VERSION), 0),
                Json.textAt(pod, "metadata", "labels", Volcano.PARTITION),
                phase.isEmpty() ? "Pending" : phase,
                !Json.textAt(pod, "spec", "nodeName").isEmpty(),
                phase.equals("Running") && isReady(pod),
                Json.at(pod, "metadata", "deletionTimestamp") != null,
                annotation(pod, Volcano.OUT_OF_SYNC).equals("true"),
                code == null ? null : code.asLong(),
                restarts(pod),
                time(Json.textAt(pod, "metadata", "creationTimestamp")),
                finished(pod));
    }

    private static String annotation(ObjectNode pod, String key) {
        return Json.textAt(pod, "metadata", "annotations", key);
    }

    private static long number(String text, long absent) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException _) {
            return absent;
        }
    }

    static Instant time(String text) {
        try {
            return text.isEmpty() ? Instant.EPOCH : GoTime.parseSeconds(text);
        } catch (MalformedException _) {
            return Instant.EPOCH;
        }
    }

    private static boolean isReady(ObjectNode pod) {
        for (JsonNode container : Json.listAt(pod, "status", "containerStatuses")) {
            if (!Json.flagAt(container, "ready")) {
                return false;
            }
        }
        return true;
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

    private static @Nullable Instant finished(ObjectNode pod) {
        Instant last = null;
        for (JsonNode container : Json.listAt(pod, "status", "containerStatuses")) {
            String said = Json.textAt(container, "state", "terminated", "finishedAt");
            if (said.isEmpty()) {
                return null;
            }
            Instant end = time(said);
            last = last == null || end.isAfter(last) ? end : last;
        }
        return last;
    }

    /** Words under which a mirror finds pods. */
    List<String> words() {
        return List.of(jobUid);
    }

    /** As it will be once its deletion is seen. */
    JobPod whenDeleting() {
        return new JobPod(
                namespace, name, uid, job, jobUid, task, index, version, partition, phase, placed, ready, true,
                condemned, exitCode, restarts, created, finished);
    }

    boolean isFinished() {
        return isSucceeded() || isFailed();
    }

    boolean isFailed() {
        return phase.equals("Failed");
    }

    boolean isSucceeded() {
        return phase.equals("Succeeded");
    }
}
