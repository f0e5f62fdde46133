package lavaflow.apiserver;

import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;

import lavaflow.access.User;

import org.jspecify.annotations.Nullable;

/**
 * The trust between API servers: one that shows a certificate of this authority may say in headers whom it speaks for.
 *
 * @param authority signs front proxies, and nobody else
 * @param client what this server shows when it asks another one
 * @param allowedName the common name a front proxy must have
 */
public record FrontProxy(X509Certificate authority, Identity client, String allowedName) {
    static final String USER = "X-Remote-User";
    static final String UID = "X-Remote-Uid";
    static final String GROUP = "X-Remote-Group";
    static final String EXTRA = "X-Remote-Extra-";

    /** The user a front proxy speaks for; null where it is none, or does not say. From anyone else headers mean nothing. */
    @Nullable
    User user(Exchange exchange, Instant now) {
        String name = exchange.header(USER);
        if (name == null || name.isEmpty() || !isFrontProxy(exchange.clientCertificates(), now)) {
            return null;
        }
        String uid = exchange.header(UID);
        List<String> groups = new ArrayList<>(exchange.headers(GROUP));
        if (!groups.contains(User.AUTHENTICATED) && !groups.contains("system:unauthenticated")) {
            groups.add(User.AUTHENTICATED);
        }
        Map<String, List<String>> extra = new LinkedHashMap<>();
        for (String header : exchange.headerNames()) {
            if (header.regionMatches(true, 0, EXTRA, 0, EXTRA.length())) {
                String key = Query.decode(header.substring(EXTRA.length()), false);
                if (key != null) {
                    extra.put(key.toLowerCase(Locale.ROOT), exchange.headers(header));
                }
            }
        }
        return new User(name, uid == null ? "" : uid, List.copyOf(groups), extra);
    }

    private boolean isFrontProxy(List<X509Certificate> chain, Instant now) {
        if (chain.isEmpty()) {
            return false;
        }
        X509Certificate leaf = chain.getFirst();
        try {
            leaf.checkValidity(Date.from(now));
            leaf.verify(authority.getPublicKey());
            return leaf.getBasicConstraints() < 0
                    && leaf.getIssuerX500Principal().equals(authority.getSubjectX500Principal())
                    && commonName(leaf).equals(allowedName);
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    private static String commonName(X509Certificate certificate) {
        try {
            for (Rdn part : new LdapName(certificate.getSubjectX500Principal().getName()).getRdns()) {
                if (part.getType().equalsIgnoreCase("CN")) {
                    return String.valueOf(part.getValue());
                }
            }
            return "";
        } catch (InvalidNameException e) {
            return "";
        }
    }
}
