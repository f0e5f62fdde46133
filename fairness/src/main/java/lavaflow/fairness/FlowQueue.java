package lavaflow.fairness;

import java.util.ArrayDeque;

/** The requests of a few flows, first come first served. Guarded by its level's lock. */
final class FlowQueue {
    final ArrayDeque<Waiter> waiting = new ArrayDeque<>();
    int executing;
    int seatsExecuting;
    int seatsWaiting;
    /** Virtual time at which the next request of this queue would start in a perfectly fair world, in seat-nanoseconds. */
    double nextStart;

    boolean isIdle() {
        return waiting.isEmpty() && executing == 0;
    }

    /** A request that waits, and the thread that waits for it. */
    static final class Waiter {
        final FlowQueue queue;
        final FlowCounters counters;
        final int seats;
        final Thread thread = Thread.currentThread();
        volatile boolean admitted;

        Waiter(FlowQueue queue, FlowCounters counters, int seats) {
            this.queue = queue;
            this.counters = counters;
            this.seats = seats;
        }
    }
}
