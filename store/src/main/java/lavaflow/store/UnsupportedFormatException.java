package lavaflow.store;

import java.io.IOException;
import java.nio.file.Path;

/** A file was written by a newer version of this program. Nothing has been changed. */
public final class UnsupportedFormatException extends IOException {

    UnsupportedFormatException(Path file, int found, int supported) {
        super(file + " has format version " + found + ", this program reads up to version " + supported
                + ". Nothing was changed. Start the newer program that wrote it, or use another directory.");
    }
}
