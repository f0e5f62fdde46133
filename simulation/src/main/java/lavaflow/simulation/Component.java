package lavaflow.simulation;

import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;

/** What runs inside a process: moved along step by step, lost when the process ends. */
interface Component {
    /** So much is never to be done at one moment. */
    int TOO_MUCH = 100_000;

    /** Takes in some of what happened and does one piece of work, if there is any. */
    void step(RandomGenerator random);

    /** Takes in all there is and does all that can be done now; false if there was nothing to do. */
    boolean catchUp();

    /** Does one thing after the other until there is nothing to do; false if there was nothing. Who never ends is found out. */
    static boolean exhaust(String who, BooleanSupplier work) {
        int done = 0;
        while (work.getAsBoolean()) {
            done++;
            Violation.unless(done < TOO_MUCH, () -> who + " works and works without a pause");
        }
        return done > 0;
    }
}
