package lavaflow.simulation;

/** Something that must be true whatever goes wrong. */
interface Invariant {
    /** Looks at one change; the observer knows the state after it and possibly after some more. */
    default void after(Observer.Change change, Observer observer) {}

    /** Looks at what somebody has just done, all changes of which were shown. */
    default void afterStep(Actor process, Observer observer) {}

    /** Looks at a cluster in which nothing has gone wrong for a while and nothing moves any more. */
    default void atRest(Observer observer) {}
}
