package lavaflow.apiserver;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

/**
 * Rings when a time has come, for many sleepers by one thread. A watch sets its alarm anew with every event and hardly ever lets it ring; a
 * timed wait each would cost more than the event.
 *
 * <p>An alarm rings up to {@link #COARSE} late, never early. The thread exists while there are alarms.
 */
final class Alarms implements AutoCloseable {
    private static final Duration COARSE = Duration.ofMillis(20);
    private static final long FAR = Duration.ofDays(1).toNanos();

    private final Set<Alarm> alarms = ConcurrentHashMap.newKeySet();
    private final AtomicLong nextLook = new AtomicLong();
    private @Nullable Thread thread;
    private volatile boolean closed;

    /** One sleeper's alarm, off until it is set. */
    final class Alarm implements AutoCloseable {
        private final Runnable ring;
        private final AtomicLong due = new AtomicLong(System.nanoTime() + FAR);

        private Alarm(Runnable ring) {
            this.ring = ring;
        }

        /** Rings once at a time of {@link System#nanoTime()}, instead of at the time set before. */
        void set(long nanos) {
            due.set(nanos);
            if (nanos - nextLook.get() < 0) {
                lookSooner();
            }
        }

        private long ringIfDue(long now) {
            long at = due.get();
            // Who sets a new time meanwhile is awake and needs no ring.
            if (at - now <= 0 && due.compareAndSet(at, now + FAR)) {
                ring.run();
            }
            return due.get();
        }

        @Override
        public void close() {
            alarms.remove(this);
        }
    }

    Alarm add(Runnable ring) {
        Alarm alarm = new Alarm(ring);
        alarms.add(alarm);
        synchronized (this) {
            if (thread == null && !closed) {
                nextLook.set(System.nanoTime());
                thread = Thread.ofVirtual().name("watch-alarms").start(this::run);
            }
        }
        return alarm;
    }

    private synchronized void lookSooner() {
        LockSupport.unpark(thread);
    }

    private void run() {
        try {
            while (!closed && !ended()) {
                long rest = look() - System.nanoTime();
                if (rest > 0 && !closed) {
                    LockSupport.parkNanos(this, rest);
                }
                Thread.sleep(COARSE); // many alarms ring in one go; a call for an earlier look is not lost by sleeping
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Rings what is due; returns when to look next. */
    private long look() {
        long now = System.nanoTime();
        // While the next look is far away, every alarm that is set asks for another one, and none is overlooked.
        nextLook.set(now + FAR);
        long earliest = now + FAR;
        for (Alarm alarm : alarms) {
            long due = alarm.ringIfDue(now);
            earliest = due - earliest < 0 ? due : earliest;
        }
        nextLook.set(earliest);
        return earliest;
    }

    private synchronized boolean ended() {
        if (alarms.isEmpty()) {
            thread = null;
            return true;
        }
        return false;
    }

    @Override
    public synchronized void close() {
        closed = true;
        LockSupport.unpark(thread);
    }
}
