package lavaflow.apiserver;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Puts OpenAPI v2 documents of several servers together, as upstream does: the first to describe a path describes it, and a definition
 * whose name means something else already gets another one ({@code Name_v2}).
 */
final class OpenApiMerge {
    private static final String REFERENCE = "#/definitions/";
    private static final String KINDS = "x-kubernetes-group-version-kind";
    /** No document of any server is nested so deeply; one made by hand must not exhaust the stack. */
    private static final int MOST_LEVELS = 200;

    private OpenApiMerge() {}

    /** The part of a document that is about some paths: they, and the definitions they need. */
    static ObjectNode part(ObjectNode document, Predicate<String> wanted) {
        ObjectNode part = Json.object();
        ObjectNode paths = part.putObject("paths");
        document.path("paths").properties().forEach(path -> {
            if (wanted.test(path.getKey())) {
                paths.set(path.getKey(), path.getValue());
            }
        });
        JsonNode definitions = document.path("definitions");
        Set<String> needed = new TreeSet<>();
        Deque<String> unread = new ArrayDeque<>();
        references(paths, 0, unread);
        while (!unread.isEmpty()) {
            String name = unread.pop();
            JsonNode definition = definitions.get(name);
            if (definition != null && needed.add(name)) {
                references(definition, 0, unread);
            }
        }
        ObjectNode kept = part.putObject("definitions");
        needed.forEach(name -> kept.set(name, definitions.get(name)));
        return part;
    }

    private static void references(JsonNode node, int level, Deque<String> found) {
        if (level > MOST_LEVELS) {
            throw new IllegalArgumentException("the document is nested too deeply");
        }
        String reference = node.path("$ref").asText("");
        if (reference.startsWith(REFERENCE)) {
            found.push(reference.substring(REFERENCE.length()));
        }
        for (JsonNode child : node) {
            references(child, level + 1, found);
        }
    }

    /** Adds another server's document, which is changed by it. */
    static void add(ObjectNode to, ObjectNode other) {
        ObjectNode paths = Json.ensureObject(to, "paths");
        boolean known = other.path("paths").properties().stream().anyMatch(path -> paths.has(path.getKey()));
        ObjectNode source = known ? part(other, path -> !paths.has(path)) : other;
        if (source.path("paths").isEmpty()) {
            return;
        }
        ObjectNode definitions = Json.ensureObject(to, "definitions");
        Map<String, String> renamed = renames(definitions, source.path("definitions"));
        rename(source, renamed, 0);
        source.path("definitions").properties().forEach(definition -> {
            String name = renamed.getOrDefault(definition.getKey(), definition.getKey());
            JsonNode present = definitions.get(name);
            if (present == null) {
                definitions.set(name, definition.getValue());
            } else {
                addKinds((ObjectNode) present, definition.getValue());
            }
        });
        source.path("paths").properties().forEach(path -> paths.set(path.getKey(), path.getValue()));
    }

    private static Map<String, String> renames(ObjectNode present, JsonNode added) {
        Map<String, String> renames = new TreeMap<>();
        Set<String> taken = new TreeSet<>();
        added.properties().forEach(definition -> {
            String name = definition.getKey();
            JsonNode known = present.get(name);
            if (known == null || isSame(known, definition.getValue())) {
                return;
            }
            int number = 2;
            while (true) {
                String next = name + "_v" + number++;
                JsonNode other = present.get(next);
                boolean free = other == null && !added.has(next) && taken.add(next);
                if (free || (other != null && isSame(other, definition.getValue()))) {
                    renames.put(name, next);
                    return;
                }
            }
        });
        return renames;
    }

    /** The kinds a definition stands for are no part of what it says. */
    private static boolean isSame(JsonNode one, JsonNode other) {
        return without(one).equals(without(other));
    }

    private static JsonNode without(JsonNode definition) {
        if (!definition.has(KINDS)) {
            return definition;
        }
        ObjectNode copy = ((ObjectNode) definition).deepCopy();
        copy.remove(KINDS);
        return copy;
    }

    private static void addKinds(ObjectNode present, JsonNode added) {
        if (!(added.get(KINDS) instanceof ArrayNode more)) {
            return;
        }
        ArrayNode kinds = present.get(KINDS) instanceof ArrayNode known ? known : present.putArray(KINDS);
        for (JsonNode kind : more) {
            boolean has = false;
            for (JsonNode each : kinds) {
                has |= each.equals(kind);
            }
            if (!has) {
                kinds.add(kind);
            }
        }
    }

    private static void rename(JsonNode node, Map<String, String> renamed, int level) {
        if (renamed.isEmpty()) {
            return;
        }
        if (level > MOST_LEVELS) {
            throw new IllegalArgumentException("the document is nested too deeply");
        }
        if (node instanceof ObjectNode object && object.path("$ref").isTextual()) {
            String reference = object.path("$ref").asText();
            String name = reference.startsWith(REFERENCE) ? reference.substring(REFERENCE.length()) : "";
            if (renamed.containsKey(name)) {
                object.put("$ref", REFERENCE + renamed.get(name));
            }
        }
        for (JsonNode child : node) {
            rename(child, renamed, level + 1);
        }
    }
}
