package lavaflow.kubelet;

import java.time.Duration;
import java.time.Instant;

/**
 * What a node is short of, or was a little while ago: one that was is not believed to be well at once, or pods would come back only
 * to be evicted again. Used by one thread.
 */
final class RecentPressure {
    private final Duration period;
    private Instant memory = Instant.MIN;
    private Instant disk = Instant.MIN;
    private Instant processes = Instant.MIN;

    /** @param period how long the node must have been well */
    RecentPressure(Duration period) {
        this.period = period;
    }

    /** What is to be told, with what it is short of now. */
    NodeForm.Pressure with(NodeForm.Pressure now, Instant at) {
        memory = now.memory() ? at : memory;
        disk = now.disk() ? at : disk;
        processes = now.pids() ? at : processes;
        return new NodeForm.Pressure(
                now.memory() || isRecent(memory, at),
                now.disk() || isRecent(disk, at),
                now.pids() || isRecent(processes, at));
    }

    private boolean isRecent(Instant then, Instant now) {
        return then.isAfter(now.minus(period));
    }
}
