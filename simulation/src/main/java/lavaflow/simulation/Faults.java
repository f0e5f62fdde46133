package lavaflow.simulation;

import java.util.random.RandomGenerator;

/**
 * How often something goes wrong, each between never (0) and always (1).
 *
 * @param refusal a request is not done: the server is busy
 * @param conflict a change is refused although nobody else changed the object
 * @param lostAnswer a request is done, and the answer does not arrive
 * @param crash the process ends after a request, before it can do anything else
 * @param lag a watch has news and does not tell all of it yet
 * @param broken a watch ends and everything is listed again
 */
record Faults(double refusal, double conflict, double lostAnswer, double crash, double lag, double broken) {
    static final Faults NONE = new Faults(0, 0, 0, 0, 0, 0);

    /** Some seeds are quiet in some respect: faults that always come together would hide each other. */
    static Faults of(RandomGenerator random) {
        return new Faults(
                some(random, 0.03),
                some(random, 0.05),
                some(random, 0.03),
                some(random, 0.01),
                some(random, 0.8),
                some(random, 0.02));
    }

    private static double some(RandomGenerator random, double most) {
        return random.nextInt(3) == 0 ? 0 : most * random.nextDouble();
    }
}
