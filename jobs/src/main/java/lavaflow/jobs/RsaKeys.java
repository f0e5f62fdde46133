package lavaflow.jobs;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.security.interfaces.RSAPublicKey;
import java.util.Base64;
import java.util.function.Supplier;

/** New keys in the forms of OpenSSH. */
public final class RsaKeys implements Supplier<JobPlugin.SshKeys> {
    private static final int BITS = 2048;
    private static final int PEM_WIDTH = 64;
    private static final String TYPE = "ssh-rsa";

    @Override
    public JobPlugin.SshKeys get() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(BITS);
            return of(generator.generateKeyPair());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    static JobPlugin.SshKeys of(KeyPair keys) {
        byte[] inner = unwrapped(keys.getPrivate().getEncoded());
        String body = Base64.getMimeEncoder(PEM_WIDTH, new byte[] {'\n'}).encodeToString(inner);
        return new JobPlugin.SshKeys(
                "-----BEGIN RSA PRIVATE KEY-----\n" + body + "\n-----END RSA PRIVATE KEY-----\n",
                publicLine((RSAPublicKey) keys.getPublic()));
    }

    private static String publicLine(RSAPublicKey key) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            write(out, TYPE.getBytes(StandardCharsets.US_ASCII));
            write(out, key.getPublicExponent().toByteArray());
            write(out, key.getModulus().toByteArray());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return TYPE + " " + Base64.getEncoder().encodeToString(bytes.toByteArray()) + "\n";
    }

    private static void write(DataOutputStream out, byte[] part) throws IOException {
        out.writeInt(part.length);
        out.write(part);
    }

    /** The key itself (PKCS #1) out of what Java wraps around it (PKCS #8): a sequence of version, algorithm and the key. */
    private static byte[] unwrapped(byte[] encoded) {
        ByteBuffer der = ByteBuffer.wrap(encoded);
        length(der);
        skip(der);
        skip(der);
        byte[] inner = new byte[length(der)];
        der.get(inner);
        return inner;
    }

    private static void skip(ByteBuffer der) {
        int length = length(der);
        der.position(der.position() + length);
    }

    /** Reads a tag and the length after it. */
    private static int length(ByteBuffer der) {
        der.get();
        int first = der.get() & 0xff;
        if (first < 0x80) {
            return first;
        }
        int length = 0;
        for (int i = 0; i < (first & 0x7f); i++) {
            length = (length << 8) | (der.get() & 0xff);
        }
        return length;
    }
}
