package lavaflow.image;

import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * A member of an archive. Names are texts of which each character stands for one byte.
 *
 * @param size of the data that follows; zero for everything but files
 * @param target of links
 * @param attributes extended ones, by their full names
 */
record TarEntry(
        String name,
        Kind kind,
        int mode,
        long uid,
        long gid,
        long size,
        long seconds,
        int nanos,
        String target,
        int major,
        int minor,
        Map<String, byte[]> attributes) {
    enum Kind {
        FILE,
        DIRECTORY,
        HARD_LINK,
        SYMBOLIC_LINK,
        CHARACTER_DEVICE,
        BLOCK_DEVICE,
        PIPE
    }

    /** For messages. */
    String readableName() {
        return readable(name);
    }

    static String readable(String name) {
        String text = new String(name.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
        return text.length() > 200 ? text.substring(0, 200) + "..." : text;
    }
}
