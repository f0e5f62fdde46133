package lavaflow.gang;

/** Stands beside the work of rounds, for example with a stopwatch, which the core does not have. */
public interface Onlooker {
    /** What is done in a round. */
    enum Part {
        /** All of it before the first action. */
        OPEN,
        /** One plugin before the first action. */
        PLUGIN_OPEN,
        ACTION,
        /** One plugin after the last. */
        PLUGIN_CLOSE
    }

    /** Nobody looks. */
    Onlooker NOBODY = (_, _, work) -> work.run();

    /**
     * Has some work done.
     *
     * @param name of the action or plugin, if it is one
     */
    void during(Part part, String name, Runnable work);
}
