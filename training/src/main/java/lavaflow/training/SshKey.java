package lavaflow.training;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECPoint;
import java.util.Base64;

/**
 * A key by which the pods of one job enter each other, in the forms {@code ssh} reads.
 *
 * @param privatePem the key
 * @param publicLine who may enter
 */
public record SshKey(String privatePem, String publicLine) {
    private static final int BYTES = 66;
    private static final byte[] CURVE = {0x06, 0x05, 0x2b, (byte) 0x81, 0x04, 0x00, 0x23};
    private static final String TYPE = "ecdsa-sha2-nistp521";

    /** A new one. */
    public static SshKey make() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp521r1"));
            return of(generator.generateKeyPair());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java knows no elliptic curves", e);
        }
    }

    private static SshKey of(KeyPair pair) {
        ECPoint point = ((ECPublicKey) pair.getPublic()).getW();
        byte[] whole = ByteBuffer.allocate(1 + 2 * BYTES)
                .put((byte) 4)
                .put(fixed(point.getAffineX()))
                .put(fixed(point.getAffineY()))
                .array();
        byte[] secret = fixed(((ECPrivateKey) pair.getPrivate()).getS());
        byte[] bits =
                ByteBuffer.allocate(whole.length + 1).put((byte) 0).put(whole).array();
        byte[] der = tagged(
                0x30,
                tagged(0x02, new byte[] {1}),
                tagged(0x04, secret),
                tagged(0xa0, CURVE),
                tagged(0xa1, tagged(0x03, bits)));
        String pem = "-----BEGIN EC PRIVATE KEY-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der)
                + "\n-----END EC PRIVATE KEY-----\n";
        byte[] name = TYPE.getBytes(StandardCharsets.US_ASCII);
        byte[] curve = "nistp521".getBytes(StandardCharsets.US_ASCII);
        byte[] blob = ByteBuffer.allocate(12 + name.length + curve.length + whole.length)
                .putInt(name.length)
                .put(name)
                .putInt(curve.length)
                .put(curve)
                .putInt(whole.length)
                .put(whole)
                .array();
        return new SshKey(pem, TYPE + " " + Base64.getEncoder().encodeToString(blob) + "\n");
    }

    private static byte[] fixed(BigInteger number) {
        byte[] bytes = number.toByteArray();
        byte[] fixed = new byte[BYTES];
        int length = Math.min(bytes.length, BYTES);
        System.arraycopy(bytes, bytes.length - length, fixed, BYTES - length, length);
        return fixed;
    }

    private static byte[] tagged(int tag, byte[]... parts) {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            content.writeBytes(part);
        }
        int length = content.size();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(tag);
        if (length > 127) {
            out.write(0x81);
        }
        out.write(length);
        out.writeBytes(content.toByteArray());
        return out.toByteArray();
    }
}
