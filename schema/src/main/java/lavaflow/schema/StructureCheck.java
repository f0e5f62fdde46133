package lavaflow.schema;

import java.util.Comparator;
import java.util.Map;
import java.util.Set;

import lavaflow.kube.FieldError;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What makes a schema structural: types everywhere, and alternatives that only narrow down what is declared without them. */
final class StructureCheck {
    private enum Level {
        ROOT("must not be empty at the root"),
        ITEM("must not be empty for specified array items"),
        FIELD("must not be empty for specified object fields");

        private final String untyped;

        Level(String untyped) {
            this.untyped = untyped;
        }
    }

    private static final String PRESERVES = "x-kubernetes-preserve-unknown-fields";
    private static final String EMBEDDED = "x-kubernetes-embedded-resource";
    private static final String INT_OR_STRING = "x-kubernetes-int-or-string";
    private static final String PROPERTIES = "properties";
    private static final String ADDITIONAL = "additionalProperties";
    private static final Set<String> METADATA_NAMES = Set.of("name", "generateName");
    private static final JsonNode INTEGER_OR_STRING = Json.parse("[{\"type\":\"integer\"},{\"type\":\"string\"}]");
    /** Words that alternatives may not use, and why. */
    private static final Map<String, String> EMPTY = Map.of(
            "type", "must be empty to be structural",
            "title", "must be empty to be structural",
            "description", "must be empty to be structural",
            "x-kubernetes-list-map-keys", "must be empty to be structural",
            "x-kubernetes-validations", "must be empty to be structural",
            "default", "must be undefined to be structural",
            "x-kubernetes-list-type", "must be undefined to be structural",
            "x-kubernetes-map-type", "must be undefined to be structural");

    private static final String[] FLAGS = {"nullable", PRESERVES, EMBEDDED, INT_OR_STRING};

    private final FieldErrors errors = new FieldErrors();

    private StructureCheck() {}

    /** Reports everything that is not structural, sorted by message. */
    static void check(ObjectNode schema, FieldPath path, FieldErrors into) {
        StructureCheck check = new StructureCheck();
        check.node(schema, Level.ROOT, path);
        check.complete(schema, schema, path, path);
        check.errors.list().stream()
                .sorted(Comparator.comparing(FieldError::message))
                .forEach(error -> into.add(error.reason(), FieldPath.of(error.field()), error.detail()));
    }

    private void node(ObjectNode schema, Level level, FieldPath path) {
        String type = Json.textAt(schema, "type");
        if (schema.get("items") instanceof ObjectNode items) {
            node(items, Level.ITEM, path.child("items"));
        } else if (type.equals("array")) {
            errors.required(path.child("items"), "must be specified");
        }
        ObjectNode properties = Json.objectAt(schema, PROPERTIES);
        if (properties != null) {
            for (Map.Entry<String, JsonNode> entry : properties.properties()) {
                if (entry.getValue() instanceof ObjectNode property) {
                    node(property, Level.FIELD, path.child(PROPERTIES).key(entry.getKey()));
                }
            }
        }
        additional(schema, level, path);
        extensions(schema, path);
        values(schema, integerOrString(schema), path);
        type(schema, type, level, path);
        metadata(schema, level, path);
    }

    private void additional(ObjectNode schema, Level level, FieldPath path) {
        JsonNode additional = Json.at(schema, ADDITIONAL);
        if (additional == null) {
            return;
        }
        if (level == Level.ROOT) {
            errors.forbidden(path.child(ADDITIONAL), "must not be used at the root");
        }
        if (additional instanceof ObjectNode values) {
            node(values, Level.FIELD, path.child(ADDITIONAL));
        }
        if (Json.flagAt(schema, EMBEDDED)) {
            errors.forbidden(path.child(ADDITIONAL), "must not be used if x-kubernetes-embedded-resource is set");
        }
    }

    private void extensions(ObjectNode schema, FieldPath path) {
        if (Json.flagAt(schema, INT_OR_STRING)) {
            for (String word : new String[] {PRESERVES, EMBEDDED}) {
                if (Json.flagAt(schema, word)) {
                    errors.invalid(
                            path.child(word), BooleanNode.TRUE, "must be false if x-kubernetes-int-or-string is true");
                }
            }
        }
        ObjectNode properties = Json.objectAt(schema, PROPERTIES);
        boolean empty = properties == null || properties.isEmpty();
        if (Json.flagAt(schema, EMBEDDED) && !Json.flagAt(schema, PRESERVES) && empty) {
            errors.required(
                    path.child(PROPERTIES),
                    "must not be empty if x-kubernetes-embedded-resource is true without"
                            + " x-kubernetes-preserve-unknown-fields");
        }
    }

    private void type(ObjectNode schema, String type, Level level, FieldPath path) {
        if (Json.flagAt(schema, EMBEDDED) && !type.equals("object")) {
            String why = "must be object if x-kubernetes-embedded-resource is true";
            if (type.isEmpty()) {
                errors.required(path.child("type"), why);
            } else {
                errors.invalid(path.child("type"), type, why);
            }
        } else if (type.isEmpty() && !Json.flagAt(schema, INT_OR_STRING) && !Json.flagAt(schema, PRESERVES)) {
            errors.required(path.child("type"), level.untyped);
        }
        if (level == Level.ROOT && !type.isEmpty() && !type.equals("object")) {
            errors.invalid(path.child("type"), type, "must be object at the root");
        }
    }

    private void metadata(ObjectNode schema, Level level, FieldPath path) {
        boolean checked = level == Level.ROOT || Json.flagAt(schema, EMBEDDED);
        for (String name : new String[] {"kind", "apiVersion"}) {
            ObjectNode property = Json.objectAt(schema, PROPERTIES, name);
            String type = Json.textAt(property, "type");
            if (checked && property != null && !type.equals("string")) {
                errors.invalid(path.child(PROPERTIES).key(name).child("type"), type, "must be string");
            }
        }
        ObjectNode metadata = Json.objectAt(schema, PROPERTIES, "metadata");
        if (metadata == null) {
            return;
        }
        FieldPath place = path.child(PROPERTIES).key("metadata");
        String type = Json.textAt(metadata, "type");
        if (checked && !type.equals("object")) {
            errors.invalid(place.child("type"), type, "must be object");
        }
        if (level == Level.ROOT && saysMoreThanNames(metadata)) {
            errors.forbidden(
                    place,
                    "must not specify anything other than name and generateName, but metadata is implicitly specified");
        }
    }

    private static boolean saysMoreThanNames(ObjectNode metadata) {
        for (Map.Entry<String, JsonNode> entry : metadata.properties()) {
            JsonNode value = entry.getValue();
            boolean unset = value.isNull()
                    || (value.isBoolean() && !value.booleanValue())
                    || (value.isTextual() && value.textValue().isEmpty());
            switch (entry.getKey()) {
                case "type", "default" -> {
                    // Checked elsewhere.
                }
                case PROPERTIES -> {
                    if (value.properties().stream().anyMatch(property -> !METADATA_NAMES.contains(property.getKey()))) {
                        return true;
                    }
                }
                default -> {
                    if (!unset) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    private static boolean integerOrString(JsonNode schema) {
        return INTEGER_OR_STRING.equals(schema.get("anyOf"));
    }

    /** Alternatives of a node, which may use types only in the one form that says integer or string. */
    private void values(JsonNode schema, boolean skipAnyOf, FieldPath path) {
        if (!skipAnyOf) {
            choices(schema, "anyOf", path);
        }
        ArrayNode all = Json.listAt(schema, "allOf");
        for (int i = 0; i < all.size(); i++) {
            choice(
                    all.get(i),
                    i == 0 && integerOrString(all.get(0)),
                    path.child("allOf").index(i));
        }
        choices(schema, "oneOf", path);
        JsonNode not = Json.at(schema, "not");
        if (not != null) {
            choice(not, false, path.child("not"));
        }
        String pattern = Json.textAt(schema, "pattern");
        String problem = pattern.isEmpty() ? null : new RegularExpression(pattern).problem();
        if (problem != null) {
            errors.invalid(path.child("pattern"), pattern, "must be a valid regular expression, but isn't: " + problem);
        }
    }

    private void choices(JsonNode schema, String word, FieldPath path) {
        ArrayNode list = Json.listAt(schema, word);
        for (int i = 0; i < list.size(); i++) {
            choice(list.get(i), false, path.child(word).index(i));
        }
    }

    private void choice(JsonNode choice, boolean skipAnyOf, FieldPath path) {
        values(choice, skipAnyOf, path);
        JsonNode items = Json.at(choice, "items");
        if (items != null) {
            choice(items, false, path.child("items"));
        }
        ObjectNode properties = Json.objectAt(choice, PROPERTIES);
        if (properties != null) {
            for (Map.Entry<String, JsonNode> entry : properties.properties()) {
                choice(entry.getValue(), false, path.child(PROPERTIES).key(entry.getKey()));
            }
            if (properties.has("metadata")) {
                errors.forbidden(path.child(PROPERTIES).key("metadata"), "must not be specified in a nested context");
            }
        }
        JsonNode additional = Json.at(choice, ADDITIONAL);
        if (additional != null && !additional.equals(BooleanNode.FALSE)) {
            errors.forbidden(path.child(ADDITIONAL), "must be undefined to be structural");
        }
        EMPTY.forEach((word, why) -> {
            JsonNode value = Json.at(choice, word);
            boolean set = value != null
                    && !(value.isTextual() && value.textValue().isEmpty())
                    && !(value.isArray() && value.isEmpty());
            if (set) {
                errors.forbidden(path.child(word), why);
            }
        });
        for (String flag : FLAGS) {
            if (Json.flagAt(choice, flag)) {
                errors.forbidden(path.child(flag), "must be false to be structural");
            }
        }
    }

    /** Whatever alternatives speak of must be declared outside of them. */
    private void complete(JsonNode values, @Nullable JsonNode declared, FieldPath path, FieldPath valuesPath) {
        JsonNode not = Json.at(values, "not");
        if (not != null) {
            completeChoice(not, declared, path, valuesPath.child("not"));
        }
        for (String word : new String[] {"allOf", "anyOf", "oneOf"}) {
            ArrayNode list = Json.listAt(values, word);
            for (int i = 0; i < list.size(); i++) {
                completeChoice(
                        list.get(i), declared, path, valuesPath.child(word).index(i));
            }
        }
    }

    private void completeChoice(JsonNode choice, @Nullable JsonNode declared, FieldPath path, FieldPath choicePath) {
        if (declared == null) {
            errors.required(path, "because it is defined in " + choicePath);
            return;
        }
        complete(choice, declared, path, choicePath);
        JsonNode items = Json.at(choice, "items");
        if (items != null) {
            completeChoice(items, Json.objectAt(declared, "items"), path.child("items"), choicePath.child("items"));
        }
        ObjectNode properties = Json.objectAt(choice, PROPERTIES);
        if (properties == null) {
            return;
        }
        for (Map.Entry<String, JsonNode> entry : properties.properties()) {
            completeChoice(
                    entry.getValue(),
                    Json.objectAt(declared, PROPERTIES, entry.getKey()),
                    path.child(PROPERTIES).key(entry.getKey()),
                    choicePath.child(PROPERTIES).key(entry.getKey()));
        }
    }
}
