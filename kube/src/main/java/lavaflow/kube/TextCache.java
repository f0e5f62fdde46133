package lavaflow.kube;

import java.nio.charset.StandardCharsets;

import com.fasterxml.jackson.databind.node.TextNode;
import org.jspecify.annotations.Nullable;

/**
 * Hands out one node per short text: the same few hundred names, and words such as {@code True}, {@code Ready} or the second in which much
 * happened, come in every document.
 *
 * <p>A fixed table that forgets; nodes never change and are written without synchronisation, so the worst a race can do is to make
 * a text twice.
 */
final class TextCache {
    private static final int SIZE = 4096;

    /** Names of members. */
    static final TextCache NAMES = new TextCache(64);
    /** Values; a uid is too long, as few come again. */
    static final TextCache VALUES = new TextCache(32);

    private final @Nullable TextNode[] table = new @Nullable TextNode[SIZE];
    private final int longest;

    private TextCache(int longest) {
        this.longest = longest;
    }

    /** The text of ASCII bytes whose hash, as {@link String#hashCode} computes it, is given. */
    TextNode text(byte[] bytes, int start, int end, int hash) {
        int length = end - start;
        if (length > longest) {
            return made(bytes, start, length);
        }
        int slot = (hash ^ (hash >>> 12)) & (SIZE - 1);
        TextNode known = table[slot];
        if (known != null && matches(known.textValue(), hash, bytes, start, length)) {
            return known;
        }
        TextNode made = made(bytes, start, length);
        table[slot] = made;
        return made;
    }

    private static TextNode made(byte[] bytes, int start, int length) {
        return Json.FACTORY.textNode(new String(bytes, start, length, StandardCharsets.ISO_8859_1));
    }

    private static boolean matches(String known, int hash, byte[] bytes, int start, int length) {
        if (known.length() != length || known.hashCode() != hash) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (known.charAt(i) != bytes[start + i]) {
                return false;
            }
        }
        return true;
    }
}
