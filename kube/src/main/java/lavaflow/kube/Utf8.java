package lavaflow.kube;

/** Decodes UTF-8 as Go does: each byte that fits nowhere becomes one replacement character. */
final class Utf8 {
    private static final char REPLACEMENT = '\uFFFD';

    private Utf8() {}

    /** Appends the character that starts at a position and returns how many bytes it took. */
    static int append(byte[] in, int at, StringBuilder text) {
        int first = in[at] & 0xff;
        int length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
        if (length == 1) {
            text.append((char) first);
            return 1;
        }
        if (length == 0 || at + length > in.length) {
            text.append(REPLACEMENT);
            return 1;
        }
        int code = first & (0xff >> (length + 1));
        for (int i = 1; i < length; i++) {
            if ((in[at + i] & 0xc0) != 0x80) {
                text.append(REPLACEMENT);
                return 1;
            }
            code = (code << 6) | (in[at + i] & 0x3f);
        }
        boolean overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
        if (overlong || code > Character.MAX_CODE_POINT || (code >= 0xd800 && code <= 0xdfff)) {
            text.append(REPLACEMENT);
            return 1;
        }
        text.appendCodePoint(code);
        return length;
    }

    /** The text of bytes that may be anything. */
    static String decode(byte[] in, int start, int end) {
        int plain = start;
        while (plain < end && in[plain] >= 0) {
            plain++;
        }
        if (plain == end) {
            return new String(in, start, end - start, java.nio.charset.StandardCharsets.ISO_8859_1);
        }
        StringBuilder text = new StringBuilder(end - start);
        byte[] bounded = end == in.length ? in : java.util.Arrays.copyOf(in, end);
        for (int at = start; at < end; ) {
            at += append(bounded, at, text);
        }
        return text.toString();
    }
}
