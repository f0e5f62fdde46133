package lavaflow.image;

import java.io.IOException;

/** Numbers in headers: octal digits, or, with the highest bit set, bytes of a two's complement. */
final class TarNumber {
    private TarNumber() {}

    static long parse(byte[] block, int from, int length) throws IOException {
        if ((block[from] & 0x80) != 0) {
            return binary(block, from, length);
        }
        int i = from;
        int end = from + length;
        while (i < end && (block[i] == ' ' || block[i] == 0)) {
            i++;
        }
        long value = 0;
        while (i < end && block[i] != ' ' && block[i] != 0) {
            int digit = block[i++] - '0';
            if (digit < 0 || digit > 7) {
                throw BadLayerException.damaged("a header has something else where a number should be");
            }
            value = value * 8 + digit;
        }
        return value;
    }

    private static long binary(byte[] block, int from, int length) throws IOException {
        boolean negative = (block[from] & 0x40) != 0;
        long value = negative ? -1 : 0;
        for (int i = 0; i < length; i++) {
            int b = block[from + i] & 0xff;
            if (i == 0) {
                b = negative ? b : b & 0x7f;
            }
            if (value >> 55 != (negative ? -1 : 0)) {
                throw BadLayerException.damaged("a header has a number that is too large");
            }
            value = (value << 8) | b;
        }
        return value;
    }
}
