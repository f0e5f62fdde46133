package lavaflow.cel;

import org.jspecify.annotations.Nullable;

/** A value that may be absent. */
public record CelOptional(@Nullable Object value) {
    public static final CelOptional NONE = new CelOptional(null);

    public static CelOptional of(Object value) {
        return new CelOptional(value);
    }

    public boolean isPresent() {
        return value != null;
    }
}
