package lavaflow.kube;

import java.util.Arrays;
import java.util.Base64;

/** Base64 as Go reads it: line breaks are skipped, spare bits may be set, and complaints name the byte. */
final class GoBase64 {
    private static final byte[] VALUES = new byte[128];

    static {
        Arrays.fill(VALUES, (byte) -1);
        String alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        for (int i = 0; i < alphabet.length(); i++) {
            VALUES[alphabet.charAt(i)] = (byte) i;
        }
    }

    private final String text;
    private int at;

    private GoBase64(String text) {
        this.text = text;
    }

    /** The bytes of a text. */
    static byte[] decode(String text) throws DecodingException {
        if (text.length() % 4 == 0) {
            try {
                return Base64.getDecoder().decode(text);
            } catch (IllegalArgumentException e) {
                // Line breaks, or malformed: the slow way knows.
            }
        }
        return new GoBase64(text).decode();
    }

    private byte[] decode() throws DecodingException {
        byte[] out = new byte[text.length() / 4 * 3 + 3];
        int size = 0;
        int[] group = new int[4];
        while (true) {
            int count = 0;
            for (; count < 4; count++) {
                int c = next();
                if (c == -1) {
                    if (count == 0) {
                        return Arrays.copyOf(out, size);
                    }
                    throw illegal(at - count);
                }
                int value = c < 128 ? VALUES[c] : -1;
                if (value >= 0) {
                    group[count] = value;
                    continue;
                }
                if (c != '=' || count < 2) {
                    throw illegal(at - 1);
                }
                finishPadding(count);
                break;
            }
            Arrays.fill(group, count, 4, 0);
            int bits = (group[0] << 18) | (group[1] << 12) | (group[2] << 6) | group[3];
            out[size] = (byte) (bits >> 16);
            out[size + 1] = (byte) (bits >> 8);
            out[size + 2] = (byte) bits;
            size += count - 1;
            if (count < 4) {
                return Arrays.copyOf(out, size);
            }
        }
    }

    /** One padding character was read; after two digits there must be another, and then nothing. */
    private void finishPadding(int count) throws DecodingException {
        if (count == 2) {
            int c = next();
            if (c != '=') {
                throw illegal(c == -1 ? text.length() : at - 2);
            }
        }
        if (next() != -1) {
            throw illegal(at - 1);
        }
    }

    private int next() {
        while (at < text.length()) {
            char c = text.charAt(at++);
            if (c != '\n' && c != '\r') {
                return c;
            }
        }
        return -1;
    }

    private static DecodingException illegal(int position) {
        return new DecodingException("illegal base64 data at input byte " + position);
    }
}
