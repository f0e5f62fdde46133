package lavaflow.node;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * How far a pod is on its node.
 *
 * @param seen when the node first heard of it
 * @param startTime when the node took it in; null before
 * @param sandbox it has an address and its containers may start
 * @param stopping its containers were told to end
 * @param end why the pod is over although its containers did not simply end; null if it is not
 */
record PodRun(
        Instant seen,
        @Nullable Instant startTime,
        boolean sandbox,
        List<ContainerRun> inits,
        List<ContainerRun> mains,
        boolean stopping,
        @Nullable End end) {
    /** A failure of the whole pod. */
    record End(String reason, String message) {}

    static PodRun begin(SimPod pod, Instant now) {
        return new PodRun(
                now,
                null,
                false,
                pod.inits().stream()
                        .map(each -> ContainerRun.waiting(each.name()))
                        .toList(),
                pod.mains().stream()
                        .map(each -> ContainerRun.waiting(each.name()))
                        .toList(),
                false,
                null);
    }

    PodRun started(Instant at) {
        return new PodRun(seen, at, sandbox, inits, mains, stopping, end);
    }

    PodRun inSandbox() {
        return new PodRun(seen, startTime, true, inits, mains, stopping, end);
    }

    PodRun with(List<ContainerRun> newInits, List<ContainerRun> newMains) {
        return new PodRun(seen, startTime, sandbox, List.copyOf(newInits), List.copyOf(newMains), stopping, end);
    }

    PodRun toldToStop() {
        return new PodRun(seen, startTime, sandbox, inits, mains, true, end);
    }

    PodRun ended(String reason, String message) {
        return new PodRun(seen, startTime, sandbox, inits, mains, stopping, new End(reason, message));
    }
}
