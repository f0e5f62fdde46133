package lavaflow.simulation;

import java.util.random.RandomGenerator;

/** What runs inside a process: moved along step by step, lost when the process ends. */
interface Component {
    /** Takes in some of what happened and does one piece of work, if there is any. */
    void step(RandomGenerator random);

    /** Takes in all there is and does all that can be done now; false if there was nothing to do. */
    boolean catchUp();
}
