package lavaflow.kube;

/**
 * A body that cannot be decoded. The message is what upstream's decoder says, without the words the server puts around
 * it.
 *
 * <p>No stack trace: this is an answer to bad input, not a defect.
 */
public final class DecodingException extends Exception {
    private static final long serialVersionUID = 1;

    public DecodingException(String message) {
        super(message, null, false, false);
    }
}
