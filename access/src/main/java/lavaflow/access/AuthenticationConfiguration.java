package lavaflow.access;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import lavaflow.kube.DecodingException;
import lavaflow.kube.FieldError;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Yaml;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/**
 * Upstream's AuthenticationConfiguration: the OpenID issuers whose tokens are good, and what may be asked without any. What is
 * written there and not understood here is refused rather than ignored, for it would restrict somebody. Complaints are upstream's.
 *
 * @param anonymous null where the file does not say
 */
public record AuthenticationConfiguration(
        List<IssuerTokens.Issuer> issuers, @Nullable AnonymousRequests anonymous) {
    private static final Set<String> VERSIONS =
            Set.of("apiserver.config.k8s.io/v1", "apiserver.config.k8s.io/v1beta1", "apiserver.config.k8s.io/v1alpha1");

    /**
     * Reads a file.
     *
     * @throws IllegalArgumentException that says what is wrong and where
     */
    public static AuthenticationConfiguration parse(String text) {
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
        known(document, "", Set.of("kind", "apiVersion", "jwt", "anonymous"));
        FieldErrors errors = new FieldErrors();
        List<IssuerTokens.Issuer> issuers = new ArrayList<>();
        Set<String> urls = new HashSet<>();
        for (JsonNode entry : Json.listAt(document, "jwt")) {
            FieldPath path = FieldPath.of("jwt").index(issuers.size());
            IssuerTokens.Issuer issuer = issuer(entry, path, errors);
            if (!urls.add(issuer.url())) {
                errors.duplicate(path.child("issuer", "url"), issuer.url());
            }
            issuers.add(issuer);
        }
        AnonymousRequests anonymous = anonymous(Json.at(document, "anonymous"), errors);
        if (!errors.isEmpty()) {
            throw new IllegalArgumentException(
                    errors.list().stream().map(FieldError::message).collect(Collectors.joining(", ")));
        }
        return new AuthenticationConfiguration(issuers, anonymous);
    }

    static void known(JsonNode node, String path, Set<String> fields) {
        node.fieldNames().forEachRemaining(field -> {
            if (!fields.contains(field)) {
                String place = (path.isEmpty() ? "" : path + ".") + field;
                throw new IllegalArgumentException("strict decoding error: unknown field \"" + place + "\"");
            }
        });
    }

    private static @Nullable AnonymousRequests anonymous(@Nullable JsonNode node, FieldErrors errors) {
        if (node == null) {
            return null;
        }
        known(node, "anonymous", Set.of("enabled", "conditions"));
        List<String> paths = new ArrayList<>();
        for (JsonNode condition : Json.listAt(node, "conditions")) {
            known(condition, "anonymous.conditions[" + paths.size() + "]", Set.of("path"));
            paths.add(Json.textAt(condition, "path"));
        }
        boolean enabled = Json.flagAt(node, "enabled");
        if (!enabled && !paths.isEmpty()) {
            errors.invalid(
                    FieldPath.of("anonymous", "conditions"),
                    node.get("conditions"),
                    "enabled should be set to true when conditions are defined");
        }
        return new AnonymousRequests(enabled, paths);
    }

    private static IssuerTokens.Issuer issuer(JsonNode entry, FieldPath path, FieldErrors errors) {
        known(entry, path.toString(), Set.of("issuer", "claimMappings", "claimValidationRules", "userValidationRules"));
        JsonNode issuer = entry.path("issuer");
        FieldPath at = path.child("issuer");
        known(
                issuer,
                at.toString(),
                Set.of("url", "discoveryURL", "certificateAuthority", "audiences", "audienceMatchPolicy"));
        String url = Json.textAt(issuer, "url");
        String discovery = Json.textAt(issuer, "discoveryURL");
        address(url, at.child("url"), "URL", errors);
        if (url.equals(AccountTokens.ISSUER)) {
            errors.invalid(at.child("url"), url, "URL must not overlap with disallowed issuers: [" + url + "]");
        }
        if (!discovery.isEmpty()) {
            address(discovery, at.child("discoveryURL"), "URL", errors);
            if (discovery.equals(url)) {
                errors.invalid(at.child("discoveryURL"), discovery, "discoveryURL must be different from URL");
            }
        }
        return new IssuerTokens.Issuer(
                url,
                discovery,
                Json.textAt(issuer, "certificateAuthority"),
                audiences(issuer, at, errors),
                new ClaimSettings(path, errors).read(entry));
    }

    private static void address(String url, FieldPath path, String what, FieldErrors errors) {
        if (url.isEmpty()) {
            errors.required(path, what + " is required");
        } else if (!url.startsWith("https://")) {
            errors.invalid(path, url, what + " scheme must be https");
        } else if (url.contains("?")) {
            errors.invalid(path, url, what + " must not contain a query");
        } else if (url.contains("#")) {
            errors.invalid(path, url, what + " must not contain a fragment");
        } else if (url.substring("https://".length()).replaceAll("/.*", "").contains("@")) {
            errors.invalid(path, url, what + " must not contain a username or password");
        }
    }

    private static List<String> audiences(JsonNode issuer, FieldPath at, FieldErrors errors) {
        List<String> audiences = new ArrayList<>();
        for (JsonNode audience : Json.listAt(issuer, "audiences")) {
            FieldPath path = at.child("audiences").index(audiences.size());
            if (audience.asText().isEmpty()) {
                errors.required(path);
            } else if (audiences.contains(audience.asText())) {
                errors.duplicate(path, audience.asText());
            }
            audiences.add(audience.asText());
        }
        if (audiences.isEmpty()) {
            errors.required(at.child("audiences"), "at least one " + at + ".audiences is required");
        }
        String policy = Json.textAt(issuer, "audienceMatchPolicy");
        if (audiences.size() > 1 && !policy.equals("MatchAny")) {
            errors.invalid(
                    at.child("audienceMatchPolicy"),
                    policy,
                    "audienceMatchPolicy must be MatchAny for multiple audiences");
        }
        return audiences;
    }
}
