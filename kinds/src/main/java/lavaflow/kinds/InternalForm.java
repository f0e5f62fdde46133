package lavaflow.kinds;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Pod specs and templates as upstream's messages show them: its internal structs have no JSON tags, so fields carry their
 * Go names and absent ones are written out.
 */
final class InternalForm {
    private static final List<String> SELECTOR_FIELDS = List.of("matchLabels", "matchExpressions");
    private static final List<String> METADATA_FIELDS =
            List.of("name", "generateName", "namespace", "labels", "annotations", "ownerReferences", "finalizers");
    /** Fields that upstream keeps in the security context inside and in the spec outside. */
    private static final List<String> HOST_FIELDS =
            List.of("hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers");

    private record Field(String goName, String jsonName, String type) {}

    private static final Map<String, List<Field>> STRUCTS = read();

    private InternalForm() {}

    private static Map<String, List<Field>> read() {
        try (InputStream in = Objects.requireNonNull(
                InternalForm.class.getResourceAsStream("internal-structs.txt"), "internal-structs.txt")) {
            Map<String, List<Field>> structs = new HashMap<>();
            new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().forEach(line -> {
                String[] words = line.split(" ", -1);
                List<Field> fields = new ArrayList<>();
                for (String word : List.of(words).subList(1, words.length)) {
                    int equals = word.indexOf('=');
                    int colon = word.indexOf(':');
                    fields.add(
                            equals < 0
                                    ? new Field("", "", word)
                                    : new Field(
                                            word.substring(0, equals),
                                            word.substring(equals + 1, colon),
                                            word.substring(colon + 1)));
                }
                structs.put(words[0], fields);
            });
            return structs;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static ObjectNode spec(@Nullable JsonNode spec) {
        return struct("PodSpec", spec);
    }

    static ObjectNode template(@Nullable JsonNode template) {
        return struct("PodTemplateSpec", template);
    }

    /** Any struct a pod's spec is made of. */
    static ObjectNode struct(String name, @Nullable JsonNode node) {
        ObjectNode shown = Json.object();
        fill(shown, name, name.equals("PodSpec") && node != null ? withHostFields(node) : node);
        return shown;
    }

    private static JsonNode withHostFields(JsonNode spec) {
        ObjectNode copy = Json.object();
        copy.setAll((ObjectNode) spec);
        ObjectNode context = Json.object();
        if (spec.get("securityContext") instanceof ObjectNode present) {
            context.setAll(present);
        }
        for (String field : HOST_FIELDS) {
            JsonNode value = Json.at(spec, field);
            if (value != null) {
                context.set(field, value);
            }
        }
        copy.set("securityContext", context);
        return copy;
    }

    private static void fill(ObjectNode shown, String struct, @Nullable JsonNode node) {
        for (Field field : STRUCTS.getOrDefault(struct, List.of())) {
            if (field.type.equals("+ObjectMeta")) {
                putOrdered(shown, Json.at(node, "metadata"), METADATA_FIELDS);
            } else if (field.type.startsWith("+")) {
                fill(shown, field.type.substring(1), node);
            } else {
                shown.set(field.goName, value(field.type, Json.at(node, field.jsonName)));
            }
        }
    }

    private static JsonNode value(String type, @Nullable JsonNode node) {
        return switch (type) {
            case "string" -> node == null ? Json.text("") : node;
            case "quantity" -> node == null ? Json.text("0") : node;
            case "int" -> node == null ? Json.number(0) : node;
            case "bool" -> Json.FACTORY.booleanNode(node != null && node.booleanValue());
            case "any" -> node == null ? Json.FACTORY.nullNode() : sorted(node);
            default -> {
                if (type.startsWith("[")) {
                    yield list(type.substring(1), node);
                }
                boolean pointer = type.startsWith("*");
                yield pointer && node == null
                        ? Json.FACTORY.nullNode()
                        : struct(pointer ? type.substring(1) : type, node);
            }
        };
    }

    private static JsonNode list(String element, @Nullable JsonNode node) {
        if (node == null || node.isEmpty()) {
            return Json.FACTORY.nullNode();
        }
        ArrayNode shown = Json.array();
        for (JsonNode each : node) {
            shown.add(struct(element, each));
        }
        return shown;
    }

    /** Go writes maps by key; selectors are structs with an order of their own. */
    private static JsonNode sorted(JsonNode node) {
        if (!(node instanceof ObjectNode object)) {
            return node;
        }
        ObjectNode shown = Json.object();
        if (object.has("matchLabels") || object.has("matchExpressions")) {
            putOrdered(shown, object, SELECTOR_FIELDS);
            return shown;
        }
        Map<String, JsonNode> entries = new TreeMap<>();
        object.properties().forEach(entry -> entries.put(entry.getKey(), entry.getValue()));
        entries.forEach(shown::set);
        return shown;
    }

    private static void putOrdered(ObjectNode shown, @Nullable JsonNode node, List<String> fields) {
        for (String field : fields) {
            JsonNode value = Json.at(node, field);
            if (value != null) {
                shown.set(field, sorted(value));
            }
        }
    }
}
