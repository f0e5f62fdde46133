package lavaflow.store;

import java.io.IOException;
import java.nio.file.Path;

/** Data that was once safely on disk is damaged or missing. Nothing has been changed; the message says what to do. */
public final class CorruptStoreException extends IOException {

    CorruptStoreException(Path file, long offset, String damage) {
        super(file + " is damaged at offset " + offset + ": " + damage
                + ". Nothing was changed. Keep a copy of the directory, then restore a backup into an empty one,"
                + " or repair the disk and put the original file back.");
    }
}
