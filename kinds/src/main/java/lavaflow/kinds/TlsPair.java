package lavaflow.kinds;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.interfaces.RSAPrivateKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.List;

import org.jspecify.annotations.Nullable;

/** Whether a certificate and a key belong together, in the words of Go's TLS library; people do mix them up. */
final class TlsPair {
    private static final byte[] RSA_ID = {
        0x30, 0x0d, 0x06, 0x09, 0x2a, (byte) 0x86, 0x48, (byte) 0x86, (byte) 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00
    };
    private static final byte[] PROBE = {1, 2, 3};

    private TlsPair() {}

    /** What is wrong with a pair; empty where nothing is, or nothing that can be told. */
    static String problem(byte[] certificate, byte[] key) {
        List<CertificateRequest.Pem> certificates = CertificateRequest.blocks(certificate);
        List<CertificateRequest.Pem> keys = CertificateRequest.blocks(key);
        if (certificates.isEmpty()) {
            return "tls: failed to find any PEM data in certificate input";
        }
        CertificateRequest.Pem leaf = first(certificates, "CERTIFICATE");
        if (leaf == null) {
            boolean switched =
                    certificates.size() == 1 && certificates.getFirst().type().endsWith("PRIVATE KEY");
            return switched
                    ? "tls: failed to find certificate PEM data in certificate input, but did find a private key;"
                            + " PEM inputs may have been switched"
                    : "tls: failed to find \"CERTIFICATE\" PEM block in certificate input after skipping PEM blocks"
                            + " of the following types: "
                            + certificates.stream()
                                    .map(CertificateRequest.Pem::type)
                                    .toList();
        }
        if (keys.isEmpty()) {
            return "tls: failed to find any PEM data in key input";
        }
        CertificateRequest.Pem secret = keys.stream()
                .filter(block ->
                        block.type().equals("PRIVATE KEY") || block.type().endsWith(" PRIVATE KEY"))
                .findFirst()
                .orElse(null);
        if (secret == null) {
            boolean swapped = keys.size() == 1 && keys.getFirst().type().equals("CERTIFICATE");
            return swapped
                    ? "tls: found a certificate rather than a key in the PEM for the private key"
                    : "tls: failed to find PEM block with type ending in \"PRIVATE KEY\" in key input after skipping"
                            + " PEM blocks of the following types: "
                            + keys.stream().map(CertificateRequest.Pem::type).toList();
        }
        return matched(leaf, secret);
    }

    private static CertificateRequest.@Nullable Pem first(List<CertificateRequest.Pem> blocks, String type) {
        return blocks.stream()
                .filter(block -> block.type().equals(type))
                .findFirst()
                .orElse(null);
    }

    private static String matched(CertificateRequest.Pem leaf, CertificateRequest.Pem secret) {
        PublicKey publicKey;
        try {
            publicKey = CertificateFactory.getInstance("X.509")
                    .generateCertificate(new ByteArrayInputStream(leaf.content()))
                    .getPublicKey();
        } catch (CertificateException e) {
            return "x509: malformed certificate";
        }
        if (secret.type().equals("EC PRIVATE KEY")) {
            // The old form of such keys is beyond the JDK; a wrong one shows when it is used.
            return publicKey.getAlgorithm().equals("EC") ? "" : "tls: private key type does not match public key type";
        }
        PrivateKey privateKey = privateKey(secret);
        if (privateKey == null) {
            return "tls: failed to parse private key";
        }
        if (!privateKey.getAlgorithm().equals(publicKey.getAlgorithm())) {
            return "tls: private key type does not match public key type";
        }
        return belongs(privateKey, publicKey) ? "" : "tls: private key does not match public key";
    }

    private static @Nullable PrivateKey privateKey(CertificateRequest.Pem secret) {
        byte[] content = secret.content();
        byte[] encoded = secret.type().equals("RSA PRIVATE KEY") ? wrapped(content) : content;
        for (String algorithm : new String[] {"RSA", "EC", "EdDSA"}) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(encoded));
            } catch (GeneralSecurityException e) {
                // Of another algorithm, or of none.
            }
        }
        return null;
    }

    /** The old form of an RSA key in the envelope of the new one. */
    private static byte[] wrapped(byte[] key) {
        byte[] octets = der(0x04, key);
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.writeBytes(new byte[] {0x02, 0x01, 0x00});
        body.writeBytes(RSA_ID);
        body.writeBytes(octets);
        return der(0x30, body.toByteArray());
    }

    private static byte[] der(int tag, byte[] content) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(tag);
        if (content.length < 0x80) {
            out.write(content.length);
        } else {
            byte[] length = BigInteger.valueOf(content.length).toByteArray();
            int skip = length[0] == 0 ? 1 : 0;
            out.write(0x80 | (length.length - skip));
            out.write(length, skip, length.length - skip);
        }
        out.writeBytes(content);
        return out.toByteArray();
    }

    private static boolean belongs(PrivateKey privateKey, PublicKey publicKey) {
        if (privateKey instanceof RSAPrivateKey own && publicKey instanceof RSAPublicKey shown) {
            return own.getModulus().equals(shown.getModulus());
        }
        String algorithm = privateKey.getAlgorithm().equals("EC") ? "SHA256withECDSA" : privateKey.getAlgorithm();
        try {
            Signature signer = Signature.getInstance(algorithm);
            signer.initSign(privateKey);
            signer.update(PROBE);
            byte[] signature = signer.sign();
            Signature verifier = Signature.getInstance(algorithm);
            verifier.initVerify(publicKey);
            verifier.update(PROBE);
            return verifier.verify(signature);
        } catch (GeneralSecurityException e) {
            return false;
        }
    }
}
