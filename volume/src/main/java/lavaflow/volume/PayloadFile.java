package lavaflow.volume;

import org.jspecify.annotations.Nullable;

/** A file of a volume that is made of objects. */
final class PayloadFile {
    private final byte[] content;
    private final int mode;
    private final @Nullable Long user;

    /** @param user who owns it; null for whoever runs the node */
    PayloadFile(byte[] content, int mode, @Nullable Long user) {
        this.content = content;
        this.mode = mode;
        this.user = user;
    }

    byte[] content() {
        return content;
    }

    int mode() {
        return mode;
    }

    @Nullable
    Long user() {
        return user;
    }
}
