package lavaflow;

/** A command that cannot do what was asked; the message says what to do next. */
final class CommandFailure extends RuntimeException {
    private final int exitCode;

    CommandFailure(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    int exitCode() {
        return exitCode;
    }
}
