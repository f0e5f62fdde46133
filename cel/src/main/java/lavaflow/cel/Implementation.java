package lavaflow.cel;

/** What a function does. The target of a member is its first argument. */
@FunctionalInterface
interface Implementation {
    Object call(Object[] args);

    /** A function whose steps are counted. */
    @FunctionalInterface
    interface Counted extends Implementation {
        Object call(Object[] args, Work work);

        @Override
        default Object call(Object[] args) {
            return call(args, new Work());
        }
    }
}
