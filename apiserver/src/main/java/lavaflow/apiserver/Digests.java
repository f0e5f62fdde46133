package lavaflow.apiserver;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;

/** Content hashes for ETags and cacheable addresses. */
final class Digests {
    private Digests() {}

    static String sha512(byte[] bytes) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-512").digest(bytes);
            return HexFormat.of().formatHex(digest).toUpperCase(Locale.ROOT);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-512", e);
        }
    }
}
