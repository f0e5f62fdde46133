package lavaflow.node;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.zip.CRC32C;

/** Luck that can be repeated: the same words give the same number. */
final class Chance {
    private Chance() {}

    /** From 0 up to, not including, 1. */
    static double of(long seed, String... words) {
        return (mixed(seed, words) >>> 11) * 0x1.0p-53;
    }

    static double of(long seed, String uid, String container, int life) {
        return of(seed, uid, container, Integer.toString(life));
    }

    /** A number in which every bit depends on every word. */
    static long mixed(long seed, String... words) {
        long mixed = seed;
        for (String word : words) {
            CRC32C sum = new CRC32C();
            sum.update(word.getBytes(StandardCharsets.UTF_8));
            mixed = scramble(mixed ^ sum.getValue() ^ ((long) word.length() << 32));
        }
        return scramble(mixed + 1);
    }

    /** The finalizer of SplitMix64. */
    private static long scramble(long value) {
        long mixed = value + 0x9E3779B97F4A7C15L;
        mixed = (mixed ^ (mixed >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }

    /** So many hexadecimal digits. */
    static String hex(int digits, String... words) {
        StringBuilder text = new StringBuilder();
        for (long part = 0; text.length() < digits; part++) {
            text.append(HexFormat.of().toHexDigits(mixed(part, words)));
        }
        return text.substring(0, digits);
    }
}
