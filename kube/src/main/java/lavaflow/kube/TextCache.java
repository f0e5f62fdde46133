package lavaflow.kube;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

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

    /** The bytes beside the node: comparing them is one instruction for several, and characters of a string are not. */
    private static final class Known {
        private final byte[] bytes;
        private final TextNode node;

        Known(byte[] bytes, TextNode node) {
            this.bytes = bytes;
            this.node = node;
        }
    }

    private final @Nullable Known[] table = new @Nullable Known[SIZE];
    private final int longest;

    private TextCache(int longest) {
        this.longest = longest;
    }

    /** The text of ASCII bytes whose hash is given. */
    TextNode text(byte[] bytes, int start, int end, int hash) {
        if (end - start > longest) {
            return made(bytes, start, end);
        }
        int slot = (hash ^ (hash >>> 12)) & (SIZE - 1);
        Known known = table[slot];
        if (known != null && Arrays.equals(known.bytes, 0, known.bytes.length, bytes, start, end)) {
            return known.node;
        }
        TextNode made = made(bytes, start, end);
        if (this == NAMES && isWord(bytes, start, end)) {
            made = Json.FACTORY.textNode(made.textValue().intern());
        }
        table[slot] = new Known(Arrays.copyOfRange(bytes, start, end), made);
        return made;
    }

    /** Such as stand in the program's own text, which is where they are looked for with: not those of fields that others own. */
    private static boolean isWord(byte[] bytes, int start, int end) {
        for (int at = start; at < end; at++) {
            if (!Character.isLetterOrDigit(bytes[at])) {
                return false;
            }
        }
        return true;
    }

    private static TextNode made(byte[] bytes, int start, int end) {
        return Json.FACTORY.textNode(new String(bytes, start, end - start, StandardCharsets.ISO_8859_1));
    }
}
