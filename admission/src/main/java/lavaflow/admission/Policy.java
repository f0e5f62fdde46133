package lavaflow.admission;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import lavaflow.cel.CelType;
import lavaflow.kinds.AdmissionVocabulary;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * An admission policy and where it is bound.
 *
 * @param paramKind what its parameters are, null where it has none
 * @param variables by name, in their order
 * @param variablesType the type of {@code variables}; null where there are none
 * @param again of mutating ones: whether it wants to see what others changed after it
 */
record Policy(
        String name,
        boolean ignoresFailures,
        Matching matching,
        @Nullable JsonNode paramKind,
        MatchConditions conditions,
        Map<String, Expression> variables,
        CelType.@Nullable ObjectOf variablesType,
        List<Validation> validations,
        Map<String, Expression> annotations,
        List<Mutation> mutations,
        boolean again,
        List<Binding> bindings) {

    record Validation(
            Expression expression, String message, @Nullable Expression messageExpression, String reason) {}

    record Mutation(boolean configuration, Expression expression) {}

    /**
     * Where a policy applies.
     *
     * @param matching null where it applies wherever the policy does
     */
    record Binding(
            String name,
            @Nullable JsonNode paramRef,
            @Nullable Matching matching,
            List<String> actions) {}

    /** The policies that are bound, from all policies and bindings of one sort. */
    static List<Policy> all(List<ObjectNode> objects) {
        Map<String, List<Binding>> bindings = new LinkedHashMap<>();
        for (ObjectNode object : objects) {
            if (Json.textAt(object, "kind").endsWith("Binding")) {
                bindings.computeIfAbsent(Json.textAt(object, "spec", "policyName"), _ -> new ArrayList<>())
                        .add(binding(object));
            }
        }
        List<Policy> policies = new ArrayList<>();
        for (ObjectNode object : objects) {
            List<Binding> own = bindings.get(Json.textAt(object, "metadata", "name"));
            if (own != null && !Json.textAt(object, "kind").endsWith("Binding")) {
                policies.add(policy(object, own));
            }
        }
        return policies;
    }

    private static Binding binding(ObjectNode object) {
        JsonNode match = Json.at(object, "spec", "matchResources");
        List<String> actions = new ArrayList<>();
        Json.listAt(object, "spec", "validationActions").forEach(action -> actions.add(action.asText()));
        return new Binding(
                Json.textAt(object, "metadata", "name"),
                Json.at(object, "spec", "paramRef"),
                match == null ? null : Matching.of(match, "resourceRules"),
                actions);
    }

    private static Policy policy(ObjectNode object, List<Binding> bindings) {
        JsonNode spec = object.path("spec");
        JsonNode paramKind = Json.at(spec, "paramKind");
        boolean ignores = Json.textAt(spec, "failurePolicy").equals("Ignore");
        AdmissionVocabulary plain = new AdmissionVocabulary(paramKind != null, true, false, false, Map.of());
        AdmissionVocabulary vocabulary =
                plain.composed(!Json.listAt(spec, "variables").isEmpty());
        Map<String, Expression> variables = new LinkedHashMap<>();
        for (JsonNode each : Json.listAt(spec, "variables")) {
            Expression expression = new Expression(Json.textAt(each, "expression"), vocabulary);
            variables.put(Json.textAt(each, "name"), expression);
            vocabulary = vocabulary.withVariable(Json.textAt(each, "name"), expression.type());
        }
        return new Policy(
                Json.textAt(object, "metadata", "name"),
                ignores,
                Matching.of(spec.path("matchConstraints"), "resourceRules"),
                paramKind,
                MatchConditions.of(Json.listAt(spec, "matchConditions"), plain, ignores),
                variables,
                variables.isEmpty() ? null : vocabulary.variablesType(),
                validations(spec, vocabulary),
                annotations(spec, vocabulary),
                mutations(spec, vocabulary.withMutation()),
                Json.textAt(spec, "reinvocationPolicy").equals("IfNeeded"),
                bindings);
    }

    private static List<Validation> validations(JsonNode spec, AdmissionVocabulary vocabulary) {
        List<Validation> validations = new ArrayList<>();
        for (JsonNode each : Json.listAt(spec, "validations")) {
            String message = Json.textAt(each, "messageExpression");
            validations.add(new Validation(
                    new Expression(Json.textAt(each, "expression"), vocabulary),
                    Json.textAt(each, "message").strip(),
                    message.isEmpty() ? null : new Expression(message, vocabulary.withAuthorizer(false)),
                    Json.textAt(each, "reason")));
        }
        return validations;
    }

    private static Map<String, Expression> annotations(JsonNode spec, AdmissionVocabulary vocabulary) {
        Map<String, Expression> annotations = new LinkedHashMap<>();
        for (JsonNode each : Json.listAt(spec, "auditAnnotations")) {
            annotations.put(Json.textAt(each, "key"), new Expression(Json.textAt(each, "valueExpression"), vocabulary));
        }
        return annotations;
    }

    private static List<Mutation> mutations(JsonNode spec, AdmissionVocabulary vocabulary) {
        List<Mutation> mutations = new ArrayList<>();
        for (JsonNode each : Json.listAt(spec, "mutations")) {
            boolean configuration = Json.textAt(each, "patchType").equals("ApplyConfiguration");
            String field = configuration ? "applyConfiguration" : "jsonPatch";
            mutations.add(
                    new Mutation(configuration, new Expression(Json.textAt(each, field, "expression"), vocabulary)));
        }
        return mutations;
    }
}
