package lavaflow.cel;

/**
 * Counts the steps of an operation whose price does not grow with what it looks at. Values can share their parts, so a
 * few steps of an expression make a value that has more parts than can ever be visited.
 */
final class Work {
    /** More than any request can hold. */
    static final int MOST = 4_000_000;

    private static final int FREE = 1_000;

    private int steps;

    void step() {
        if (++steps > MOST) {
            throw new CelException("value is too large");
        }
    }

    /** What the steps cost beyond upstream's price: nothing for what rules really do. */
    long excess() {
        return steps <= FREE ? 0 : steps / FREE;
    }
}
