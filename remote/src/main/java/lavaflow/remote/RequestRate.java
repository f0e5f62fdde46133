package lavaflow.remote;

import java.util.function.LongSupplier;

/** How many requests may go out: so many a second, and a burst of them after a quiet time. Thread-safe. */
final class RequestRate {
    private final double perNano;
    private final int burst;
    private final LongSupplier nanoTime;
    private double left;
    private long since;

    RequestRate(double perSecond, int burst, LongSupplier nanoTime) {
        this.perNano = perSecond / 1e9;
        this.burst = burst;
        this.nanoTime = nanoTime;
        this.left = burst;
        this.since = nanoTime.getAsLong();
    }

    /** Takes the next turn, which those who ask later cannot have; returns how long to wait for it. */
    synchronized long takeTurn() {
        long now = nanoTime.getAsLong();
        left = Math.min(burst, left + (now - since) * perNano) - 1;
        since = now;
        return left >= 0 ? 0 : (long) (-left / perNano);
    }
}
