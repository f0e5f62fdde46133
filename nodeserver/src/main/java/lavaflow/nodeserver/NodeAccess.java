package lavaflow.nodeserver;

import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Who may ask a node, and for what. */
public interface NodeAccess {
    /** Somebody known. */
    record Caller(String name, String uid, List<String> groups, Map<String, List<String>> extra) {}

    /** What somebody wants: a verb on a part of this node; the parts are tried in order, one is enough. */
    record Wish(String verb, List<String> subresources) {}

    /** The owner of a certificate that was shown (and proven) in the handshake; nobody where it is not one of the cluster's. */
    Optional<Caller> byCertificate(List<X509Certificate> chain);

    Optional<Caller> byToken(String token);

    boolean allows(Caller caller, Wish wish);
}
