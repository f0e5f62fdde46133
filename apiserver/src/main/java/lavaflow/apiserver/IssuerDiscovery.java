package lavaflow.apiserver;

import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;

import lavaflow.access.AccountTokens;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Tells others how to check tokens of service accounts, as issuers of OpenID do. */
final class IssuerDiscovery {
    private static final String KEYS = "application/jwk-set+json";

    private final AccountTokens tokens;
    private final Supplier<String> address;

    /**
     * @param address host and port under which this server is reached
     */
    IssuerDiscovery(AccountTokens tokens, Supplier<String> address) {
        this.tokens = tokens;
        this.address = address;
    }

    void configuration(Exchange exchange, List<String> parts) throws IOException {
        if (parts.size() != 2 || !parts.get(1).equals("openid-configuration")) {
            throw new PathNotServed();
        }
        requireAccepted(exchange, Negotiation.JSON);
        ObjectNode document = Json.object();
        document.put("issuer", AccountTokens.ISSUER);
        document.put("jwks_uri", "https://" + address.get() + "/openid/v1/jwks");
        document.putArray("response_types_supported").add("id_token");
        document.putArray("subject_types_supported").add("public");
        ArrayNode algorithms = document.putArray("id_token_signing_alg_values_supported");
        tokens.keys().algorithms().forEach(algorithms::add);
        send(exchange, Negotiation.JSON, document);
    }

    void keys(Exchange exchange, List<String> parts) throws IOException {
        if (parts.size() != 3 || !parts.get(1).equals("v1") || !parts.get(2).equals("jwks")) {
            throw new PathNotServed();
        }
        requireAccepted(exchange, KEYS);
        send(exchange, KEYS, tokens.keys().keySet());
    }

    private static void send(Exchange exchange, String type, ObjectNode document) throws IOException {
        exchange.setHeader("Cache-Control", "public, max-age=3600");
        exchange.send(200, type, Json.bytes(document));
    }

    private static void requireAccepted(Exchange exchange, String type) {
        String accept = exchange.header("Accept");
        if (!accepts(accept, type)) {
            throw ApiException.of(406, "NotAcceptable", "406: Not Acceptable\n\nAvailable representations: " + type)
                    .withEmptyDetails();
        }
    }

    private static boolean accepts(@Nullable String accept, String type) {
        if (accept == null || accept.isBlank()) {
            return true;
        }
        for (String part : accept.split(",", -1)) {
            String media = part.split(";", 2)[0].trim();
            if (media.equals("*/*") || media.equals("application/*") || media.equals(type)) {
                return true;
            }
        }
        return false;
    }
}
