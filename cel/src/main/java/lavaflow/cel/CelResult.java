package lavaflow.cel;

/** What came of an evaluation. */
public sealed interface CelResult {
    /** What it cost, also where it failed. */
    long cost();

    /**
     * A value: Boolean, Long, Double, String, {@link CelMap}, {@link CelList}, ... ({@link CelValues} lists them all and turns them into JSON).
     */
    record Value(Object value, long cost) implements CelResult {}

    /** An error, with upstream's text. */
    record Failure(String message, boolean budgetExceeded, long cost) implements CelResult {}

    default boolean isTrue() {
        return this instanceof Value value && Boolean.TRUE.equals(value.value());
    }
}
