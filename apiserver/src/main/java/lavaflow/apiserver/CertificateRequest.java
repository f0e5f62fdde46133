package lavaflow.apiserver;

import java.io.IOException;
import java.io.StringWriter;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.util.ArrayList;
import java.util.List;

import org.bouncycastle.asn1.pkcs.PKCSObjectIdentifiers;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.ExtensionsGenerator;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.pkcs.jcajce.JcaPKCS10CertificationRequestBuilder;

/** A key of our own, and the request for a certificate that others sign for it. */
public record CertificateRequest(PrivateKey key, String pem) {
    /** Whose it is, and nothing of the key: this may end up in a log. */
    @Override
    public String toString() {
        return pem;
    }

    /**
     * A request with a fresh key.
     *
     * @param names other names of a server; empty for clients
     * @param addresses and its addresses
     */
    public static CertificateRequest create(
            String commonName, List<String> organizations, List<String> names, List<String> addresses) {
        X500NameBuilder subject = new X500NameBuilder();
        organizations.forEach(each -> subject.addRDN(BCStyle.O, each));
        subject.addRDN(BCStyle.CN, commonName);
        KeyPair pair = CertificateAuthority.newKey();
        var request = new JcaPKCS10CertificationRequestBuilder(subject.build(), pair.getPublic());
        List<GeneralName> alternatives = new ArrayList<>();
        names.forEach(each -> alternatives.add(new GeneralName(GeneralName.dNSName, each)));
        addresses.forEach(each -> alternatives.add(new GeneralName(GeneralName.iPAddress, each)));
        try {
            if (!alternatives.isEmpty()) {
                ExtensionsGenerator extensions = new ExtensionsGenerator();
                extensions.addExtension(
                        Extension.subjectAlternativeName,
                        false,
                        new GeneralNames(alternatives.toArray(new GeneralName[0])));
                request.addAttribute(PKCSObjectIdentifiers.pkcs_9_at_extensionRequest, extensions.generate());
            }
            StringWriter text = new StringWriter();
            try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
                writer.writeObject(
                        request.build(new JcaContentSignerBuilder("SHA256withECDSA").build(pair.getPrivate())));
            }
            return new CertificateRequest(pair.getPrivate(), text.toString());
        } catch (IOException | OperatorCreationException e) {
            throw new IllegalStateException("cannot ask for a certificate for " + commonName, e);
        }
    }

    /** The key together with what a signer answered; the first certificate counts. */
    public Identity answered(String certificatePem) throws IOException {
        return new Identity(key, Identity.parseCertificate(certificatePem));
    }
}
