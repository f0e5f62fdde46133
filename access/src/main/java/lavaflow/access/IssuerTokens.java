package lavaflow.access;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads tokens of one OpenID issuer that an administrator trusts. */
public final class IssuerTokens implements TokenAuthenticator {
    private static final Logger LOG = LoggerFactory.getLogger(IssuerTokens.class);
    /** Nobody can make this server ask the issuer more often by showing tokens with made-up keys. */
    private static final Duration LEAST_PAUSE = Duration.ofSeconds(10);

    /** Which claim to take, and what to write before it. */
    public record Mapping(String claim, String prefix) {}

    /**
     * What the configuration says of an issuer.
     *
     * @param groups null where groups are not taken from the token
     * @param required claims and the values they must have
     */
    public record Issuer(
            String url,
            String discoveryUrl,
            String authorityPem,
            List<String> audiences,
            Mapping username,
            @Nullable Mapping groups,
            String uidClaim,
            Map<String, String> required) {}

    private final Issuer issuer;
    private final InstantSource clock;
    private final IssuerClient client;
    private @Nullable IssuerKeys keys;
    private Instant fetched = Instant.MIN;

    public IssuerTokens(Issuer issuer, InstantSource clock) {
        this.issuer = issuer;
        this.clock = clock;
        this.client = new IssuerClient(issuer.url(), issuer.discoveryUrl(), issuer.authorityPem());
    }

    @Override
    public Outcome authenticate(String token, List<String> audiences) {
        Jwt jwt = Jwt.parse(token);
        if (jwt == null || !jwt.issuer().equals(issuer.url())) {
            return NOT_MINE;
        }
        IssuerKeys known = keysFor(jwt.keyId());
        if (known == null || !known.signed(jwt)) {
            return new Bad("oidc: failed to verify signature");
        }
        String problem = problem(jwt.claims());
        return problem.isEmpty() ? user(jwt.claims(), audiences) : new Bad("oidc: " + problem);
    }

    private synchronized @Nullable IssuerKeys keysFor(String keyId) {
        IssuerKeys known = keys;
        boolean enough = known != null && (keyId.isEmpty() || known.knows(keyId));
        Instant now = clock.instant();
        if (enough || (!fetched.equals(Instant.MIN) && now.isBefore(fetched.plus(LEAST_PAUSE)))) {
            return known;
        }
        fetched = now;
        try {
            keys = client.fetch();
        } catch (IOException | IllegalArgumentException e) {
            LOG.warn("cannot fetch the keys of the issuer {}: {}", issuer.url(), e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return keys;
    }

    private String problem(ObjectNode claims) {
        long now = clock.instant().getEpochSecond();
        if (!claims.path("exp").isNumber() || now >= claims.path("exp").asLong()) {
            return "token is expired";
        }
        if (claims.has("nbf") && now < claims.path("nbf").asLong()) {
            return "token is not valid yet";
        }
        if (texts(claims.path("aud")).stream().noneMatch(issuer.audiences()::contains)) {
            return "expected audience in " + issuer.audiences() + " got " + texts(claims.path("aud"));
        }
        for (var required : issuer.required().entrySet()) {
            JsonNode value = claims.path(required.getKey());
            if (!value.isTextual() || !value.asText().equals(required.getValue())) {
                return "required claim " + required.getKey() + " not present or of another value";
            }
        }
        return "";
    }

    private static List<String> texts(JsonNode value) {
        List<String> texts = new ArrayList<>();
        if (value.isTextual()) {
            texts.add(value.asText());
        }
        if (value.isArray()) {
            value.forEach(item -> texts.add(item.asText()));
        }
        return texts;
    }

    private Outcome user(ObjectNode claims, List<String> audiences) {
        String claim = issuer.username().claim();
        JsonNode name = claims.path(claim);
        if (!name.isTextual() || name.asText().isEmpty()) {
            return new Bad("oidc: could not find a username in the claim \"" + claim + "\"");
        }
        boolean unverified = claim.equals("email")
                && claims.has("email_verified")
                && !claims.path("email_verified").asBoolean();
        if (unverified) {
            return new Bad("oidc: email not verified");
        }
        List<String> groups = new ArrayList<>();
        Mapping mapping = issuer.groups();
        if (mapping != null) {
            texts(claims.path(mapping.claim())).forEach(group -> groups.add(mapping.prefix() + group));
        }
        groups.add(User.AUTHENTICATED);
        String id = Json.textAt(claims, "jti");
        Map<String, List<String>> extra =
                id.isEmpty() ? Map.of() : Map.of("authentication.kubernetes.io/credential-id", List.of("JTI=" + id));
        String uid = issuer.uidClaim().isEmpty() ? "" : Json.textAt(claims, issuer.uidClaim());
        User user = new User(issuer.username().prefix() + name.asText(), uid, List.copyOf(groups), extra);
        return new Good(user, audiences);
    }
}
