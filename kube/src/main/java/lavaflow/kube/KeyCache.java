package lavaflow.kube;

import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

/**
 * Hands out one string per field name: the same few hundred names come in every document.
 *
 * <p>A fixed table that forgets; entries are immutable strings written without synchronisation, so the worst a race can
 * do is to make a string twice.
 */
final class KeyCache {
    private static final int SIZE = 4096;
    private static final int LONGEST = 64;
    private static final @Nullable String[] TABLE = new @Nullable String[SIZE];

    private KeyCache() {}

    /** The string of ASCII bytes whose hash, as {@link String#hashCode} computes it, is given. */
    static String key(byte[] bytes, int start, int end, int hash) {
        int length = end - start;
        if (length > LONGEST) {
            return new String(bytes, start, length, StandardCharsets.ISO_8859_1);
        }
        int slot = (hash ^ (hash >>> 12)) & (SIZE - 1);
        String known = TABLE[slot];
        if (known != null && known.length() == length && known.hashCode() == hash && matches(known, bytes, start)) {
            return known;
        }
        String made = new String(bytes, start, length, StandardCharsets.ISO_8859_1);
        TABLE[slot] = made;
        return made;
    }

    private static boolean matches(String known, byte[] bytes, int start) {
        for (int i = 0; i < known.length(); i++) {
            if (known.charAt(i) != bytes[start + i]) {
                return false;
            }
        }
        return true;
    }
}
