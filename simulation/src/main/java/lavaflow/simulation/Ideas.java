package lavaflow.simulation;

import java.util.List;

/** What people may do about one topic. */
interface Ideas {
    /** Puts there what the topic needs. */
    default void begin() {}

    /** Ideas, one as likely as the other. */
    List<Runnable> usual();

    /** Ideas that take pods or nodes away. */
    default List<Runnable> rough() {
        return List.of();
    }

    /** Puts everything right that keeps the cluster from coming to rest. */
    default void makeAmends() {}
}
