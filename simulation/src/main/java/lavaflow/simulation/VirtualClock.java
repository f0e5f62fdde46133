package lavaflow.simulation;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;

/** Time that passes only when the simulation says so. */
final class VirtualClock implements InstantSource {
    static final Instant START = Instant.parse("2030-01-02T03:04:05Z");

    private final AtomicLong nanos = new AtomicLong();

    @Override
    public Instant instant() {
        return START.plusNanos(nanos.get());
    }

    long nanoTime() {
        return nanos.get();
    }

    void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    /** Since the beginning. */
    Duration elapsed() {
        return Duration.ofNanos(nanos.get());
    }
}
