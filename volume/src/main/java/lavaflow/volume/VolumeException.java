package lavaflow.volume;

/** Why a volume cannot be had. */
public final class VolumeException extends Exception {
    private static final long serialVersionUID = 1;

    public VolumeException(String message) {
        super(message);
    }

    public VolumeException(String message, Throwable cause) {
        super(message, cause);
    }
}
