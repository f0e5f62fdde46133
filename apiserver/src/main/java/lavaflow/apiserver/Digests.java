package lavaflow.apiserver;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;

/** Content hashes for ETags and cacheable addresses. */
final class Digests {
    private Digests() {}

    static String sha512(byte[] bytes) {
        return hex("SHA-512", bytes).toUpperCase(Locale.ROOT);
    }

    private static String hex(String algorithm, byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance(algorithm).digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has " + algorithm, e);
        }
    }
}
