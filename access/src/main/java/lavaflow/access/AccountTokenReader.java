package lavaflow.access;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;
import lavaflow.store.Store;
import lavaflow.store.StoredObject;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Reads tokens of service accounts. A good signature is not enough: the account, and the pod, node or secret the token is
 * bound to, must still be the ones it was made for.
 */
public final class AccountTokenReader implements TokenAuthenticator {
    /** Something that is going away keeps its token for this long, so that it can finish. */
    private static final Duration LEEWAY = Duration.ofSeconds(60);

    /** The label of a secret that says on which day its token was last used. */
    public static final String LAST_USED = "kubernetes.io/legacy-token-last-used";

    /** The label of a secret whose token is not taken any more. */
    public static final String INVALID_SINCE = "kubernetes.io/legacy-token-invalid-since";

    private static final String AUTOMATIC =
            "Use tokens from the TokenRequest API or manually created secret-based tokens"
                    + " instead of auto-generated secret-based tokens.";
    private static final String ANNOTATION = "authentication.k8s.io/legacy-token";

    private static final int MAX_REMEMBERED = 2_000;
    private static final String EXTRA = "authentication.kubernetes.io/";

    private final AccountTokens tokens;
    private final Store store;
    private final InstantSource clock;
    /** Checking a signature is dear and its result never changes; everything else is looked at each time. */
    private final Map<String, ObjectNode> signed = new ConcurrentHashMap<>();

    /** Hears which tokens in secrets are used, so that those nobody uses can be found. */
    @FunctionalInterface
    public interface LegacyUse {
        /**
         * Writes the day down; must be quick and may be told the same again.
         *
         * @param date of today, in UTC
         */
        void on(String namespace, String secret, String date);
    }

    private final LegacyUse legacyUse;

    public AccountTokenReader(AccountTokens tokens, Store store, InstantSource clock, LegacyUse legacyUse) {
        this.legacyUse = legacyUse;
        this.tokens = tokens;
        this.store = store;
        this.clock = clock;
    }

    /** Ends the check of a token with a reason. */
    private static final class BadToken extends RuntimeException {
        BadToken(String why) {
            super(why, null, false, false);
        }
    }

    @Override
    public Outcome authenticate(String token, List<String> wanted) {
        Jwt jwt = Jwt.parse(token);
        if (jwt == null) {
            return NOT_MINE;
        }
        boolean legacy = jwt.issuer().equals(AccountTokens.LEGACY_ISSUER);
        if (!legacy && !jwt.issuer().equals(AccountTokens.ISSUER)) {
            return NOT_MINE;
        }
        ObjectNode claims = verified(token, jwt);
        if (claims == null) {
            return new Bad("go-jose/go-jose: error in cryptographic primitive");
        }
        try {
            return legacy ? legacy(claims, token, wanted) : bound(claims, wanted);
        } catch (BadToken e) {
            return new Bad(String.valueOf(e.getMessage()));
        }
    }

    private @Nullable ObjectNode verified(String token, Jwt jwt) {
        String digest = digest(token);
        ObjectNode known = signed.get(digest);
        if (known != null) {
            return known;
        }
        if (!tokens.keys().signed(jwt)) {
            return null;
        }
        if (signed.size() >= MAX_REMEMBERED) {
            signed.clear();
        }
        signed.put(digest, jwt.claims());
        return jwt.claims();
    }

    private static String digest(String token) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
            return Base64.getEncoder().encodeToString(hash);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    private Outcome bound(ObjectNode claims, List<String> wanted) {
        List<String> audiences = texts(claims.path("aud"));
        List<String> common = wanted.stream().filter(audiences::contains).toList();
        if (common.isEmpty()) {
            return new Bad(
                    "token audiences " + quoted(audiences) + " is invalid for the target audiences " + quoted(wanted));
        }
        long now = clock.instant().getEpochSecond();
        if (now > Json.longAt(claims, 0, "exp")) {
            throw new BadToken("service account token has expired");
        }
        if (now < Json.longAt(claims, Long.MAX_VALUE, "nbf")) {
            throw new BadToken("service account token is not valid yet");
        }
        String namespace = Json.textAt(claims, "kubernetes.io", "namespace");
        String name = Json.textAt(claims, "kubernetes.io", "serviceaccount", "name");
        String uid = Json.textAt(claims, "kubernetes.io", "serviceaccount", "uid");
        if (!Json.textAt(claims, "sub").equals(ServiceAccounts.userName(namespace, name))) {
            throw new BadToken("service account name does not match the subject");
        }
        account(namespace, name, uid);
        Map<String, List<String>> extra = new TreeMap<>();
        String id = Json.textAt(claims, "jti");
        if (!id.isEmpty()) {
            extra.put(EXTRA + "credential-id", List.of("JTI=" + id));
        }
        boundObject(claims, namespace, "secret", "secrets");
        boolean pod = boundObject(claims, namespace, "pod", "pods");
        if (!pod) {
            boundObject(claims, "", "node", "nodes");
        }
        for (String kind : List.of("pod", "node")) {
            for (String field : List.of("name", "uid")) {
                String value = Json.textAt(claims, "kubernetes.io", kind, field);
                if (!value.isEmpty()) {
                    extra.put(EXTRA + kind + "-" + field, List.of(value));
                }
            }
        }
        return new Good(user(namespace, name, uid, extra), common);
    }

    private static User user(String namespace, String name, String uid, Map<String, List<String>> extra) {
        List<String> groups = new ArrayList<>(ServiceAccounts.groups(namespace));
        groups.add(User.AUTHENTICATED);
        return new User(ServiceAccounts.userName(namespace, name), uid, List.copyOf(groups), extra);
    }

    private static List<String> texts(JsonNode value) {
        List<String> texts = new ArrayList<>();
        if (value.isTextual()) {
            texts.add(value.asText());
        }
        value.forEach(item -> texts.add(item.asText()));
        return texts;
    }

    private static String quoted(List<String> values) {
        return "[" + String.join(" ", values.stream().map(FieldErrors::quoted).toList()) + "]";
    }

    private void account(String namespace, String name, String uid) {
        JsonNode metadata = metadata("serviceaccounts", namespace + "/" + name);
        if (metadata == null) {
            throw new BadToken("serviceaccounts " + FieldErrors.quoted(name) + " not found");
        }
        if (isGone(metadata)) {
            throw new BadToken("service account " + namespace + "/" + name + " has been deleted");
        }
        String present = metadata.path("uid").asText();
        if (!present.equals(uid)) {
            throw new BadToken("service account UID (" + present + ") does not match claim (" + uid + ")");
        }
    }

    /** False where the token is not bound to an object of that kind. */
    private boolean boundObject(ObjectNode claims, String namespace, String kind, String bucket) {
        JsonNode reference = claims.path("kubernetes.io").path(kind);
        if (!reference.isObject()) {
            return false;
        }
        String name = reference.path("name").asText();
        JsonNode metadata = metadata(bucket, namespace.isEmpty() ? name : namespace + "/" + name);
        if (metadata == null || isGone(metadata)) {
            throw new BadToken("service account token has been invalidated");
        }
        String wanted = reference.path("uid").asText();
        String present = metadata.path("uid").asText();
        if (!wanted.equals(present)) {
            throw new BadToken(kind + " UID (" + present + ") does not match service account " + kind + " ref claim ("
                    + wanted + ")");
        }
        return true;
    }

    private @Nullable JsonNode metadata(String bucket, String key) {
        StoredObject object = store.get(bucket, key);
        return object == null ? null : Json.parseObject(object.bytes()).path("metadata");
    }

    private boolean isGone(JsonNode metadata) {
        String deletion = metadata.path("deletionTimestamp").asText();
        try {
            return !deletion.isEmpty()
                    && clock.instant().isAfter(Instant.parse(deletion).plus(LEEWAY));
        } catch (DateTimeParseException e) {
            return true;
        }
    }

    private Outcome legacy(ObjectNode claims, String token, List<String> wanted) {
        // Such a token names no audience: it is meant for the API server and nobody else.
        if (!wanted.contains(AccountTokens.ISSUER)) {
            return new Bad("token audiences " + quoted(List.of(AccountTokens.ISSUER))
                    + " is invalid for the target audiences " + quoted(wanted));
        }
        String namespace = claims.path(AccountTokens.LEGACY_CLAIM + "namespace").asText();
        String name =
                claims.path(AccountTokens.LEGACY_CLAIM + "service-account.name").asText();
        String uid =
                claims.path(AccountTokens.LEGACY_CLAIM + "service-account.uid").asText();
        String secretName =
                claims.path(AccountTokens.LEGACY_CLAIM + "secret.name").asText();
        StoredObject stored = store.get("secrets", namespace + "/" + secretName);
        ObjectNode secret = stored == null ? null : Json.parseObject(stored.bytes());
        boolean holds = secret != null
                && Json.textAt(secret, "metadata", "deletionTimestamp").isEmpty()
                && Json.textAt(secret, "data", "token")
                        .equals(Base64.getEncoder().encodeToString(token.getBytes(StandardCharsets.UTF_8)));
        if (secret == null || !holds) {
            throw new BadToken("service account token has been invalidated");
        }
        account(namespace, name, uid);
        String today = clock.instant().atOffset(ZoneOffset.UTC).toLocalDate().toString();
        if (!Json.textAt(secret, "metadata", "labels", LAST_USED).equals(today)) {
            legacyUse.on(namespace, secretName, today);
        }
        if (!Json.textAt(secret, "metadata", "labels", INVALID_SINCE).isEmpty()) {
            throw new BadToken("the token in secret " + namespace + "/" + secretName + " for service account "
                    + namespace + "/" + name
                    + " has been marked invalid. Use tokens from the TokenRequest API or manually"
                    + " created secret-based tokens, or remove the '" + INVALID_SINCE
                    + "' label from the secret to temporarily allow use of this token");
        }
        return new Good(
                user(namespace, name, uid, Map.of()),
                List.of(AccountTokens.ISSUER),
                remarks(namespace, name, secretName));
    }

    /** What is said about a token that somebody made by hand, or that the account names because a controller made it. */
    private Remarks remarks(String namespace, String name, String secret) {
        StoredObject stored = store.get("serviceaccounts", namespace + "/" + name);
        boolean automatic = false;
        for (JsonNode each :
                Json.listAt(stored == null ? Json.object() : Json.parseObject(stored.bytes()), "secrets")) {
            automatic |= Json.textAt(each, "name").equals(secret);
        }
        Map<String, String> annotations = new TreeMap<>();
        annotations.put(ANNOTATION, ServiceAccounts.userName(namespace, name));
        annotations.put(ANNOTATION + (automatic ? "-autogenerated-secret" : "-manual-secret"), secret);
        return new Remarks(automatic ? List.of(AUTOMATIC) : List.of(), annotations);
    }
}
