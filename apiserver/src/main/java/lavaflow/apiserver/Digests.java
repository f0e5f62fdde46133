package lavaflow.apiserver;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Locale;

/** Content hashes for ETags and cacheable addresses. */
final class Digests {
    private Digests() {}

    static String sha512(byte[] bytes) {
        return hex("SHA-512", bytes).toUpperCase(Locale.ROOT);
    }

    /** What discovery shows of the version a kind is stored in, {@code group/version/Kind}. */
    static String storageVersion(String kind) {
        byte[] start = Arrays.copyOf(digest("SHA-256", kind.getBytes(StandardCharsets.UTF_8)), 8);
        return Base64.getEncoder().encodeToString(start);
    }

    private static String hex(String algorithm, byte[] bytes) {
        return HexFormat.of().formatHex(digest(algorithm, bytes));
    }

    private static byte[] digest(String algorithm, byte[] bytes) {
        try {
            return MessageDigest.getInstance(algorithm).digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has " + algorithm, e);
        }
    }
}
