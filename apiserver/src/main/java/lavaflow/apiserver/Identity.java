package lavaflow.apiserver;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPrivateKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.HexFormat;

/**
 * A key with its certificate, and their PEM forms. Plain Java, apart from {@link CertificateAuthority}: an ordinary start
 * loads no certificate library.
 */
public record Identity(PrivateKey key, X509Certificate certificate) {
    private static final int P256_BYTES = 32;

    /** A sequence of version 1, the secret number, and the name of the curve P-256. */
    private static final byte[] SEC1_HEAD = HexFormat.of().parseHex("30310201010420");

    private static final byte[] SEC1_TAIL = HexFormat.of().parseHex("a00a06082a8648ce3d030107");

    public String certificatePem() {
        return certificatePem(certificate);
    }

    /** Whose it is, and nothing of the key: this may end up in a log. */
    @Override
    public String toString() {
        return certificate.getSubjectX500Principal().getName();
    }

    public static String certificatePem(X509Certificate certificate) {
        try {
            return pem("CERTIFICATE", certificate.getEncoded());
        } catch (CertificateEncodingException e) {
            throw new IllegalStateException("a certificate that has no encoding", e);
        }
    }

    public String keyPem() {
        return pem("PRIVATE KEY", key.getEncoded());
    }

    /**
     * The key in the older form that says in its first line that it is of an elliptic curve: from the newer one the
     * fabric8 client does not see it and takes it for RSA. Every other client reads both.
     */
    public String ellipticKeyPem() {
        byte[] secret = ((ECPrivateKey) key).getS().toByteArray();
        byte[] der = new byte[SEC1_HEAD.length + P256_BYTES + SEC1_TAIL.length];
        System.arraycopy(SEC1_HEAD, 0, der, 0, SEC1_HEAD.length);
        // A number may come with a zero in front, or too short.
        int length = Math.min(secret.length, P256_BYTES);
        System.arraycopy(secret, secret.length - length, der, SEC1_HEAD.length + P256_BYTES - length, length);
        System.arraycopy(SEC1_TAIL, 0, der, SEC1_HEAD.length + P256_BYTES, SEC1_TAIL.length);
        return pem("EC PRIVATE KEY", der);
    }

    /** Reads what {@link #certificatePem()} and {@link #keyPem()} printed. */
    public static Identity parse(String certificatePem, String keyPem) throws IOException {
        String body = keyPem.replace("-----BEGIN PRIVATE KEY-----", "")
                .replace("-----END PRIVATE KEY-----", "")
                .strip();
        try {
            PKCS8EncodedKeySpec encoded =
                    new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(body));
            PrivateKey key = KeyFactory.getInstance("EC").generatePrivate(encoded);
            return new Identity(key, parseCertificate(certificatePem));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new IOException("no private key in the PEM text", e);
        }
    }

    /** The first certificate of a PEM text. */
    public static X509Certificate parseCertificate(String pem) throws IOException {
        try {
            byte[] bytes = pem.getBytes(StandardCharsets.US_ASCII);
            return (X509Certificate)
                    CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(bytes));
        } catch (GeneralSecurityException e) {
            throw new IOException("no certificate in the PEM text", e);
        }
    }

    private static String pem(String type, byte[] der) {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        return "-----BEGIN " + type + "-----\n" + body + "\n-----END " + type + "-----\n";
    }
}
