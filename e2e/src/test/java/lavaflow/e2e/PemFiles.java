package lavaflow.e2e;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** TLS with a certificate and key in PEM, whichever of the three usual forms the key has. */
final class PemFiles {
    private static final char[] PASSWORD = "unused".toCharArray();
    /** rsaEncryption, and ecPublicKey on P-256, as algorithm identifiers. */
    private static final String RSA = "300d06092a864886f70d0101010500";

    private static final String P256 = "301306072a8648ce3d020106082a8648ce3d030107";

    private PemFiles() {}

    static SSLContext context(String certificates, String key) throws GeneralSecurityException, IOException {
        Certificate[] chain = CertificateFactory.getInstance("X.509")
                .generateCertificates(new ByteArrayInputStream(certificates.getBytes(StandardCharsets.UTF_8)))
                .toArray(new Certificate[0]);
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry("server", privateKey(key), PASSWORD, chain);
        KeyManagerFactory managers = KeyManagerFactory.getInstance("PKIX");
        managers.init(store, PASSWORD);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        return context;
    }

    private static PrivateKey privateKey(String pem) throws GeneralSecurityException {
        boolean elliptic = pem.contains("BEGIN EC PRIVATE KEY");
        boolean rsa = pem.contains("BEGIN RSA PRIVATE KEY");
        String base64 = pem.substring(pem.lastIndexOf("PRIVATE KEY-----", pem.lastIndexOf("-----END")) + 16);
        byte[] der = Base64.getMimeDecoder().decode(base64.substring(0, base64.indexOf("-----END")));
        if (elliptic || rsa) {
            der = wrapped(der, HexFormat.of().parseHex(rsa ? RSA : P256));
        }
        GeneralSecurityException last = new GeneralSecurityException("no key");
        for (String algorithm : List.of("RSA", "EC")) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(der));
            } catch (GeneralSecurityException e) {
                last = e;
            }
        }
        throw last;
    }

    /** PKCS#8 around the older forms: version, algorithm, the key as octets. */
    private static byte[] wrapped(byte[] key, byte[] algorithm) {
        ByteArrayOutputStream inner = new ByteArrayOutputStream();
        inner.writeBytes(new byte[] {2, 1, 0});
        inner.writeBytes(algorithm);
        inner.writeBytes(tagged(4, key));
        return tagged(0x30, inner.toByteArray());
    }

    private static byte[] tagged(int tag, byte[] content) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(tag);
        if (content.length < 0x80) {
            out.write(content.length);
        } else if (content.length < 0x100) {
            out.write(0x81);
            out.write(content.length);
        } else {
            out.write(0x82);
            out.write(content.length >> 8);
            out.write(content.length & 0xff);
        }
        out.writeBytes(content);
        return out.toByteArray();
    }
}
