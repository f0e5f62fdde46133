package lavaflow.audit;

import org.jspecify.annotations.Nullable;

/** The moments of a request at which an event can be written. */
public enum Stage {
    REQUEST_RECEIVED("RequestReceived"),
    /** Only of requests that stay open, such as watches: their answer begins long before it ends. */
    RESPONSE_STARTED("ResponseStarted"),
    RESPONSE_COMPLETE("ResponseComplete"),
    PANIC("Panic");

    private final String text;

    Stage(String text) {
        this.text = text;
    }

    /** As policies and events spell it. */
    public String text() {
        return text;
    }

    static @Nullable Stage find(String text) {
        for (Stage stage : values()) {
            if (stage.text.equals(text)) {
                return stage;
            }
        }
        return null;
    }
}
