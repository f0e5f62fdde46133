package lavaflow.cel;

/** What a function does. The target of a member is its first argument. */
@FunctionalInterface
interface Implementation {
    Object call(Object[] args);
}
