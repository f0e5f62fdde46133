package lavaflow.kinds;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Reads trees as Go reads its structs: a field that is absent and one that is empty are the same. */
final class Nodes {
    private Nodes() {}

    /** The elements of a list of structs; never null, so that indices in messages stay right. */
    static List<ObjectNode> objects(@Nullable JsonNode parent, String... path) {
        ArrayNode list = Json.listAt(parent, path);
        List<ObjectNode> elements = new ArrayList<>(list.size());
        for (JsonNode element : list) {
            elements.add(element instanceof ObjectNode object ? object : Json.object());
        }
        return elements;
    }

    /** The elements of a list of strings. */
    static List<String> strings(@Nullable JsonNode parent, String... path) {
        List<String> elements = new ArrayList<>();
        for (JsonNode element : Json.listAt(parent, path)) {
            elements.add(element.asText());
        }
        return elements;
    }

    /** The entries of a map, by key: Go iterates in random order, we need one that repeats. */
    static Map<String, JsonNode> entries(@Nullable JsonNode parent, String... path) {
        Map<String, JsonNode> entries = new TreeMap<>();
        JsonNode map = Json.at(parent, path);
        if (map instanceof ObjectNode object) {
            for (Map.Entry<String, JsonNode> entry : object.properties()) {
                entries.put(entry.getKey(), entry.getValue());
            }
        }
        return entries;
    }

    /** Whether a field is set to something, in the sense of a Go pointer. */
    static boolean has(@Nullable JsonNode parent, String... path) {
        return Json.at(parent, path) != null;
    }

    /** Whether a map or list has no entries. */
    static boolean emptyAt(@Nullable JsonNode parent, String... path) {
        JsonNode found = Json.at(parent, path);
        return found == null || found.isEmpty();
    }

    /** Sets a string field that is absent or empty. */
    static void defaultText(ObjectNode node, String field, String value) {
        if (Json.textAt(node, field).isEmpty()) {
            node.put(field, value);
        }
    }

    /** Sets a number field that is absent or, as Go cannot tell the two apart without a pointer, zero. */
    static void defaultNonZero(ObjectNode node, String field, long value) {
        if (Json.longAt(node, 0, field) == 0) {
            node.put(field, value);
        }
    }

    /** Sets a field that is absent. */
    static void defaultValue(ObjectNode node, String field, JsonNode value) {
        if (!has(node, field)) {
            node.set(field, value);
        }
    }

    /** A Go {@code []string} printed with %v: {@code [a b]}. */
    static String goList(Collection<String> values) {
        StringBuilder text = new StringBuilder("[");
        for (Iterator<String> each = values.iterator(); each.hasNext(); ) {
            text.append(each.next());
            if (each.hasNext()) {
                text.append(' ');
            }
        }
        return text.append(']').toString();
    }
}
