package lavaflow.apiserver;

/** A webhook that could not be asked, or did not answer as one. The message reads as upstream's does. */
public final class WebhookFailure extends Exception {
    private static final long serialVersionUID = 1L;

    private final int code;

    public WebhookFailure(String message, int code) {
        super(message);
        this.code = code;
    }

    /** The HTTP status the webhook answered with, 0 where it did not get that far. */
    public int code() {
        return code;
    }

    public String text() {
        return String.valueOf(getMessage());
    }
}
