package lavaflow.kinds;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import lavaflow.kube.Pem;

import org.jspecify.annotations.Nullable;

/** Reads as much of a PKCS #10 request as it takes to check its signature; the JDK has no public way to. */
final class CertificateRequest {
    private static final int SEQUENCE = 0x30;
    private static final int BIT_STRING = 0x03;
    private static final int OBJECT_ID = 0x06;
    private static final int BOOLEAN = 0x01;
    private static final String EXTENSIONS = "1.2.840.113549.1.9.14";
    private static final String ALTERNATIVES = "2.5.29.17";

    /** A DER value: its tag, where it and its content start, where both end. */
    private record Der(int tag, int start, int content, int end) {}

    private CertificateRequest() {}

    /** What is wrong with a request in PEM; empty where nothing is. */
    static String problem(byte[] pem) {
        List<Pem> blocks = Pem.blocks(pem);
        if (blocks.isEmpty() || !blocks.getFirst().type().equals("CERTIFICATE REQUEST")) {
            return "PEM block type must be CERTIFICATE REQUEST";
        }
        try {
            return verified(blocks.getFirst().content());
        } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
            return "asn1: structure error";
        } catch (GeneralSecurityException e) {
            return "x509: cannot verify signature: algorithm unimplemented";
        }
    }

    private static String verified(byte[] der) throws GeneralSecurityException {
        Der request = read(der, 0, SEQUENCE);
        Der info = read(der, request.content, SEQUENCE);
        Der algorithm = read(der, info.end, SEQUENCE);
        Der bits = read(der, algorithm.end, BIT_STRING);
        Der version = read(der, info.content, 0x02);
        Der subject = read(der, version.end, SEQUENCE);
        Der key = read(der, subject.end, SEQUENCE);
        Der keyAlgorithm = read(der, key.content, SEQUENCE);
        PublicKey publicKey = KeyFactory.getInstance(objectId(der, keyAlgorithm.content))
                .generatePublic(new X509EncodedKeySpec(Arrays.copyOfRange(der, key.start, key.end)));
        Signature signature = Signature.getInstance(objectId(der, algorithm.content));
        signature.initVerify(publicKey);
        signature.update(der, info.start, info.end - info.start);
        // The first byte of a bit string counts unused bits.
        boolean good = signature.verify(Arrays.copyOfRange(der, bits.content + 1, bits.end));
        return good
                ? ""
                : publicKey.getAlgorithm().equals("RSA")
                        ? "crypto/rsa: verification error"
                        : "x509: " + publicKey.getAlgorithm() + " verification failure";
    }

    /** The encoded subject of a request in PEM; null where it cannot be read. */
    static byte @Nullable [] subject(byte[] pem) {
        List<Pem> blocks = Pem.blocks(pem);
        try {
            byte[] der = blocks.isEmpty() ? new byte[0] : blocks.getFirst().content();
            Der info = read(der, read(der, 0, SEQUENCE).content, SEQUENCE);
            Der subject = read(der, read(der, info.content, 0x02).end, SEQUENCE);
            return Arrays.copyOfRange(der, subject.start, subject.end);
        } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
            return null;
        }
    }

    /** The kinds of alternative names that a request in PEM asks for; empty where it cannot be read. */
    static Set<CertificateSubject.Alternative> alternatives(byte[] pem) {
        List<Pem> blocks = Pem.blocks(pem);
        Set<CertificateSubject.Alternative> kinds = EnumSet.noneOf(CertificateSubject.Alternative.class);
        try {
            byte[] der = blocks.isEmpty() ? new byte[0] : blocks.getFirst().content();
            Der info = read(der, read(der, 0, SEQUENCE).content, SEQUENCE);
            Der subject = read(der, read(der, info.content, 0x02).end, SEQUENCE);
            int at = read(der, subject.end, SEQUENCE).end;
            if (at < info.end) {
                attributes(der, any(der, at), kinds);
            }
        } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
            return Set.of();
        }
        return kinds;
    }

    private static void attributes(byte[] der, Der all, Set<CertificateSubject.Alternative> kinds) {
        for (int at = all.content; at < all.end; at = any(der, at).end) {
            Der attribute = read(der, at, SEQUENCE);
            if (!objectId(der, attribute.content).equals(EXTENSIONS)) {
                continue;
            }
            Der extensions = any(der, any(der, any(der, attribute.content).end).content);
            for (int each = extensions.content; each < extensions.end; each = any(der, each).end) {
                Der extension = read(der, each, SEQUENCE);
                if (objectId(der, extension.content).equals(ALTERNATIVES)) {
                    Der value = any(der, any(der, extension.content).end);
                    // Between the name of an extension and its value may stand whether it is critical.
                    value = value.tag == BOOLEAN ? any(der, value.end) : value;
                    names(der, read(der, value.content, SEQUENCE), kinds);
                }
            }
        }
    }

    private static void names(byte[] der, Der names, Set<CertificateSubject.Alternative> kinds) {
        for (int at = names.content; at < names.end; at = any(der, at).end) {
            switch (der[at] & 0xff) {
                case 0x81 -> kinds.add(CertificateSubject.Alternative.EMAIL);
                case 0x82 -> kinds.add(CertificateSubject.Alternative.DNS);
                case 0x86 -> kinds.add(CertificateSubject.Alternative.URI);
                case 0x87 -> kinds.add(CertificateSubject.Alternative.IP);
                default -> {}
            }
        }
    }

    private static Der read(byte[] der, int at, int tag) {
        if ((der[at] & 0xff) != tag) {
            throw new IllegalArgumentException("unexpected tag");
        }
        return any(der, at);
    }

    private static Der any(byte[] der, int at) {
        int length = der[at + 1] & 0xff;
        int content = at + 2;
        if (length > 0x80) {
            int count = length - 0x80;
            if (count > 3) {
                throw new IllegalArgumentException("length of " + count + " bytes");
            }
            length = 0;
            for (int i = 0; i < count; i++) {
                length = (length << 8) | (der[content++] & 0xff);
            }
        }
        if (content + length > der.length) {
            throw new IllegalArgumentException("truncated");
        }
        return new Der(der[at] & 0xff, at, content, content + length);
    }

    private static String objectId(byte[] der, int at) {
        Der id = read(der, at, OBJECT_ID);
        StringBuilder text = new StringBuilder();
        long part = 0;
        for (int i = id.content; i < id.end; i++) {
            part = (part << 7) | (der[i] & 0x7f);
            if ((der[i] & 0x80) != 0) {
                continue;
            }
            if (text.isEmpty()) {
                long first = Math.min(part / 40, 2);
                text.append(first).append('.').append(part - first * 40);
            } else {
                text.append('.').append(part);
            }
            part = 0;
        }
        return text.toString();
    }
}
