package lavaflow.kube;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Private keys in PEM: in the form that Java reads (PKCS 8) and in the older ones of RSA and of elliptic curves, which are put into
 * its envelope. Plain Java: commands that connect to a cluster load no library for it.
 */
public final class PrivateKeys {
    private static final int INTEGER = 0x02;
    private static final int OCTETS = 0x04;
    private static final int SEQUENCE = 0x30;
    /** What stands in brackets with a zero in the definition of a key of an elliptic curve. */
    private static final int CURVE = 0xa0;

    private static final byte[] VERSION = {INTEGER, 1, 0};
    private static final byte[] RSA = HexFormat.of().parseHex("300d06092a864886f70d0101010500");
    private static final byte[] ELLIPTIC = HexFormat.of().parseHex("06072a8648ce3d0201");
    private static final List<String> ALGORITHMS = List.of("RSA", "EC", "EdDSA");

    private PrivateKeys() {}

    /** The first private key of a text; null where there is none that can be read. */
    public static @Nullable PrivateKey find(byte[] pem) {
        for (Pem block : Pem.blocks(pem)) {
            // A key of an elliptic curve may come after the name of its curve.
            if (isKey(block)) {
                return find(block);
            }
        }
        return null;
    }

    public static boolean isKey(Pem block) {
        return block.type().equals("PRIVATE KEY") || block.type().endsWith(" PRIVATE KEY");
    }

    /** The key in a block; null where it cannot be read. */
    public static @Nullable PrivateKey find(Pem block) {
        byte[] encoded;
        try {
            encoded = switch (block.type()) {
                case "RSA PRIVATE KEY" -> enveloped(RSA, block.content());
                case "EC PRIVATE KEY" -> enveloped(elliptic(block.content()), block.content());
                default -> block.content();
            };
        } catch (IndexOutOfBoundsException | IllegalArgumentException _) {
            return null;
        }
        for (String algorithm : ALGORITHMS) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(encoded));
            } catch (GeneralSecurityException _) {
                // Of another algorithm, or of none.
            }
        }
        return null;
    }

    private static byte[] enveloped(byte[] algorithm, byte[] key) {
        return encoded(SEQUENCE, VERSION, algorithm, encoded(OCTETS, key));
    }

    /** The algorithm of a key of an elliptic curve, with the curve that the key names. */
    private static byte[] elliptic(byte[] key) {
        int at = content(key, 0, SEQUENCE);
        at = end(key, at, INTEGER);
        at = end(key, at, OCTETS);
        byte[] curve = Arrays.copyOfRange(key, content(key, at, CURVE), end(key, at, CURVE));
        return encoded(SEQUENCE, ELLIPTIC, curve);
    }

    /** Where what is at a place begins. */
    private static int content(byte[] der, int at, int tag) {
        if ((der[at] & 0xff) != tag) {
            throw new IllegalArgumentException("something else is at " + at);
        }
        int length = der[at + 1] & 0xff;
        return at + 2 + (length < 0x80 ? 0 : length & 0x7f);
    }

    /** Where what is at a place ends. */
    private static int end(byte[] der, int at, int tag) {
        int content = content(der, at, tag);
        int length = content == at + 2
                ? der[at + 1]
                : new BigInteger(1, Arrays.copyOfRange(der, at + 2, content)).intValueExact();
        return Math.addExact(content, length);
    }

    private static byte[] encoded(int tag, byte[]... parts) {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            content.writeBytes(part);
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(tag);
        if (content.size() < 0x80) {
            out.write(content.size());
        } else {
            byte[] length = BigInteger.valueOf(content.size()).toByteArray();
            int skip = length[0] == 0 ? 1 : 0;
            out.write(0x80 | (length.length - skip));
            out.write(length, skip, length.length - skip);
        }
        out.writeBytes(content.toByteArray());
        return out.toByteArray();
    }
}
