package lavaflow.audit;

import org.jspecify.annotations.Nullable;

/** How much of a request is written down; each level includes the one before. */
public enum Level {
    NONE("None"),
    METADATA("Metadata"),
    REQUEST("Request"),
    REQUEST_RESPONSE("RequestResponse");

    private final String text;

    Level(String text) {
        this.text = text;
    }

    /** As policies and events spell it. */
    public String text() {
        return text;
    }

    static @Nullable Level find(String text) {
        for (Level level : values()) {
            if (level.text.equals(text)) {
                return level;
            }
        }
        return null;
    }

    boolean covers(Level other) {
        return compareTo(other) >= 0;
    }
}
