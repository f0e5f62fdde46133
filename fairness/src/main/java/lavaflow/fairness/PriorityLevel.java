package lavaflow.fairness;

import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * The requests of one level: those that run, and those that wait in its queues.
 *
 * <p>Fair queuing in virtual time, as upstream does it: every queue in use is owed the same number of seats; the queue whose
 * next request would end first in that fair world goes next, and what a request really took is charged to its queue when it
 * ends. A wide request is not overtaken by narrow ones, or it would never run.
 */
final class PriorityLevel {
    /** What a request is taken to need until it has ended. */
    private static final double ESTIMATED_NANOS = 3_000_000;

    /** How often to look whether somebody who waits has left: over HTTP/1.1 nothing but looking tells. */
    private static final long LOOK_NANOS = 250_000_000;

    /** How long a request waits at most, and whether its asker still does. */
    record Patience(long mostNanos, BooleanSupplier gone) {}

    private final ReentrantLock lock = new ReentrantLock();
    private final LongSupplier nanos;
    private final SeatDemand demand;
    private volatile LevelSettings settings;
    private volatile SeatLimits limits = new SeatLimits(0, 0, 0);
    private volatile int limit;
    private FlowQueue[] queues;
    private int executing;
    private int seatsInUse;
    private int seatsWaiting;
    private int robin;
    private double virtualTime;
    private long lastTime;

    PriorityLevel(LevelSettings settings, LongSupplier nanos) {
        this.settings = settings;
        this.nanos = nanos;
        this.lastTime = nanos.getAsLong();
        this.demand = new SeatDemand(lastTime);
        this.queues = queues(settings.queues());
    }

    private static FlowQueue[] queues(int count) {
        FlowQueue[] queues = new FlowQueue[Math.max(1, count)];
        java.util.Arrays.setAll(queues, _ -> new FlowQueue());
        return queues;
    }

    LevelSettings settings() {
        return settings;
    }

    SeatLimits limits() {
        return limits;
    }

    int limit() {
        return limit;
    }

    /** Takes over new settings. Requests that wait stay where they are: queues taken away are served until they are empty. */
    void configure(LevelSettings changed, SeatLimits newLimits) {
        lock.lock();
        try {
            int wanted = Math.max(1, changed.queues());
            if (wanted > queues.length) {
                FlowQueue[] more = queues(wanted);
                System.arraycopy(queues, 0, more, 0, queues.length);
                queues = more;
            }
            settings = changed;
            if (!limits.equals(newLimits)) {
                limits = newLimits;
                limit = newLimits.nominal();
            }
            dispatch(nanos.getAsLong());
        } finally {
            lock.unlock();
        }
    }

    /** Sets how many seats there are until the next adjustment. */
    void setLimit(int seats) {
        lock.lock();
        try {
            limit = seats;
            dispatch(nanos.getAsLong());
        } finally {
            lock.unlock();
        }
    }

    double endPeriod() {
        lock.lock();
        try {
            return demand.endPeriod(nanos.getAsLong());
        } finally {
            lock.unlock();
        }
    }

    SeatDemand demand() {
        return demand;
    }

    /**
     * Waits until the request may run.
     *
     * @return null when it may run; else why not
     */
    Admission.@Nullable Reason enter(FlowCounters counters, String flow, int seats, Patience patience, Holder holder) {
        FlowQueue.Waiter waiter;
        LevelSettings current = settings;
        lock.lock();
        try {
            long now = nanos.getAsLong();
            if (current.exempt()) {
                run(queues[0], seats, now);
                holder.queue = queues[0];
                counters.started(seats);
                return null;
            }
            FlowQueue queue = current.queues() == 0 ? queues[0] : choose(counters.schema, flow, current);
            holder.queue = queue;
            advance(now);
            if (queue.isIdle()) {
                queue.nextStart = virtualTime;
            }
            if (seatsWaiting == 0 && fits(seats)) {
                queue.nextStart += ESTIMATED_NANOS * seats;
                run(queue, seats, now);
                counters.started(seats);
                return null;
            }
            if (current.queues() == 0) {
                return Admission.Reason.CONCURRENCY_LIMIT;
            }
            if (queue.waiting.size() >= current.queueLength()) {
                return Admission.Reason.QUEUE_FULL;
            }
            waiter = new FlowQueue.Waiter(queue, counters, seats);
            queue.waiting.add(waiter);
            queue.seatsWaiting += seats;
            seatsWaiting += seats;
            counters.queued(seats);
            demand.set(seatsInUse + seatsWaiting, now);
            dispatch(now);
        } finally {
            lock.unlock();
        }
        return await(waiter, patience);
    }

    private FlowQueue choose(String schema, String flow, LevelSettings current) {
        FlowQueue best = queues[0];
        double least = Double.MAX_VALUE;
        for (int index : ShuffleSharding.hand(schema, flow, current.queues(), current.handSize())) {
            FlowQueue queue = queues[index];
            double load = queue.seatsWaiting * ESTIMATED_NANOS + queue.seatsExecuting * ESTIMATED_NANOS / 2;
            if (load < least) {
                least = load;
                best = queue;
            }
        }
        return best;
    }

    private Admission.@Nullable Reason await(FlowQueue.Waiter waiter, Patience patience) {
        long deadline = System.nanoTime() + patience.mostNanos();
        boolean interrupted = false;
        while (!waiter.admitted) {
            long remaining = deadline - System.nanoTime();
            boolean gone = interrupted || patience.gone().getAsBoolean();
            if (remaining <= 0 || gone) {
                if (withdraw(waiter)) {
                    if (interrupted) {
                        Thread.currentThread().interrupt();
                    }
                    return gone ? Admission.Reason.CANCELLED : Admission.Reason.TIME_OUT;
                }
                break;
            }
            LockSupport.parkNanos(this, Math.min(remaining, LOOK_NANOS));
            interrupted |= Thread.interrupted();
        }
        return null;
    }

    /** Stops waiting; false where it was admitted meanwhile. */
    private boolean withdraw(FlowQueue.Waiter waiter) {
        lock.lock();
        try {
            if (waiter.admitted) {
                return false;
            }
            waiter.queue.waiting.remove(waiter);
            unqueue(waiter);
            long now = nanos.getAsLong();
            demand.set(seatsInUse + seatsWaiting, now);
            dispatch(now);
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void unqueue(FlowQueue.Waiter waiter) {
        waiter.queue.seatsWaiting -= waiter.seats;
        seatsWaiting -= waiter.seats;
        waiter.counters.unqueued(waiter.seats);
    }

    /** Gives seats back and lets others run. */
    void leave(FlowQueue queue, int seats, long tookNanos) {
        lock.lock();
        try {
            long now = nanos.getAsLong();
            advance(now);
            queue.executing--;
            queue.seatsExecuting -= seats;
            executing--;
            seatsInUse -= seats;
            queue.nextStart -= (ESTIMATED_NANOS - tookNanos) * seats;
            demand.set(seatsInUse + seatsWaiting, now);
            dispatch(now);
        } finally {
            lock.unlock();
        }
    }

    /** Moves virtual time on: the more queues share the seats, the slower it goes. */
    private void advance(long now) {
        long elapsed = now - lastTime;
        lastTime = now;
        if (elapsed <= 0 || seatsInUse + seatsWaiting == 0) {
            return;
        }
        int busy = 0;
        for (FlowQueue queue : queues) {
            busy += queue.isIdle() ? 0 : 1;
        }
        if (busy > 0) {
            int seats = Math.min(seatsInUse + seatsWaiting, Math.max(1, limit));
            virtualTime += (double) elapsed * seats / busy;
        }
    }

    private boolean fits(int seats) {
        // A request wider than the level, or any request of a level without seats, runs alone.
        return seats > limit ? executing == 0 : seatsInUse + seats <= limit;
    }

    private void dispatch(long now) {
        if (seatsWaiting == 0) {
            return;
        }
        advance(now);
        while (seatsWaiting > 0) {
            FlowQueue queue = next();
            FlowQueue.Waiter waiter = queue == null ? null : queue.waiting.peek();
            if (queue == null || waiter == null || !fits(waiter.seats)) {
                return;
            }
            queue.waiting.poll();
            unqueue(waiter);
            queue.nextStart += ESTIMATED_NANOS * waiter.seats;
            run(queue, waiter.seats, now);
            waiter.counters.started(waiter.seats);
            waiter.admitted = true;
            LockSupport.unpark(waiter.thread);
        }
    }

    /** The queue whose next request would end first; in turns where several would. */
    private @Nullable FlowQueue next() {
        FlowQueue best = null;
        int bestIndex = robin;
        double earliest = Double.MAX_VALUE;
        for (int step = 1; step <= queues.length; step++) {
            int index = (robin + step) % queues.length;
            FlowQueue.Waiter waiter = queues[index].waiting.peek();
            if (waiter == null) {
                continue;
            }
            double end = queues[index].nextStart + ESTIMATED_NANOS * waiter.seats;
            if (end < earliest) {
                earliest = end;
                best = queues[index];
                bestIndex = index;
            }
        }
        robin = bestIndex;
        return best;
    }

    private void run(FlowQueue queue, int seats, long now) {
        queue.executing++;
        queue.seatsExecuting += seats;
        executing++;
        seatsInUse += seats;
        demand.set(seatsInUse + seatsWaiting, now);
    }

    /** Tells the caller of {@link #enter} which queue to leave. */
    static final class Holder {
        @Nullable
        FlowQueue queue;
    }
}
