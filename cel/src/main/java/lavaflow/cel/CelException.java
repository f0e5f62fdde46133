package lavaflow.cel;

/** An error of the evaluated expression, with upstream's text. It is thrown often and caught soon, so it has no stack trace. */
public class CelException extends RuntimeException {
    public CelException(String message) {
        super(message, null, false, false);
    }

    public String text() {
        return String.valueOf(getMessage());
    }
}
