package lavaflow;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.function.IntConsumer;

import jdk.management.VirtualThreadSchedulerMXBean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lends virtual threads more threads to run on while some of them keep the others from their turn. With one for each processor,
 * what is to be done is done in the order in which it came, and soonest; but two long computations, or two pairs of threads that
 * keep waking each other, are enough to stop a server that has two. With more, the system shares the processors between all of them.
 */
final class Carriers implements Pulse.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(Carriers.class);
    private static final int MANY = 8;
    /** Beats in time before what was lent is taken back. */
    private static final int CALM = 120;

    private final int usual;
    private final IntConsumer parallelism;
    private boolean lent;
    private int calm;

    Carriers() {
        this(
                Integer.getInteger("jdk.virtualThreadScheduler.parallelism", MANY),
                count -> ManagementFactory.getPlatformMXBean(VirtualThreadSchedulerMXBean.class)
                        .setParallelism(count));
    }

    /**
     * Those of something else.
     *
     * @param usual how many there are when nothing is said
     */
    Carriers(int usual, IntConsumer parallelism) {
        this.usual = usual;
        this.parallelism = parallelism;
    }

    @Override
    public void late(Duration waited) {
        calm = 0;
        if (!lent && usual < MANY) {
            LOG.debug("Work waits for {} ms already, so {} threads carry it from now on", waited.toMillis(), MANY);
            lent = true;
            parallelism.accept(MANY);
        }
    }

    @Override
    public void began(Duration waited) {
        if (lent && ++calm >= CALM) {
            lent = false;
            parallelism.accept(usual);
        }
    }
}
