package lavaflow.store;

/**
 * The store could not take a mutation: disk full, failed disk, too many waiting, or closed. Whether the mutation will be
 * found after a restart is not known, except for a refusal because of overload, which changed nothing.
 */
public final class StoreUnavailableException extends RuntimeException {

    public StoreUnavailableException(String message) {
        super(message);
    }

    public StoreUnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
