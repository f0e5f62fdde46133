package lavaflow.nodeserver;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.CertPathValidator;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.security.auth.x500.X500Principal;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the API server: certificates are those of the cluster's authority for clients, tokens and rights are reviewed. Answers are kept for
 * a short while, and not many. Safe for all threads.
 */
public final class ReviewedAccess implements NodeAccess {
    private static final Logger LOG = LoggerFactory.getLogger(ReviewedAccess.class);
    private static final KubeApi.Kind TOKEN_REVIEWS =
            new KubeApi.Kind("authentication.k8s.io", "v1", "tokenreviews", false);
    private static final KubeApi.Kind ACCESS_REVIEWS =
            new KubeApi.Kind("authorization.k8s.io", "v1", "subjectaccessreviews", false);
    private static final String AUTHENTICATED = "system:authenticated";
    private static final String CLIENT_AUTH = "1.3.6.1.5.5.7.3.2";

    /** As long as kubelets remember. */
    private static final Duration TOKENS_FOR = Duration.ofMinutes(2);

    private static final Duration ALLOWED_FOR = Duration.ofMinutes(5);
    private static final Duration DENIED_FOR = Duration.ofSeconds(30);
    private static final Duration AUTHORITIES_FOR = Duration.ofMinutes(1);
    private static final int MOST_REMEMBERED = 512;

    private record Remembered<T>(T value, long untilMillis) {}

    private record Question(Caller caller, String verb, String subresource) {}

    private final KubeApi api;
    private final String node;
    private final InstantSource clock;
    private final Map<String, Remembered<Caller>> tokens = remembering();
    private final Map<Question, Remembered<Boolean>> rights = remembering();
    private Remembered<Set<TrustAnchor>> authorities = new Remembered<>(Set.of(), 0);

    /** @param node the name of the node whose parts are asked for */
    public ReviewedAccess(KubeApi api, String node, InstantSource clock) {
        this.api = api;
        this.node = node;
        this.clock = clock;
    }

    private static <K, V> Map<K, V> remembering() {
        return new LinkedHashMap<>() {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
                return size() > MOST_REMEMBERED;
            }
        };
    }

    @Override
    public Optional<Caller> byCertificate(List<X509Certificate> chain) {
        if (chain.isEmpty()) {
            return Optional.empty();
        }
        X509Certificate leaf = chain.getFirst();
        try {
            PKIXParameters parameters = new PKIXParameters(authorities());
            parameters.setRevocationEnabled(false);
            parameters.setDate(Date.from(clock.instant()));
            CertPathValidator.getInstance("PKIX")
                    .validate(CertificateFactory.getInstance("X.509").generateCertPath(chain), parameters);
            List<String> usages = leaf.getExtendedKeyUsage();
            boolean client = usages != null && usages.contains(CLIENT_AUTH) && leaf.getBasicConstraints() < 0;
            return client ? owner(leaf) : Optional.empty();
        } catch (GeneralSecurityException | InvalidNameException e) {
            return Optional.empty();
        }
    }

    private static Optional<Caller> owner(X509Certificate certificate) throws InvalidNameException {
        String name = "";
        List<String> groups = new ArrayList<>();
        String subject = certificate.getSubjectX500Principal().getName(X500Principal.RFC2253);
        for (Rdn part : new LdapName(subject).getRdns()) {
            if (part.getType().equalsIgnoreCase("CN")) {
                name = String.valueOf(part.getValue());
            } else if (part.getType().equalsIgnoreCase("O")) {
                groups.add(String.valueOf(part.getValue()));
            }
        }
        groups.add(AUTHENTICATED);
        return name.isEmpty() ? Optional.empty() : Optional.of(new Caller(name, "", groups, Map.of()));
    }

    private synchronized Set<TrustAnchor> authorities() throws GeneralSecurityException {
        if (authorities.untilMillis() < clock.millis()) {
            ObjectNode published = published();
            byte[] pem = Json.textAt(published, "data", "client-ca-file").getBytes(StandardCharsets.US_ASCII);
            Set<TrustAnchor> anchors = new LinkedHashSet<>();
            for (var each :
                    CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(pem))) {
                anchors.add(new TrustAnchor((X509Certificate) each, null));
            }
            authorities = new Remembered<>(anchors, clock.millis() + AUTHORITIES_FOR.toMillis());
        }
        return authorities.value();
    }

    /** Where nodes may not read it, nobody is known by a certificate; tokens still count. */
    private ObjectNode published() {
        try {
            return api.find(KubeApi.Kind.core("configmaps"), "kube-system", "extension-apiserver-authentication")
                    .orElseGet(Json::object);
        } catch (ApiException e) {
            LOG.warn("clients of this node are not known by their certificates: {}", e.getMessage());
            return Json.object();
        }
    }

    @Override
    public Optional<Caller> byToken(String token) {
        synchronized (tokens) {
            Remembered<Caller> known = tokens.get(token);
            if (known != null && known.untilMillis() >= clock.millis()) {
                return Optional.of(known.value());
            }
        }
        ObjectNode review = Json.object().put("kind", "TokenReview").put("apiVersion", "authentication.k8s.io/v1");
        review.putObject("spec").put("token", token);
        ObjectNode answer = api.create(TOKEN_REVIEWS, "", review);
        if (!Json.flagAt(answer, "status", "authenticated")) {
            return Optional.empty();
        }
        JsonNode user = Json.at(answer, "status", "user");
        Map<String, List<String>> extra = new LinkedHashMap<>();
        ObjectNode given = Json.objectAt(user, "extra");
        if (given != null) {
            given.properties().forEach(each -> extra.put(each.getKey(), texts(each.getValue())));
        }
        Caller caller = new Caller(
                Json.textAt(user, "username"), Json.textAt(user, "uid"), texts(Json.listAt(user, "groups")), extra);
        synchronized (tokens) {
            tokens.put(token, new Remembered<>(caller, clock.millis() + TOKENS_FOR.toMillis()));
        }
        return Optional.of(caller);
    }

    private static List<String> texts(JsonNode list) {
        List<String> texts = new ArrayList<>();
        list.forEach(each -> texts.add(each.asText()));
        return texts;
    }

    @Override
    public boolean allows(Caller caller, Wish wish) {
        return wish.subresources().stream().anyMatch(part -> allows(new Question(caller, wish.verb(), part)));
    }

    private boolean allows(Question question) {
        synchronized (rights) {
            Remembered<Boolean> known = rights.get(question);
            if (known != null && known.untilMillis() >= clock.millis()) {
                return known.value();
            }
        }
        boolean allowed = Json.flagAt(api.create(ACCESS_REVIEWS, "", review(question)), "status", "allowed");
        Duration memory = allowed ? ALLOWED_FOR : DENIED_FOR;
        synchronized (rights) {
            rights.put(question, new Remembered<>(allowed, clock.millis() + memory.toMillis()));
        }
        return allowed;
    }

    private ObjectNode review(Question question) {
        Caller caller = question.caller();
        ObjectNode review = Json.object();
        review.put("kind", "SubjectAccessReview").put("apiVersion", "authorization.k8s.io/v1");
        ObjectNode spec = review.putObject("spec");
        spec.putObject("resourceAttributes")
                .put("verb", question.verb())
                .put("version", "v1")
                .put("resource", "nodes")
                .put("subresource", question.subresource())
                .put("name", node);
        spec.put("user", caller.name());
        if (!caller.uid().isEmpty()) {
            spec.put("uid", caller.uid());
        }
        caller.groups().forEach(spec.putArray("groups")::add);
        if (!caller.extra().isEmpty()) {
            ObjectNode extra = spec.putObject("extra");
            caller.extra().forEach((key, values) -> values.forEach(extra.withArray(key)::add));
        }
        return review;
    }
}
