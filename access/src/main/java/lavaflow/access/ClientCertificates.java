package lavaflow.access;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Date;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.security.auth.x500.X500Principal;

import org.jspecify.annotations.Nullable;

/** Tells who a client certificate belongs to: common name is the user, organisations are groups. */
public final class ClientCertificates implements Authenticator {
    private static final String CLIENT_AUTH = "1.3.6.1.5.5.7.3.2";
    private static final String CREDENTIAL = "authentication.kubernetes.io/credential-id";

    private static final int MAX_USERS = 1_000;

    private final X509Certificate authority;
    private final InstantSource clock;
    /** Whose a certificate of ours is never changes, and every request asks. */
    private final Map<X509Certificate, User> users = new ConcurrentHashMap<>();

    public ClientCertificates(X509Certificate authority, InstantSource clock) {
        this.authority = authority;
        this.clock = clock;
    }

    @Override
    public Outcome authenticate(Presented presented) {
        if (presented.certificates().isEmpty()) {
            return ABSENT;
        }
        User user = user(presented.certificates());
        return user == null
                ? new Refused("the client certificate is not of this cluster, not valid now or not for clients")
                : new Authenticated(user);
    }

    private @Nullable User user(List<X509Certificate> chain) {
        X509Certificate leaf = chain.getFirst();
        try {
            leaf.checkValidity(Date.from(clock.instant()));
        } catch (CertificateException e) {
            return null;
        }
        User known = users.get(leaf);
        if (known != null) {
            return known;
        }
        User user = isOurs(leaf) ? user(leaf) : null;
        if (user != null && users.size() < MAX_USERS) {
            users.put(leaf, user);
        }
        return user;
    }

    private boolean isOurs(X509Certificate leaf) {
        PublicKey key = authority.getPublicKey();
        try {
            if (!leaf.getIssuerX500Principal().equals(authority.getSubjectX500Principal())) {
                return false;
            }
            leaf.verify(key);
            List<String> usages = leaf.getExtendedKeyUsage();
            return leaf.getBasicConstraints() < 0 && usages != null && usages.contains(CLIENT_AUTH);
        } catch (CertificateException e) {
            return false;
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    private static @Nullable User user(X509Certificate certificate) {
        X500Principal subject = certificate.getSubjectX500Principal();
        String name = "";
        List<String> groups = new ArrayList<>();
        try {
            List<Rdn> parts = new LdapName(subject.getName(X500Principal.RFC2253)).getRdns();
            for (Rdn part : parts) {
                if (part.getType().equalsIgnoreCase("CN")) {
                    name = String.valueOf(part.getValue());
                } else if (part.getType().equalsIgnoreCase("O")) {
                    groups.add(String.valueOf(part.getValue()));
                }
            }
        } catch (InvalidNameException e) {
            return null;
        }
        if (name.isEmpty()) {
            return null;
        }
        groups.add(User.AUTHENTICATED);
        return new User(name, List.copyOf(groups), Map.of(CREDENTIAL, List.of("X509SHA256=" + digest(certificate))));
    }

    private static String digest(X509Certificate certificate) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
