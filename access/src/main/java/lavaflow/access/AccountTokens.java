package lavaflow.access;

import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Makes tokens of service accounts. */
public final class AccountTokens {
    /** The name under which this cluster issues tokens, and for whom they are unless said otherwise. */
    public static final String ISSUER = "https://kubernetes.default.svc.cluster.local";

    static final String LEGACY_ISSUER = "kubernetes/serviceaccount";
    static final String LEGACY_CLAIM = "kubernetes.io/serviceaccount/";

    /** An object by name and uid; the uid may be empty. */
    public record Reference(String name, String uid) {}

    /**
     * What a token says.
     *
     * @param warnAfter null where the token dies when it says
     */
    public record Content(
            String namespace,
            Reference account,
            @Nullable Reference pod,
            @Nullable Reference node,
            @Nullable Reference secret,
            List<String> audiences,
            long seconds,
            @Nullable Instant warnAfter) {}

    private final Supplier<TokenKeys> keys;
    private final InstantSource clock;

    /**
     * @param keys read when first needed: making a key takes a moment that an ordinary start need not wait for
     */
    public AccountTokens(Supplier<TokenKeys> keys, InstantSource clock) {
        this.keys = keys;
        this.clock = clock;
    }

    public TokenKeys keys() {
        return keys.get();
    }

    /** A token bound to a time and perhaps to an object. */
    public String issue(Content content) {
        long now = clock.instant().getEpochSecond();
        ObjectNode claims = Json.object();
        ArrayNode audiences = claims.putArray("aud");
        content.audiences().forEach(audiences::add);
        claims.put("exp", now + content.seconds());
        claims.put("iat", now);
        claims.put("iss", ISSUER);
        claims.put("jti", UUID.randomUUID().toString());
        ObjectNode own = claims.putObject("kubernetes.io");
        own.put("namespace", content.namespace());
        put(own, "node", content.node());
        put(own, "pod", content.pod());
        put(own, "secret", content.secret());
        put(own, "serviceaccount", content.account());
        if (content.warnAfter() != null) {
            own.put("warnafter", content.warnAfter().getEpochSecond());
        }
        claims.put("nbf", now);
        claims.put(
                "sub",
                ServiceAccounts.userName(content.namespace(), content.account().name()));
        return keys.get().sign(claims);
    }

    private static void put(ObjectNode claims, String field, @Nullable Reference reference) {
        if (reference != null) {
            ObjectNode shown = claims.putObject(field).put("name", reference.name());
            if (!reference.uid().isEmpty()) {
                shown.put("uid", reference.uid());
            }
        }
    }

    /** The old kind of token, good for as long as the secret that holds it exists. */
    public String issueLegacy(String namespace, Reference account, String secret) {
        ObjectNode claims = Json.object();
        claims.put("iss", LEGACY_ISSUER);
        claims.put(LEGACY_CLAIM + "namespace", namespace);
        claims.put(LEGACY_CLAIM + "secret.name", secret);
        claims.put(LEGACY_CLAIM + "service-account.name", account.name());
        claims.put(LEGACY_CLAIM + "service-account.uid", account.uid());
        claims.put("sub", ServiceAccounts.userName(namespace, account.name()));
        return keys.get().sign(claims);
    }
}
