package lavaflow.simulation;

import java.util.random.RandomGenerator;

/**
 * How often each {@link Fault} of a process and its requests happens, each between never (0) and always (1).
 *
 * @param crash after a change; less often before one, and seldom before a question
 */
record Faults(
        double refusal, double conflict, double lostAnswer, double crash, double lag, double broken, double stale) {
    static final Faults NONE = new Faults(0, 0, 0, 0, 0, 0, 0);

    /** Some seeds are quiet in some respect: faults that always come together would hide each other. */
    static Faults of(RandomGenerator random) {
        return new Faults(
                some(random, 0.03),
                some(random, 0.05),
                some(random, 0.03),
                some(random, 0.01),
                some(random, 0.8),
                some(random, 0.02),
                some(random, 0.8));
    }

    private static double some(RandomGenerator random, double most) {
        return random.nextInt(3) == 0 ? 0 : most * random.nextDouble();
    }

    double crashBeforeChange() {
        return crash / 2;
    }

    double crashBeforeQuestion() {
        return crash / 20;
    }
}
