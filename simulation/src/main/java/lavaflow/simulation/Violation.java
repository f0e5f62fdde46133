package lavaflow.simulation;

import java.util.function.Supplier;

/** Something is true that must not be. */
final class Violation extends RuntimeException {
    private static final long serialVersionUID = 1;

    Violation(String message) {
        super(message);
    }

    static void unless(boolean fine, Supplier<String> message) {
        if (!fine) {
            throw new Violation(message.get());
        }
    }
}
