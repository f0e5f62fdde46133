package lavaflow.volume;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/** Tells when something of a pod grows old. One virtual thread waits for all, from the first pod on. */
final class Renewals implements AutoCloseable {
    /** What could not be renewed is tried again so much later. */
    private static final Duration AGAIN = Duration.ofMinutes(1);

    private final InstantSource clock;
    private final Consumer<String> due;
    private final Map<String, Instant> times = new HashMap<>();
    private @Nullable Thread thread;
    private boolean closed;
    /** When the thread wakes by itself. */
    private Instant next = Instant.MAX;

    Renewals(InstantSource clock, Consumer<String> due) {
        this.clock = clock;
        this.due = due;
    }

    synchronized void at(String podUid, Instant time) {
        if (closed) {
            return;
        }
        times.put(podUid, time);
        if (thread == null) {
            thread = Thread.ofVirtual().name("volume-renewals").start(this::run);
        }
        // Who waits for an earlier time finds this one then; waking it for every pod is what costs.
        if (time.isBefore(next)) {
            notifyAll();
        }
    }

    synchronized void forget(String podUid) {
        times.remove(podUid);
    }

    private void run() {
        try {
            while (true) {
                List<String> pods = awaitDue();
                if (pods.isEmpty()) {
                    return;
                }
                pods.forEach(due);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /** Those whose time has come; none when closed. */
    private synchronized List<String> awaitDue() throws InterruptedException {
        while (!closed) {
            Instant now = clock.instant();
            List<String> pods = takeDue(now);
            if (!pods.isEmpty()) {
                return pods;
            }
            next = times.values().stream().min(Instant::compareTo).orElse(now.plus(Duration.ofDays(1)));
            wait(Math.max(1, Duration.between(now, next).toMillis() + 1));
        }
        return List.of();
    }

    /** Those whose time has come, in order; they are asked again later if nothing comes of it. */
    synchronized List<String> takeDue(Instant now) {
        List<String> pods = new ArrayList<>();
        times.forEach((pod, time) -> {
            if (!time.isAfter(now)) {
                pods.add(pod);
            }
        });
        pods.sort(null);
        pods.forEach(pod -> times.put(pod, now.plus(AGAIN)));
        return pods;
    }

    @Override
    public synchronized void close() {
        closed = true;
        times.clear();
        notifyAll();
    }
}
