package lavaflow.kubelet;

import java.time.Duration;

/** A container could not be started: a word for its status, a sentence, and when to try again. */
final class StartFailure extends Exception {
    private static final long serialVersionUID = 1;
    static final Duration USUAL_PAUSE = Duration.ofSeconds(5);

    private final String reason;
    private final Duration retryAfter;

    StartFailure(String reason, String message) {
        this(reason, message, USUAL_PAUSE);
    }

    StartFailure(String reason, String message, Duration retryAfter) {
        super(message);
        this.reason = reason;
        this.retryAfter = retryAfter;
    }

    String reason() {
        return reason;
    }

    Duration retryAfter() {
        return retryAfter;
    }

    String text() {
        String message = getMessage();
        return message == null ? "" : message;
    }
}
