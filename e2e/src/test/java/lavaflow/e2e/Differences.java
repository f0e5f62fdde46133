package lavaflow.e2e;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Where two trees differ, one line a place. Absent, null and empty are three different things. */
final class Differences {
    /** A place and what stands there on either side. */
    record Difference(String path, String ours, String theirs) {
        @Override
        public String toString() {
            return path + "\n      ours:   " + ours + "\n      theirs: " + theirs;
        }
    }

    private static final int SHOWN = 400;

    /** Keys by which the items of a list are paired, so that one missing item is one difference. */
    private static final List<String> ITEM_KEYS = List.of("name", "resource", "subresource", "version", "groupVersion");

    private final List<Difference> found = new ArrayList<>();

    private Differences() {}

    static List<Difference> between(JsonNode ours, JsonNode theirs) {
        Differences differences = new Differences();
        differences.compare("", ours, theirs);
        return differences.found;
    }

    /** Takes a place out of the comparison; a {@code *} stands for every item or field. */
    static void blank(JsonNode root, String pointer) {
        int slash = pointer.indexOf('/', 1);
        String step = pointer.substring(1, slash < 0 ? pointer.length() : slash).replace("~1", "/");
        String rest = slash < 0 ? "" : pointer.substring(slash);
        if (root instanceof ArrayNode array) {
            for (int i = 0; i < array.size(); i++) {
                if (step.equals("*") || step.equals(String.valueOf(i))) {
                    if (rest.isEmpty()) {
                        array.set(i, Json.text("<ignored>"));
                    } else {
                        blank(array.get(i), rest);
                    }
                }
            }
        } else if (root instanceof ObjectNode object) {
            for (String key : List.copyOf(names(object))) {
                if (step.equals("*") || step.equals(key)) {
                    if (rest.isEmpty()) {
                        object.remove(key);
                    } else {
                        blank(object.get(key), rest);
                    }
                }
            }
        }
    }

    private void compare(String path, JsonNode ours, JsonNode theirs) {
        if (ours.equals(theirs)) {
            return;
        }
        if (ours instanceof ObjectNode a && theirs instanceof ObjectNode b) {
            Set<String> keys = new TreeSet<>(names(a));
            keys.addAll(names(b));
            for (String key : keys) {
                compare(path + (path.isEmpty() ? "" : ".") + key, a.path(key), b.path(key));
            }
        } else if (ours instanceof ArrayNode a && theirs instanceof ArrayNode b) {
            lists(path, a, b);
        } else {
            found.add(new Difference(path, show(ours), show(theirs)));
        }
    }

    private void lists(String path, ArrayNode ours, ArrayNode theirs) {
        for (String key : ITEM_KEYS) {
            Map<String, JsonNode> a = keyed(ours, key);
            Map<String, JsonNode> b = keyed(theirs, key);
            if (a.size() == ours.size() && b.size() == theirs.size()) {
                keyedLists(path, a, b);
                return;
            }
        }
        for (int i = 0; i < Math.max(ours.size(), theirs.size()); i++) {
            compare(path + "[" + i + "]", ours.path(i), theirs.path(i));
        }
    }

    private void keyedLists(String path, Map<String, JsonNode> ours, Map<String, JsonNode> theirs) {
        Set<String> keys = new LinkedHashSet<>(ours.keySet());
        keys.addAll(theirs.keySet());
        JsonNode absent = Json.FACTORY.missingNode();
        for (String key : keys) {
            compare(path + "[" + key + "]", ours.getOrDefault(key, absent), theirs.getOrDefault(key, absent));
        }
        List<String> ourOrder =
                ours.keySet().stream().filter(theirs::containsKey).toList();
        List<String> theirOrder =
                theirs.keySet().stream().filter(ours::containsKey).toList();
        if (!ourOrder.equals(theirOrder)) {
            found.add(new Difference(path + " (order)", ourOrder.toString(), theirOrder.toString()));
        }
    }

    private static Map<String, JsonNode> keyed(ArrayNode list, String key) {
        Map<String, JsonNode> keyed = new LinkedHashMap<>();
        for (JsonNode item : list) {
            JsonNode value = item.path("metadata").path(key);
            JsonNode own = item.get(key) == null ? value : item.get(key);
            if (own.isTextual()) {
                keyed.put(own.textValue(), item);
            }
        }
        return keyed;
    }

    private static Set<String> names(ObjectNode object) {
        Set<String> names = new LinkedHashSet<>();
        object.fieldNames().forEachRemaining(names::add);
        return names;
    }

    private static String show(JsonNode node) {
        String text = node.isMissingNode() ? "(absent)" : Json.string(node);
        return text.length() > SHOWN ? text.substring(0, SHOWN) + "... (" + text.length() + ")" : text;
    }
}
