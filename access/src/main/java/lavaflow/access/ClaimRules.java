package lavaflow.access;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import lavaflow.cel.CelProgram;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Makes a user of the claims of a token, as the configuration of its issuer says. Compiled once, used by many threads. */
final class ClaimRules {
    /** Where a part of a user comes from. */
    sealed interface Source {}

    /** A claim, with something before it. */
    record Claim(String name, String prefix) implements Source {}

    /** An expression over the claims. */
    record Computed(ClaimExpression expression) implements Source {}

    /**
     * What must hold.
     *
     * @param message what to say where it does not; may be empty
     */
    record Check(ClaimExpression expression, String message) {}

    /**
     * What the configuration says.
     *
     * @param groups null where groups are not taken from the token
     * @param uid null where the user has none
     * @param extra by key
     * @param required claims and the values they must have
     */
    record Settings(
            Source username,
            @Nullable Source groups,
            @Nullable Source uid,
            Map<String, ClaimExpression> extra,
            Map<String, String> required,
            List<Check> claimChecks,
            List<Check> userChecks) {}

    /** Why a token gives no user. */
    static final class Unfit extends Exception {
        private static final long serialVersionUID = 1L;

        Unfit(String message) {
            super(message, null, false, false);
        }

        String text() {
            return String.valueOf(getMessage());
        }
    }

    private final Settings settings;
    private final Map<ClaimExpression, CelProgram> programs = new LinkedHashMap<>();

    ClaimRules(Settings settings) {
        this.settings = settings;
        for (Source source : new @Nullable Source[] {settings.username, settings.groups, settings.uid}) {
            if (source instanceof Computed(ClaimExpression expression)) {
                programs.put(expression, expression.program());
            }
        }
        settings.extra.values().forEach(each -> programs.put(each, each.program()));
        settings.claimChecks.forEach(each -> programs.put(each.expression, each.expression.program()));
        settings.userChecks.forEach(each -> programs.put(each.expression, each.expression.program()));
    }

    User user(ObjectNode claims) throws Unfit {
        for (var required : settings.required.entrySet()) {
            JsonNode value = claims.path(required.getKey());
            if (!value.isTextual() || !value.asText().equals(required.getValue())) {
                throw new Unfit("oidc: required claim " + required.getKey() + " not present or of another value");
            }
        }
        check(settings.claimChecks, claims, "oidc: error evaluating claim validation expression: ");
        String name = username(claims);
        List<String> groups = new ArrayList<>(groups(claims));
        Map<String, List<String>> extra = extra(claims);
        User mapped = new User(name, uid(claims), List.copyOf(groups), extra);
        check(settings.userChecks, document(mapped), "oidc: error evaluating user info validation rule: ");
        groups.add(User.AUTHENTICATED);
        return new User(name, mapped.uid(), List.copyOf(groups), extra);
    }

    private JsonNode evaluate(ClaimExpression expression, JsonNode value, String during) throws Unfit {
        CelProgram program = programs.get(expression);
        if (program == null) {
            throw new IllegalStateException("not compiled: " + expression);
        }
        try {
            return ClaimExpression.evaluate(program, value);
        } catch (ClaimExpression.Failure e) {
            throw new Unfit(during + e.text());
        }
    }

    private void check(List<Check> checks, JsonNode value, String during) throws Unfit {
        for (Check each : checks) {
            if (!evaluate(each.expression, value, during).asBoolean()) {
                String failed = "validation expression '" + each.expression.source() + "' failed";
                throw new Unfit(during + failed + (each.message.isEmpty() ? "" : ": " + each.message));
            }
        }
    }

    private String username(ObjectNode claims) throws Unfit {
        return switch (settings.username) {
            case Claim claim -> named(claims, claim);
            case Computed(ClaimExpression expression) -> {
                String during = "oidc: error evaluating username claim expression: ";
                String name = text(evaluate(expression, claims, during), during);
                if (name.isEmpty()) {
                    throw new Unfit("oidc: empty username via CEL expression is not allowed");
                }
                yield name;
            }
        };
    }

    private static String named(ObjectNode claims, Claim claim) throws Unfit {
        JsonNode name = claims.path(claim.name);
        if (!name.isTextual() || name.asText().isEmpty()) {
            throw new Unfit("oidc: could not find a username in the claim \"" + claim.name + "\"");
        }
        boolean unverified = claim.name.equals("email")
                && claims.has("email_verified")
                && !claims.path("email_verified").asBoolean();
        if (unverified) {
            throw new Unfit("oidc: email not verified");
        }
        return claim.prefix + name.asText();
    }

    private static String text(JsonNode value, String during) throws Unfit {
        if (!value.isTextual()) {
            throw new Unfit(during + "expression must return a string");
        }
        return value.asText();
    }

    private String uid(ObjectNode claims) throws Unfit {
        String during = "oidc: error evaluating uid claim expression: ";
        return switch (settings.uid) {
            case null -> "";
            case Claim claim -> Json.textAt(claims, claim.name);
            case Computed(ClaimExpression expression) -> text(evaluate(expression, claims, during), during);
        };
    }

    private List<String> groups(ObjectNode claims) throws Unfit {
        String during = "oidc: error evaluating group claim expression: ";
        return switch (settings.groups) {
            case null -> List.of();
            case Claim claim ->
                IssuerTokens.texts(claims.path(claim.name)).stream()
                        .map(group -> claim.prefix + group)
                        .toList();
            case Computed(ClaimExpression expression) -> texts(evaluate(expression, claims, during), during);
        };
    }

    /** Text or a list of texts; what is empty or null is as if it were not there. */
    private static List<String> texts(JsonNode value, String during) throws Unfit {
        boolean texts = value.isNull() || value.isTextual() || value.isArray();
        for (JsonNode item : value) {
            texts = texts && item.isTextual();
        }
        if (!texts) {
            throw new Unfit(during + "expression must return a string or a list of strings");
        }
        return IssuerTokens.texts(value).stream()
                .filter(text -> !text.isEmpty())
                .toList();
    }

    private Map<String, List<String>> extra(ObjectNode claims) throws Unfit {
        Map<String, List<String>> extra = new LinkedHashMap<>();
        String id = Json.textAt(claims, "jti");
        if (!id.isEmpty()) {
            extra.put("authentication.kubernetes.io/credential-id", List.of("JTI=" + id));
        }
        String during = "oidc: error evaluating extra claim expression: ";
        for (var each : settings.extra.entrySet()) {
            List<String> values = texts(evaluate(each.getValue(), claims, during), during);
            if (!values.isEmpty()) {
                extra.put(each.getKey(), values);
            }
        }
        return extra;
    }

    private static ObjectNode document(User user) {
        ObjectNode document = Json.object().put("username", user.name()).put("uid", user.uid());
        user.groups().forEach(document.putArray("groups")::add);
        ObjectNode extra = document.putObject("extra");
        user.extra().forEach((key, values) -> values.forEach(extra.putArray(key)::add));
        return document;
    }
}
