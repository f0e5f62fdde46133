package lavaflow.store;

import java.io.IOException;
import java.nio.file.Path;

/** Data that was once safely on disk is damaged or missing. Nothing has been changed; the message says what to do. */
public final class CorruptStoreException extends IOException {

    private final String damage;

    CorruptStoreException(Path file, long offset, String damage) {
        this(
                file + " is damaged at offset " + offset + ": " + damage,
                "Keep a copy of the directory, then restore a backup into an empty one,"
                        + " or repair the disk and put the original file back.");
    }

    private CorruptStoreException(String damage, String advice) {
        super(damage + ". Nothing was changed. " + advice);
        this.damage = damage;
    }

    /** The same damage, met in a backup. */
    CorruptStoreException inBackup() {
        return new CorruptStoreException(damage, "Use another backup.");
    }
}
