package lavaflow.schema;

import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Whether the words of a schema are allowed where they stand; then, whether its rules compile. */
final class WordsCheck {
    private static final List<String> TYPES = List.of("array", "boolean", "integer", "number", "object", "string");
    private static final String[] UNSUPPORTED = {
        "id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"
    };
    private static final Set<String> META = Set.of("metadata", "kind", "apiVersion");

    /**
     * Where a node stands.
     *
     * @param noDefaults why defaults are not allowed, or null where they are
     * @param inMetadata inside the type or metadata of an object
     * @param uncorrelated the place above from which on old values cannot be told, or null
     * @param rules what is needed to compile rules, or null where that makes no sense
     */
    private record Scope(
            boolean root,
            @Nullable String noDefaults,
            boolean inMetadata,
            @Nullable FieldPath uncorrelated,
            @Nullable RuleScope rules) {
        Scope below(@Nullable RuleScope belowRules) {
            return new Scope(false, noDefaults, inMetadata, uncorrelated, belowRules);
        }

        Scope withoutRules() {
            return below(null);
        }

        Scope withoutDefaults(String why) {
            return new Scope(root, why, inMetadata, uncorrelated, rules);
        }

        Scope inMetadataOfObject() {
            return new Scope(root, noDefaults, true, uncorrelated, rules);
        }

        Scope uncorrelatedFrom(FieldPath path) {
            return uncorrelated != null ? this : new Scope(root, noDefaults, inMetadata, path, rules);
        }
    }

    private final @Nullable RuleCosts costs;
    private final FieldErrors words = new FieldErrors();
    private final FieldErrors ruleErrors = new FieldErrors();

    /** @param costs of rules, or null where the schema is too broken to compile any */
    WordsCheck(@Nullable RuleCosts costs) {
        this.costs = costs;
    }

    void check(ObjectNode schema, FieldPath path, FieldErrors errors) {
        RuleScope rules = costs == null ? null : RuleScope.root(schema, costs);
        node(schema, path, new Scope(true, null, false, null, rules));
        errors.addAll(words);
        errors.addAll(ruleErrors);
        if (costs != null) {
            costs.finish(path, errors);
        }
    }

    private void node(@Nullable JsonNode node, FieldPath path, Scope scope) {
        if (!(node instanceof ObjectNode schema)) {
            return;
        }
        int before = words.list().size();
        own(schema, path, scope);
        additional(schema, path, scope);
        properties(schema, path, scope);
        node(schema.get("not"), path.child("not"), scope.withoutRules());
        for (String word : new String[] {"allOf", "oneOf", "anyOf"}) {
            ArrayNode choices = Json.listAt(schema, word);
            for (int i = 0; i < choices.size(); i++) {
                node(choices.get(i), path.child(word).index(i), scope.withoutRules());
            }
        }
        items(schema, path, scope);
        JsonNode preserves = Json.at(schema, "x-kubernetes-preserve-unknown-fields");
        if (preserves != null && !preserves.booleanValue()) {
            words.invalid(
                    path.child("x-kubernetes-preserve-unknown-fields"), BooleanNode.FALSE, "must be true or undefined");
        }
        mapType(schema, path);
        ListWords.check(schema, path, words);
        RuleWords.check(schema, path, words);
        if (words.list().size() == before && scope.rules() != null) {
            scope.rules().compile(schema, scope.uncorrelated(), path, ruleErrors);
        }
    }

    private void own(ObjectNode schema, FieldPath path, Scope scope) {
        String type = Json.textAt(schema, "type");
        if (!type.isEmpty() && !TYPES.contains(type)) {
            words.notSupported(path.child("type"), type, TYPES);
        }
        if (Json.at(schema, "default") != null && scope.noDefaults() != null) {
            words.forbidden(path.child("default"), "must not be set " + scope.noDefaults());
        }
        for (String word : UNSUPPORTED) {
            JsonNode value = Json.at(schema, word);
            boolean used = value != null && !(value.isContainerNode() && value.isEmpty());
            if (used) {
                words.forbidden(path.child(word), word + " is not supported");
            }
        }
        if (type.equals("null")) {
            words.forbidden(path.child("type"), "type cannot be set to null, use nullable as an alternative");
        }
        if (schema.get("items") instanceof ArrayNode list && !list.isEmpty()) {
            words.forbidden(path.child("items"), "items must be a schema object and not an array");
        }
        if (scope.inMetadata() && Json.flagAt(schema, "x-kubernetes-embedded-resource")) {
            words.forbidden(path.child("x-kubernetes-embedded-resource"), "must not be used inside of resource meta");
        }
        if (Json.flagAt(schema, "uniqueItems")) {
            words.forbidden(
                    path.child("uniqueItems"),
                    "uniqueItems cannot be set to true since the runtime complexity becomes quadratic");
        }
    }

    private void additional(ObjectNode schema, FieldPath path, Scope scope) {
        JsonNode additional = Json.at(schema, "additionalProperties");
        if (additional == null) {
            return;
        }
        ObjectNode properties = Json.objectAt(schema, "properties");
        if (properties != null && !properties.isEmpty() && !additional.equals(BooleanNode.TRUE)) {
            words.forbidden(
                    path.child("additionalProperties"), "additionalProperties and properties are mutual exclusive");
        }
        Scope inner = scope.inMetadata()
                ? scope.withoutDefaults("inside additionalProperties applying to object metadata")
                : scope;
        RuleScope rules = scope.rules() == null ? null : scope.rules().below(schema, additional);
        node(additional, path.child("additionalProperties"), inner.below(rules));
    }

    private void properties(ObjectNode schema, FieldPath path, Scope scope) {
        ObjectNode properties = Json.objectAt(schema, "properties");
        if (properties == null) {
            return;
        }
        boolean object = scope.root() || Json.flagAt(schema, "x-kubernetes-embedded-resource");
        for (Map.Entry<String, JsonNode> entry : properties.properties()) {
            String name = entry.getKey();
            Scope inner = scope;
            if (object && META.contains(name)) {
                inner = inner.inMetadataOfObject();
                inner = scope.root() ? inner.withoutDefaults("in top-level " + name) : inner;
            }
            RuleScope rules = scope.rules() == null ? null : scope.rules().below(schema, entry.getValue());
            node(entry.getValue(), path.child("properties").key(name), inner.below(rules));
        }
    }

    private void items(ObjectNode schema, FieldPath path, Scope scope) {
        JsonNode items = schema.get("items");
        if (items == null) {
            return;
        }
        boolean keyed = Json.textAt(schema, "x-kubernetes-list-type").equals("map");
        Scope inner = keyed ? scope : scope.uncorrelatedFrom(path);
        RuleScope rules = scope.rules() == null ? null : scope.rules().below(schema, items);
        node(items, path.child("items"), inner.below(rules));
    }

    private void mapType(ObjectNode schema, FieldPath path) {
        JsonNode given = Json.at(schema, "x-kubernetes-map-type");
        if (given == null) {
            return;
        }
        typed(schema, "object", "must be object if x-kubernetes-map-type is specified", path, words);
        List<String> known = List.of("atomic", "granular");
        if (!known.contains(given.asText())) {
            words.notSupported(path.child("x-kubernetes-map-type"), given.asText(), known);
        }
    }

    static boolean typed(ObjectNode schema, String wanted, String why, FieldPath path, FieldErrors errors) {
        String type = Json.textAt(schema, "type");
        if (type.equals(wanted)) {
            return true;
        }
        if (type.isEmpty()) {
            errors.required(path.child("type"), why);
        } else {
            errors.invalid(path.child("type"), type, why);
        }
        return false;
    }
}
