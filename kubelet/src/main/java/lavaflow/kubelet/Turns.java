package lavaflow.kubelet;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/** One turn at a time, for whoever asks, and at a moment if nobody does. */
final class Turns {
    private final String name;
    private final Surroundings around;
    private final Runnable turn;
    private final Consumer<RuntimeException> failed;
    private final AtomicInteger wishes = new AtomicInteger();
    private @Nullable Future<?> timer;

    Turns(String name, Surroundings around, Runnable turn, Consumer<RuntimeException> failed) {
        this.name = name;
        this.around = around;
        this.turn = turn;
        this.failed = failed;
    }

    /** Asks for a turn; many wishes at once are one. */
    void wake() {
        if (wishes.getAndIncrement() == 0) {
            Thread.ofVirtual().name(name).start(this::run);
        }
    }

    private void run() {
        int seen;
        do {
            seen = wishes.get();
            try {
                turn.run();
            } catch (RuntimeException e) {
                failed.accept(e);
            }
        } while (!wishes.compareAndSet(seen, 0));
    }

    /** Asks for one at the earlier of two moments, in place of what was asked for before; called by a turn. */
    void wakeAt(@Nullable Instant one, @Nullable Instant other) {
        Future<?> before = timer;
        if (before != null) {
            before.cancel(false);
            timer = null;
        }
        Instant at = earlier(one, other);
        if (at != null) {
            Duration left = Duration.between(around.clock().instant(), at);
            timer = around.timers().cancellable(left.plusMillis(1), this::wake);
        }
    }

    private static @Nullable Instant earlier(@Nullable Instant one, @Nullable Instant other) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return one.isBefore(other) ? one : other;
    }
}
