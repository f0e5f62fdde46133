package lavaflow.kinds;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.security.auth.x500.X500Principal;

import org.jspecify.annotations.Nullable;

/** Whom a request asks a certificate for. */
public record CertificateSubject(String commonName, List<String> organisations, Set<Alternative> alternatives) {
    /** Kinds of alternative names. */
    public enum Alternative {
        DNS,
        EMAIL,
        IP,
        URI
    }

    /** Null where the text holds no request that can be read. */
    public static @Nullable CertificateSubject of(String requestPem) {
        byte[] subject = CertificateRequest.subject(requestPem.getBytes(StandardCharsets.ISO_8859_1));
        if (subject == null) {
            return null;
        }
        String commonName = "";
        List<String> organisations = new ArrayList<>();
        try {
            for (Rdn part : new LdapName(new X500Principal(subject).getName(X500Principal.RFC2253)).getRdns()) {
                var values = part.toAttributes().getAll();
                while (values.hasMoreElements()) {
                    var attribute = values.nextElement();
                    String value = String.valueOf(attribute.get());
                    switch (attribute.getID().toUpperCase(java.util.Locale.ROOT)) {
                        case "CN" -> commonName = value;
                        case "O" -> organisations.add(value);
                        default -> {}
                    }
                }
            }
        } catch (InvalidNameException | IllegalArgumentException e) {
            return null;
        } catch (javax.naming.NamingException e) {
            return null;
        }
        return new CertificateSubject(
                commonName,
                organisations,
                CertificateRequest.alternatives(requestPem.getBytes(StandardCharsets.ISO_8859_1)));
    }
}
