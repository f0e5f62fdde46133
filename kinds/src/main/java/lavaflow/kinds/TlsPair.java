package lavaflow.kinds;

import java.io.ByteArrayInputStream;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.interfaces.RSAPrivateKey;
import java.security.interfaces.RSAPublicKey;
import java.util.List;

import lavaflow.kube.Pem;
import lavaflow.kube.PrivateKeys;

import org.jspecify.annotations.Nullable;

/** Whether a certificate and a key belong together, in the words of Go's TLS library; people do mix them up. */
final class TlsPair {
    private static final byte[] PROBE = {1, 2, 3};

    private TlsPair() {}

    /** What is wrong with a pair; empty where nothing is, or nothing that can be told. */
    static String problem(byte[] certificate, byte[] key) {
        List<Pem> certificates = Pem.blocks(certificate);
        List<Pem> keys = Pem.blocks(key);
        if (certificates.isEmpty()) {
            return "tls: failed to find any PEM data in certificate input";
        }
        Pem leaf = first(certificates, "CERTIFICATE");
        if (leaf == null) {
            boolean switched =
                    certificates.size() == 1 && certificates.getFirst().type().endsWith("PRIVATE KEY");
            return switched
                    ? "tls: failed to find certificate PEM data in certificate input, but did find a private key;"
                            + " PEM inputs may have been switched"
                    : "tls: failed to find \"CERTIFICATE\" PEM block in certificate input after skipping PEM blocks"
                            + " of the following types: "
                            + certificates.stream().map(Pem::type).toList();
        }
        if (keys.isEmpty()) {
            return "tls: failed to find any PEM data in key input";
        }
        Pem secret = keys.stream().filter(PrivateKeys::isKey).findFirst().orElse(null);
        if (secret == null) {
            boolean swapped = keys.size() == 1 && keys.getFirst().type().equals("CERTIFICATE");
            return swapped
                    ? "tls: found a certificate rather than a key in the PEM for the private key"
                    : "tls: failed to find PEM block with type ending in \"PRIVATE KEY\" in key input after skipping"
                            + " PEM blocks of the following types: "
                            + keys.stream().map(Pem::type).toList();
        }
        return matched(leaf, secret);
    }

    private static @Nullable Pem first(List<Pem> blocks, String type) {
        return blocks.stream()
                .filter(block -> block.type().equals(type))
                .findFirst()
                .orElse(null);
    }

    private static String matched(Pem leaf, Pem secret) {
        PublicKey publicKey;
        try {
            publicKey = CertificateFactory.getInstance("X.509")
                    .generateCertificate(new ByteArrayInputStream(leaf.content()))
                    .getPublicKey();
        } catch (CertificateException e) {
            return "x509: malformed certificate";
        }
        PrivateKey privateKey = PrivateKeys.find(secret);
        if (privateKey == null) {
            return "tls: failed to parse private key";
        }
        if (!privateKey.getAlgorithm().equals(publicKey.getAlgorithm())) {
            return "tls: private key type does not match public key type";
        }
        return belongs(privateKey, publicKey) ? "" : "tls: private key does not match public key";
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
