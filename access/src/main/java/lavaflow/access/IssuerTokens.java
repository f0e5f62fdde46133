package lavaflow.access;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

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

    /** What the configuration says of an issuer. */
    public record Issuer(
            String url, String discoveryUrl, String authorityPem, List<String> audiences, ClaimRules.Settings claims) {}

    private final Issuer issuer;
    private final ClaimRules rules;
    private final InstantSource clock;
    private final IssuerClient client;
    private @Nullable IssuerKeys keys;
    private Instant fetched = Instant.MIN;

    public IssuerTokens(Issuer issuer, InstantSource clock) {
        this.issuer = issuer;
        this.rules = new ClaimRules(issuer.claims());
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
        if (!problem.isEmpty()) {
            return new Bad("oidc: " + problem);
        }
        try {
            return new Good(rules.user(jwt.claims()), audiences);
        } catch (ClaimRules.Unfit e) {
            return new Bad(e.text());
        }
    }

    Issuer issuer() {
        return issuer;
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
        return "";
    }

    static List<String> texts(JsonNode value) {
        List<String> texts = new ArrayList<>();
        if (value.isTextual()) {
            texts.add(value.asText());
        }
        if (value.isArray()) {
            value.forEach(item -> texts.add(item.asText()));
        }
        return texts;
    }
}
