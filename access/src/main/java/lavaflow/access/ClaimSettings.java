package lavaflow.access;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import lavaflow.cel.CelCompilation;
import lavaflow.cel.CelProgram;
import lavaflow.cel.CelType;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** Reads what an issuer's entry says of claims, with upstream's complaints in upstream's order. */
final class ClaimSettings {
    private static final String EITHER = "claim or expression is required";
    private static final String VERIFIED = "claims.email_verified must be used in claimMappings.username.expression or"
            + " claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in"
            + " claimMappings.username.expression";

    private final FieldPath path;
    private final FieldErrors errors;

    ClaimSettings(FieldPath path, FieldErrors errors) {
        this.path = path;
        this.errors = errors;
    }

    ClaimRules.Settings read(JsonNode entry) {
        Map<String, String> required = new LinkedHashMap<>();
        List<ClaimRules.Check> claimChecks = claimChecks(entry, required);
        JsonNode mappings = entry.path("claimMappings");
        FieldPath at = path.child("claimMappings");
        AuthenticationConfiguration.known(mappings, at.toString(), Set.of("username", "groups", "uid", "extra"));
        ClaimRules.Source username = prefixed(mappings.path("username"), at.child("username"), true);
        ClaimRules.Source groups = prefixed(mappings.path("groups"), at.child("groups"), false);
        ClaimRules.Source uid = uid(mappings.path("uid"), at.child("uid"));
        Map<String, ClaimExpression> extra = extra(mappings, at.child("extra"));
        if (username instanceof ClaimRules.Computed(ClaimExpression expression)) {
            requireVerified(expression, extra, claimChecks, at.child("username", "expression"));
        }
        return new ClaimRules.Settings(
                username == null ? new ClaimRules.Claim("sub", "") : username,
                groups,
                uid,
                extra,
                required,
                claimChecks,
                userChecks(entry));
    }

    private List<ClaimRules.Check> claimChecks(JsonNode entry, Map<String, String> required) {
        List<ClaimRules.Check> checks = new ArrayList<>();
        int index = 0;
        for (JsonNode rule : Json.listAt(entry, "claimValidationRules")) {
            FieldPath at = path.child("claimValidationRules").index(index++);
            AuthenticationConfiguration.known(
                    rule, at.toString(), Set.of("claim", "requiredValue", "expression", "message"));
            String claim = Json.textAt(rule, "claim");
            String source = Json.textAt(rule, "expression");
            String message = Json.textAt(rule, "message");
            if (!claim.isEmpty() && !source.isEmpty()) {
                errors.invalid(at, claim, "claim and expression can't both be set");
            } else if (claim.isEmpty() && source.isEmpty()) {
                errors.required(at, EITHER);
            } else if (!claim.isEmpty()) {
                if (!message.isEmpty()) {
                    errors.invalid(at.child("message"), message, "may not be specified when claim is set");
                }
                if (required.put(claim, Json.textAt(rule, "requiredValue")) != null) {
                    errors.duplicate(at.child("claim"), claim);
                }
            } else {
                if (!Json.textAt(rule, "requiredValue").isEmpty()) {
                    errors.invalid(
                            at.child("requiredValue"),
                            Json.textAt(rule, "requiredValue"),
                            "may not be specified when expression is set");
                }
                add(checks, new ClaimRules.Check(new ClaimExpression(source, false), message), at);
            }
        }
        return checks;
    }

    private List<ClaimRules.Check> userChecks(JsonNode entry) {
        List<ClaimRules.Check> checks = new ArrayList<>();
        int index = 0;
        for (JsonNode rule : Json.listAt(entry, "userValidationRules")) {
            FieldPath at = path.child("userValidationRules").index(index++);
            AuthenticationConfiguration.known(rule, at.toString(), Set.of("expression", "message"));
            String source = Json.textAt(rule, "expression");
            if (source.isEmpty()) {
                errors.required(at.child("expression"));
            } else {
                add(checks, new ClaimRules.Check(new ClaimExpression(source, true), Json.textAt(rule, "message")), at);
            }
        }
        return checks;
    }

    private void add(List<ClaimRules.Check> checks, ClaimRules.Check check, FieldPath at) {
        FieldPath place = at.child("expression");
        if (checks.stream().anyMatch(other -> other.expression().equals(check.expression()))) {
            errors.duplicate(place, check.expression().source());
            return;
        }
        CelType type = compiled(check.expression(), place);
        if (type != null && !type.equals(CelType.BOOL)) {
            errors.invalid(place, check.expression().source(), "must evaluate to bool");
        }
        checks.add(check);
    }

    /** The type of an expression; null where it does not compile, which is reported. */
    private @Nullable CelType compiled(ClaimExpression expression, FieldPath place) {
        return switch (expression.compile()) {
            case CelCompilation.Compiled(CelProgram program) -> program.resultType();
            case CelCompilation.Failed failed -> {
                errors.invalid(place, expression.source(), "compilation failed: " + failed.text());
                yield null;
            }
        };
    }

    private ClaimRules.@Nullable Source prefixed(JsonNode node, FieldPath at, boolean needed) {
        AuthenticationConfiguration.known(node, at.toString(), Set.of("claim", "prefix", "expression"));
        String claim = Json.textAt(node, "claim");
        String source = Json.textAt(node, "expression");
        if (!claim.isEmpty() && !source.isEmpty()) {
            errors.invalid(at, "", "claim and expression can't both be set");
            return null;
        }
        if (!source.isEmpty()) {
            if (node.has("prefix")) {
                errors.invalid(at.child("prefix"), node.get("prefix"), "prefix can't be set when expression is set");
            }
            return computed(source, at.child("expression"));
        }
        if (claim.isEmpty()) {
            if (needed) {
                errors.required(at, EITHER);
            }
            return null;
        }
        if (!node.has("prefix")) {
            errors.required(
                    at.child("prefix"),
                    "prefix is required when claim is set. It can be set to an empty string to disable prefixing");
        }
        return new ClaimRules.Claim(claim, Json.textAt(node, "prefix"));
    }

    private ClaimRules.Source computed(String source, FieldPath place) {
        ClaimExpression expression = new ClaimExpression(source, false);
        compiled(expression, place);
        return new ClaimRules.Computed(expression);
    }

    private ClaimRules.@Nullable Source uid(JsonNode node, FieldPath at) {
        AuthenticationConfiguration.known(node, at.toString(), Set.of("claim", "expression"));
        String claim = Json.textAt(node, "claim");
        String source = Json.textAt(node, "expression");
        if (!claim.isEmpty() && !source.isEmpty()) {
            errors.invalid(at, "", "claim and expression can't both be set");
            return null;
        }
        if (!source.isEmpty()) {
            return computed(source, at.child("expression"));
        }
        return claim.isEmpty() ? null : new ClaimRules.Claim(claim, "");
    }

    private Map<String, ClaimExpression> extra(JsonNode mappings, FieldPath at) {
        Map<String, ClaimExpression> extra = new LinkedHashMap<>();
        int index = 0;
        for (JsonNode mapping : Json.listAt(mappings, "extra")) {
            FieldPath place = at.index(index++);
            AuthenticationConfiguration.known(mapping, place.toString(), Set.of("key", "valueExpression"));
            String key = Json.textAt(mapping, "key");
            String source = Json.textAt(mapping, "valueExpression");
            key(key, place.child("key"));
            if (source.isEmpty()) {
                errors.required(place.child("valueExpression"));
                continue;
            }
            ClaimExpression expression = new ClaimExpression(source, false);
            if (extra.containsKey(key)) {
                errors.duplicate(place.child("key"), key);
                continue;
            }
            compiled(expression, place.child("valueExpression"));
            extra.put(key, expression);
        }
        return extra;
    }

    private void key(String key, FieldPath place) {
        if (key.isEmpty()) {
            errors.required(place);
            return;
        }
        int slash = key.indexOf('/');
        if (slash <= 0 || slash == key.length() - 1) {
            errors.invalid(place, key, "must be a domain-prefixed path (such as \"acme.io/foo\")");
            return;
        }
        String domain = key.substring(0, slash);
        Names.dns1123Subdomain(domain).forEach(wrong -> errors.invalid(place, domain, wrong));
        if (!key.equals(key.toLowerCase(Locale.ROOT))) {
            errors.invalid(place, key, "must be lowercase");
        }
        String dotted = "." + domain;
        if (dotted.endsWith(".k8s.io") || dotted.endsWith(".kubernetes.io")) {
            errors.invalid(place, key, "k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use");
        }
    }

    /** Whoever names users by their mail addresses must look whether those are theirs. */
    private void requireVerified(
            ClaimExpression username,
            Map<String, ClaimExpression> extra,
            List<ClaimRules.Check> checks,
            FieldPath place) {
        if (!mentions(username, "email")) {
            return;
        }
        boolean verified = mentions(username, "email_verified")
                || extra.values().stream().anyMatch(each -> mentions(each, "email_verified"))
                || checks.stream().anyMatch(each -> mentions(each.expression(), "email_verified"));
        if (!verified) {
            errors.invalid(place, username.source(), VERIFIED);
        }
    }

    private static boolean mentions(ClaimExpression expression, String claim) {
        String quoted = java.util.regex.Pattern.quote(claim);
        return java.util.regex.Pattern.compile(
                        "\\bclaims\\s*(\\.\\s*\\??\\s*" + quoted + "\\b|\\[\\s*\\??\\s*['\"]" + quoted + "['\"])")
                .matcher(expression.source())
                .find();
    }
}
