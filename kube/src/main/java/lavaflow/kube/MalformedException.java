package lavaflow.kube;

/**
 * Text from outside that does not parse; the message is upstream's and goes to the client as it is.
 *
 * <p>No stack trace: this is an answer to bad input, not a defect.
 */
public final class MalformedException extends IllegalArgumentException {
    public MalformedException(String message) {
        super(message);
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
