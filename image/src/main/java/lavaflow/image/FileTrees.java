package lavaflow.image;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

import lavaflow.linux.FileTree;

/** Whole directories. */
final class FileTrees {
    private FileTrees() {}

    /** The path of a name whose characters stand for bytes; texts are no way to it where the language settings are plain. */
    static Path path(String name) {
        StringBuilder uri = new StringBuilder("file://");
        for (byte b : name.getBytes(StandardCharsets.ISO_8859_1)) {
            boolean plain = (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') || (b >= '0' && b <= '9') || b == '/';
            uri.append(plain ? String.valueOf((char) b) : String.format("%%%02X", b & 0xff));
        }
        return Path.of(URI.create(uri.toString()));
    }

    /** Deletes a tree without following links and without leaving its file system: what is mounted in it is not ours. */
    static void delete(Path root) throws IOException {
        FileTree.delete(root);
    }

    /** Bytes a tree takes on disk. */
    static long size(Path root) {
        return FileTree.measure(root, Long.MAX_VALUE).bytes();
    }

    /** A size in whole blocks of a usual file system. */
    static long rounded(long bytes) {
        return (bytes + 4095) & ~4095L;
    }
}
