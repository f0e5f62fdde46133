package lavaflow.apiserver;

import java.io.IOException;
import java.io.StringReader;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Map;

import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.Extensions;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.PEMKeyPair;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.pkcs.PKCS10CertificationRequest;

/** A cluster's own certificate authority: makes and signs P-256 keys for servers and clients. */
public final class CertificateAuthority {
    private static final Duration LIFETIME = Duration.ofDays(3650);
    private static final Duration CLOCK_SKEW = Duration.ofMinutes(5);
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Identity identity;

    private CertificateAuthority(Identity identity) {
        this.identity = identity;
    }

    /** A new authority with a key of its own. */
    public static CertificateAuthority create(String commonName, Instant now) {
        KeyPair pair = newKey();
        X500Name name = new X500NameBuilder().addRDN(BCStyle.CN, commonName).build();
        X509v3CertificateBuilder builder = builder(name, name, pair, now);
        try {
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(true));
            builder.addExtension(
                    Extension.keyUsage,
                    true,
                    new KeyUsage(KeyUsage.digitalSignature | KeyUsage.keyCertSign | KeyUsage.cRLSign));
            builder.addExtension(
                    Extension.subjectKeyIdentifier,
                    false,
                    new JcaX509ExtensionUtils().createSubjectKeyIdentifier(pair.getPublic()));
        } catch (CertIOException | GeneralSecurityException e) {
            throw new IllegalStateException("cannot make the certificate authority", e);
        }
        return new CertificateAuthority(new Identity(pair.getPrivate(), sign(builder, pair.getPrivate())));
    }

    public static CertificateAuthority of(Identity identity) {
        return new CertificateAuthority(identity);
    }

    /**
     * Reads an authority that others made: any kind of key, in any form that OpenSSL writes.
     *
     * @param certificatePem the first certificate counts
     */
    public static CertificateAuthority read(String certificatePem, String keyPem) throws IOException {
        try (PEMParser parser = new PEMParser(new StringReader(certificatePem))) {
            if (!(parser.readObject() instanceof X509CertificateHolder holder)) {
                throw new IOException("no certificate in the PEM text");
            }
            return new CertificateAuthority(
                    new Identity(readKey(keyPem), new JcaX509CertificateConverter().getCertificate(holder)));
        } catch (GeneralSecurityException e) {
            throw new IOException("the certificate cannot be read", e);
        }
    }

    /** Reads a private key in any form that OpenSSL writes without a password. */
    public static PrivateKey readKey(String pem) throws IOException {
        JcaPEMKeyConverter converter = new JcaPEMKeyConverter();
        try (PEMParser parser = new PEMParser(new StringReader(pem))) {
            for (Object part = parser.readObject(); part != null; part = parser.readObject()) {
                // A key of an elliptic curve may come after the name of its curve.
                if (part instanceof PEMKeyPair pair) {
                    return converter.getPrivateKey(pair.getPrivateKeyInfo());
                }
                if (part instanceof PrivateKeyInfo info) {
                    return converter.getPrivateKey(info);
                }
            }
        }
        throw new IOException("no private key in the PEM text");
    }

    public Identity identity() {
        return identity;
    }

    public X509Certificate certificate() {
        return identity.certificate();
    }

    /** A key and certificate for a server reachable under the given names and addresses. */
    public Identity issueServer(String commonName, List<String> names, List<String> addresses, Instant now) {
        GeneralName[] alternatives = new GeneralName[names.size() + addresses.size()];
        int next = 0;
        for (String name : names) {
            alternatives[next++] = new GeneralName(GeneralName.dNSName, name);
        }
        for (String address : addresses) {
            alternatives[next++] = new GeneralName(GeneralName.iPAddress, address);
        }
        X500Name subject = new X500NameBuilder().addRDN(BCStyle.CN, commonName).build();
        return issue(subject, KeyPurposeId.id_kp_serverAuth, new GeneralNames(alternatives), now);
    }

    /** A key and certificate for a user with groups. */
    public Identity issueClient(String user, List<String> groups, Instant now) {
        X500NameBuilder subject = new X500NameBuilder();
        for (String group : groups) {
            subject.addRDN(BCStyle.O, group);
        }
        subject.addRDN(BCStyle.CN, user);
        return issue(subject.build(), KeyPurposeId.id_kp_clientAuth, null, now);
    }

    private Identity issue(
            X500Name subject,
            KeyPurposeId purpose,
            @org.jspecify.annotations.Nullable GeneralNames alternatives,
            Instant now) {
        KeyPair pair = newKey();
        X500Name issuer = X500Name.getInstance(
                identity.certificate().getSubjectX500Principal().getEncoded());
        X509v3CertificateBuilder builder = builder(issuer, subject, pair, now);
        try {
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
            builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
            builder.addExtension(Extension.extendedKeyUsage, false, new ExtendedKeyUsage(purpose));
            builder.addExtension(
                    Extension.authorityKeyIdentifier,
                    false,
                    new JcaX509ExtensionUtils().createAuthorityKeyIdentifier(identity.certificate()));
            if (alternatives != null) {
                builder.addExtension(Extension.subjectAlternativeName, false, alternatives);
            }
        } catch (CertIOException | GeneralSecurityException e) {
            throw new IllegalStateException("cannot make a certificate for " + subject, e);
        }
        return new Identity(pair.getPrivate(), sign(builder, identity.key()));
    }

    /** Usages as requests name them; those that are flags of a key. */
    private static final Map<String, Integer> KEY_USAGES = Map.of(
            "signing", KeyUsage.digitalSignature,
            "digital signature", KeyUsage.digitalSignature,
            "content commitment", KeyUsage.nonRepudiation,
            "key encipherment", KeyUsage.keyEncipherment,
            "key agreement", KeyUsage.keyAgreement,
            "data encipherment", KeyUsage.dataEncipherment);

    private static final Map<String, KeyPurposeId> PURPOSES = Map.of(
            "any", KeyPurposeId.anyExtendedKeyUsage,
            "server auth", KeyPurposeId.id_kp_serverAuth,
            "client auth", KeyPurposeId.id_kp_clientAuth,
            "code signing", KeyPurposeId.id_kp_codeSigning,
            "email protection", KeyPurposeId.id_kp_emailProtection,
            "timestamping", KeyPurposeId.id_kp_timeStamping,
            "ocsp signing", KeyPurposeId.id_kp_OCSPSigning);

    /** Signs a request as it is: its subject and its alternative names, never as an authority. */
    public String signRequest(String requestPem, List<String> usages, Duration lifetime, Instant now)
            throws IOException {
        try (PEMParser parser = new PEMParser(new StringReader(requestPem))) {
            if (!(parser.readObject() instanceof PKCS10CertificationRequest request)) {
                throw new IOException("no request for a certificate in the PEM text");
            }
            X500Name issuer = X500Name.getInstance(
                    identity.certificate().getSubjectX500Principal().getEncoded());
            Instant last = identity.certificate().getNotAfter().toInstant();
            Instant end = now.plus(lifetime);
            X509v3CertificateBuilder builder = new X509v3CertificateBuilder(
                    issuer,
                    new BigInteger(Long.SIZE * 2 - 1, RANDOM),
                    Date.from(now.minus(CLOCK_SKEW)),
                    Date.from(end.isAfter(last) ? last : end),
                    request.getSubject(),
                    request.getSubjectPublicKeyInfo());
            extend(builder, request, usages);
            return Identity.certificatePem(sign(builder, identity.key()));
        } catch (GeneralSecurityException e) {
            throw new IOException("cannot sign the request", e);
        }
    }

    private void extend(X509v3CertificateBuilder builder, PKCS10CertificationRequest request, List<String> usages)
            throws CertIOException, GeneralSecurityException {
        int flags = 0;
        List<KeyPurposeId> purposes = new ArrayList<>();
        for (String usage : usages) {
            flags |= KEY_USAGES.getOrDefault(usage, 0);
            KeyPurposeId purpose = PURPOSES.get(usage);
            if (purpose != null) {
                purposes.add(purpose);
            }
        }
        if (flags != 0) {
            builder.addExtension(Extension.keyUsage, true, new KeyUsage(flags));
        }
        if (!purposes.isEmpty()) {
            builder.addExtension(
                    Extension.extendedKeyUsage, false, new ExtendedKeyUsage(purposes.toArray(new KeyPurposeId[0])));
        }
        builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
        builder.addExtension(
                Extension.authorityKeyIdentifier,
                false,
                new JcaX509ExtensionUtils().createAuthorityKeyIdentifier(identity.certificate()));
        Extensions wanted = request.getRequestedExtensions();
        Extension names = wanted == null ? null : wanted.getExtension(Extension.subjectAlternativeName);
        if (names != null) {
            builder.addExtension(names);
        }
    }

    private static X509v3CertificateBuilder builder(X500Name issuer, X500Name subject, KeyPair pair, Instant now) {
        BigInteger serial = new BigInteger(Long.SIZE * 2 - 1, RANDOM);
        return new JcaX509v3CertificateBuilder(
                issuer,
                serial,
                Date.from(now.minus(CLOCK_SKEW)),
                Date.from(now.plus(LIFETIME)),
                subject,
                pair.getPublic());
    }

    private static X509Certificate sign(X509v3CertificateBuilder builder, PrivateKey key) {
        try {
            return new JcaX509CertificateConverter()
                    .getCertificate(builder.build(new JcaContentSignerBuilder(algorithm(key)).build(key)));
        } catch (OperatorCreationException | GeneralSecurityException e) {
            throw new IllegalStateException("cannot sign a certificate", e);
        }
    }

    private static String algorithm(PrivateKey key) {
        return switch (key.getAlgorithm()) {
            case "RSA" -> "SHA256withRSA";
            case "EC", "ECDSA" -> "SHA256withECDSA";
            default -> key.getAlgorithm();
        };
    }

    static KeyPair newKey() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java has no P-256", e);
        }
    }
}
