package lavaflow.image;

/** Why an image cannot be had, in words that say what to do. */
public final class ImageException extends Exception {
    private static final long serialVersionUID = 1;

    /** As the reasons of waiting containers tell them apart. */
    public enum Kind {
        INVALID_NAME,
        NOT_FOUND,
        UNREACHABLE,
        DENIED,
        DAMAGED,
        TOO_LARGE
    }

    private final Kind kind;

    public ImageException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    public ImageException(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}
