package lavaflow.fairness;

import java.util.List;

/** Divides seats between levels in proportion to what they aim for, within their bounds. */
final class SeatAllocation {
    /** What a level needs and may have. */
    record Claim(double lower, double upper, double target) {}

    private static final double LEAST_TARGET = 0.001;
    private static final int STEPS = 100;

    private SeatAllocation() {}

    /** The allocations, which add up to the seats there are where bounds allow that. */
    static double[] divide(double seats, List<Claim> claims) {
        double low = 0;
        double high = 1;
        while (sum(high, claims) < seats && high < 1e9) {
            high *= 2;
        }
        for (int step = 0; step < STEPS; step++) {
            double middle = (low + high) / 2;
            if (sum(middle, claims) < seats) {
                low = middle;
            } else {
                high = middle;
            }
        }
        double fraction = high;
        return claims.stream().mapToDouble(claim -> share(fraction, claim)).toArray();
    }

    private static double sum(double fraction, List<Claim> claims) {
        return claims.stream().mapToDouble(claim -> share(fraction, claim)).sum();
    }

    private static double share(double fraction, Claim claim) {
        return Math.clamp(fraction * Math.max(LEAST_TARGET, claim.target()), claim.lower(), claim.upper());
    }
}
