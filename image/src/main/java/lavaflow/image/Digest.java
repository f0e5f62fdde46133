package lavaflow.image;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;

/** Content by its hash: {@code sha256:} and 64 digits. Other algorithms are known by name only. */
final class Digest {
    private static final Pattern SHA256 = Pattern.compile("sha256:[a-f0-9]{64}");
    private static final Pattern SHA512 = Pattern.compile("sha512:[a-f0-9]{128}");

    private Digest() {}

    static boolean isValid(String digest) {
        return SHA256.matcher(digest).matches() || SHA512.matcher(digest).matches();
    }

    static boolean isSupported(String digest) {
        return digest.startsWith("sha256:") || digest.startsWith("sha512:");
    }

    /** Checks that a digest from outside can name a file and be verified. */
    static String checked(String digest) throws ImageException {
        if (!isValid(digest)) {
            throw new ImageException(
                    ImageException.Kind.DAMAGED, "'" + digest + "' is not a digest that can be verified");
        }
        return digest;
    }

    static MessageDigest algorithmOf(String digest) {
        return algorithm(digest.startsWith("sha512:") ? "SHA-512" : "SHA-256");
    }

    static MessageDigest sha256() {
        return algorithm("SHA-256");
    }

    private static MessageDigest algorithm(String name) {
        try {
            return MessageDigest.getInstance(name);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    static String of(byte[] content) {
        return named(sha256().digest(content));
    }

    /** The text of a finished SHA-256. */
    static String named(byte[] hash) {
        return (hash.length == 64 ? "sha512:" : "sha256:") + HexFormat.of().formatHex(hash);
    }

    static String hex(String digest) {
        return digest.substring(digest.indexOf(':') + 1);
    }
}
