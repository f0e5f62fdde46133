package lavaflow.fairness;

/** How many seats a level could have used, over time. Guarded by its level's lock. */
final class SeatDemand {
    /** The part of the old value that is kept in each period in which demand falls. */
    private static final double KEPT = 0.977;

    private long since;
    private int current;
    private double sum;
    private double sumOfSquares;
    private long watched;
    private int highest;
    private double smoothed;
    private double average;
    private double deviation;
    private int lastHighest;

    SeatDemand(long now) {
        since = now;
    }

    void set(int seats, long now) {
        advance(now);
        current = seats;
        highest = Math.max(highest, seats);
    }

    private void advance(long now) {
        long elapsed = Math.max(0, now - since);
        sum += (double) current * elapsed;
        sumOfSquares += (double) current * current * elapsed;
        watched += elapsed;
        since = now;
    }

    /** Ends a period; the answer follows rises at once and falls slowly. */
    double endPeriod(long now) {
        advance(now);
        average = watched == 0 ? current : sum / watched;
        double variance = watched == 0 ? 0 : Math.max(0, sumOfSquares / watched - average * average);
        deviation = Math.sqrt(variance);
        double envelope = average + deviation;
        smoothed = Math.max(envelope, KEPT * smoothed + (1 - KEPT) * envelope);
        lastHighest = highest;
        highest = current;
        sum = 0;
        sumOfSquares = 0;
        watched = 0;
        return smoothed;
    }

    double smoothed() {
        return smoothed;
    }

    double average() {
        return average;
    }

    double deviation() {
        return deviation;
    }

    int highest() {
        return lastHighest;
    }
}
