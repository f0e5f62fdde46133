package lavaflow.jobs;

import java.time.Instant;

/**
 * Something that happened and cannot be seen any more: a pod went, a gang fell apart.
 *
 * @param pod its name; empty where no pod is meant
 * @param podUid empty where no pod is meant
 * @param version of the Job when the pod was made, or when it happened to the gang
 * @param index of the pod in its task
 */
record Happening(
        JobEvent event,
        String task,
        String pod,
        String podUid,
        String partition,
        long version,
        long index,
        Instant when) {
    static Happening evicted(JobPod pod, Instant when) {
        return new Happening(
                JobEvent.POD_EVICTED,
                pod.task(),
                pod.name(),
                pod.uid(),
                pod.partition(),
                pod.version(),
                pod.index(),
                when);
    }

    /** The gang cannot be scheduled as a whole any more. */
    static Happening unknown(long version, Instant when) {
        return new Happening(JobEvent.UNKNOWN, "", "", "", "", version, -1, when);
    }
}
