package lavaflow.access;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.kube.DecodingException;
import lavaflow.kube.Json;
import lavaflow.kube.Yaml;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/**
 * Reads upstream's AuthenticationConfiguration: the OpenID issuers whose tokens are good. What is written there and not
 * understood here is refused at the start rather than ignored, for it would restrict somebody.
 */
public final class AuthenticationConfiguration {
    private static final Set<String> VERSIONS =
            Set.of("apiserver.config.k8s.io/v1", "apiserver.config.k8s.io/v1beta1", "apiserver.config.k8s.io/v1alpha1");

    private AuthenticationConfiguration() {}

    /**
     * The issuers in a file.
     *
     * @throws IllegalArgumentException that says what is wrong and where
     */
    public static List<IssuerTokens.Issuer> issuers(String text) {
        JsonNode document;
        try {
            document = Yaml.parse(text.getBytes(StandardCharsets.UTF_8)).root();
        } catch (DecodingException e) {
            throw new IllegalArgumentException("is no YAML: " + e.getMessage(), e);
        }
        if (!Json.textAt(document, "kind").equals("AuthenticationConfiguration")
                || !VERSIONS.contains(Json.textAt(document, "apiVersion"))) {
            throw new IllegalArgumentException("is no AuthenticationConfiguration of apiserver.config.k8s.io");
        }
        known(document, "", Set.of("kind", "apiVersion", "jwt"));
        List<IssuerTokens.Issuer> issuers = new ArrayList<>();
        Set<String> urls = new HashSet<>();
        int index = 0;
        for (JsonNode entry : Json.listAt(document, "jwt")) {
            IssuerTokens.Issuer issuer = issuer(entry, "jwt[" + index++ + "]");
            if (!urls.add(issuer.url())) {
                throw new IllegalArgumentException("jwt: the issuer " + issuer.url() + " occurs twice");
            }
            issuers.add(issuer);
        }
        return issuers;
    }

    private static void known(JsonNode node, String path, Set<String> fields) {
        node.fieldNames().forEachRemaining(field -> {
            if (!fields.contains(field)) {
                throw new IllegalArgumentException((path.isEmpty() ? "" : path + ".") + field + ": is not supported");
            }
        });
    }

    private static IssuerTokens.Issuer issuer(JsonNode entry, String path) {
        known(entry, path, Set.of("issuer", "claimMappings", "claimValidationRules"));
        JsonNode issuer = entry.path("issuer");
        known(
                issuer,
                path + ".issuer",
                Set.of("url", "discoveryURL", "certificateAuthority", "audiences", "audienceMatchPolicy"));
        String url = Json.textAt(issuer, "url");
        String discovery = Json.textAt(issuer, "discoveryURL");
        requireHttps(url, path + ".issuer.url");
        if (!discovery.isEmpty()) {
            requireHttps(discovery, path + ".issuer.discoveryURL");
        }
        if (url.equals(AccountTokens.ISSUER)) {
            throw new IllegalArgumentException(path + ".issuer.url: must not be the issuer of service accounts");
        }
        List<String> audiences = new ArrayList<>();
        Json.listAt(issuer, "audiences").forEach(audience -> audiences.add(audience.asText()));
        if (audiences.isEmpty()) {
            throw new IllegalArgumentException(path + ".issuer.audiences: at least one is required");
        }
        JsonNode mappings = entry.path("claimMappings");
        known(mappings, path + ".claimMappings", Set.of("username", "groups", "uid"));
        IssuerTokens.Mapping username = mapping(mappings.path("username"), path + ".claimMappings.username");
        if (username == null) {
            throw new IllegalArgumentException(path + ".claimMappings.username: is required");
        }
        known(mappings.path("uid"), path + ".claimMappings.uid", Set.of("claim"));
        return new IssuerTokens.Issuer(
                url,
                discovery,
                Json.textAt(issuer, "certificateAuthority"),
                audiences,
                username,
                mapping(mappings.path("groups"), path + ".claimMappings.groups"),
                Json.textAt(mappings, "uid", "claim"),
                required(entry, path));
    }

    private static void requireHttps(String url, String path) {
        if (!url.startsWith("https://")) {
            throw new IllegalArgumentException(path + ": must be an https address");
        }
    }

    private static IssuerTokens.@Nullable Mapping mapping(JsonNode node, String path) {
        if (node.isMissingNode()) {
            return null;
        }
        known(node, path, Set.of("claim", "prefix"));
        if (Json.textAt(node, "claim").isEmpty()) {
            throw new IllegalArgumentException(path + ".claim: is required");
        }
        if (!node.has("prefix")) {
            throw new IllegalArgumentException(path + ".prefix: is required, it may be empty");
        }
        return new IssuerTokens.Mapping(Json.textAt(node, "claim"), Json.textAt(node, "prefix"));
    }

    private static Map<String, String> required(JsonNode entry, String path) {
        Map<String, String> required = new LinkedHashMap<>();
        int index = 0;
        for (JsonNode rule : Json.listAt(entry, "claimValidationRules")) {
            known(rule, path + ".claimValidationRules[" + index++ + "]", Set.of("claim", "requiredValue"));
            required.put(Json.textAt(rule, "claim"), Json.textAt(rule, "requiredValue"));
        }
        return required;
    }
}
