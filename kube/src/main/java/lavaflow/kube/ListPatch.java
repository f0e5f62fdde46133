package lavaflow.kube;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * How a strategic merge patch treats one list: elements that both sides have are merged by key, and the order of the
 * result is that of {@code $setElementOrder}, then that of the patch, with what only the server has kept in place.
 *
 * @param patch merges elements
 * @param element the type of elements
 * @param merges the list is merged, not replaced
 * @param key the merge key; empty for primitives
 */
record ListPatch(StrategicMergePatch patch, Type element, boolean merges, String key) {
    /** Up to this many elements Go's stable sort is an insertion sort, and how that treats unknown elements shows. */
    private static final int INSERTION_SORT = 20;

    /**
     * Merged objects before they are arranged.
     *
     * @param elements what the list holds now
     * @param changed the elements of the patch that are no directives
     * @param kept the server's elements that were not deleted
     * @param remembered the order of the server's elements that {@code $setElementOrder} sees: upstream deletes and
     *     appends in the same slice, so new elements take the room of deleted ones
     */
    private record Merged(
            List<JsonNode> elements, List<JsonNode> changed, List<JsonNode> kept, List<JsonNode> remembered) {}

    /** The list merged with a change, in the order of the change. */
    ArrayNode merged(ArrayNode original, ArrayNode change, boolean deletes) {
        if (!merges && !deletes) {
            return change;
        }
        if (original.isEmpty() && change.isEmpty()) {
            return original;
        }
        if (holdsObjects(original, change)) {
            Merged merged = mergeObjects(original, change);
            return arranged(merged.elements(), merged.changed(), merged.kept(), true);
        }
        Set<JsonNode> elements = new LinkedHashSet<>(list(original));
        if (deletes) {
            Set<JsonNode> deleted = new HashSet<>(list(change));
            return array(
                    list(original).stream().filter(e -> !deleted.contains(e)).toList());
        }
        elements.addAll(list(change));
        return arranged(List.copyOf(elements), list(change), list(original), false);
    }

    /** The list merged with a change, if there is one, in the order of a directive. One of the lists is there. */
    ArrayNode ordered(@Nullable ArrayNode current, @Nullable ArrayNode change, ArrayNode order) {
        ArrayNode original = current == null ? Json.array() : current;
        ArrayNode changed = change == null ? Json.array() : change;
        boolean objects = holdsObjects(original, changed);
        List<JsonNode> serverOrder = list(original);
        List<JsonNode> result;
        if (change == null) {
            result = serverOrder;
        } else if (current == null) {
            StrategicMergePatch.withoutDirectives(changed);
            result = list(changed);
        } else if (merges && objects) {
            Merged merged = mergeObjects(original, changed);
            serverOrder = merged.remembered();
            result = list(arranged(merged.elements(), merged.changed(), merged.kept(), true));
        } else {
            result = list(merged(original, changed, false));
        }
        return arranged(result, list(order), serverOrder, objects);
    }

    /** Whether the lists hold objects; elements of different types, or none at all, are refused. */
    private static boolean holdsObjects(ArrayNode original, ArrayNode change) {
        String type = null;
        for (ArrayNode elements : List.of(original, change)) {
            for (JsonNode element : elements) {
                if (type == null && element.isArray()) {
                    throw JsonPatch.rejected();
                }
                String found = GoText.type(element);
                if (element.isNull() || (type != null && !type.equals(found))) {
                    throw ApiException.badRequest("list element types are not identical: [" + GoText.value(original)
                            + " " + GoText.value(change) + "]");
                }
                type = found;
            }
        }
        if (type == null) {
            throw ApiException.badRequest("no elements in any of the given slices");
        }
        return type.startsWith("map");
    }

    private Merged mergeObjects(ArrayNode original, ArrayNode change) {
        if (key.isEmpty()) {
            throw ApiException.badRequest(
                    "cannot merge lists without merge key for " + StrategicMergePatch.goKind(element));
        }
        List<JsonNode> changed = new ArrayList<>();
        Set<JsonNode> deleted = new HashSet<>();
        boolean replaces = directives(change, changed, deleted);
        List<JsonNode> kept = new ArrayList<>(list(original));
        kept.removeIf(item -> item.has(key) && deleted.contains(item.get(key)));
        if (replaces) {
            return new Merged(changed, List.of(), changed, kept);
        }
        List<JsonNode> elements = new ArrayList<>(kept);
        Map<JsonNode, Integer> positions = positions(elements, true);
        for (JsonNode item : changed) {
            JsonNode value = keyOf(item);
            Integer position = positions.putIfAbsent(value, elements.size());
            if (position == null) {
                elements.add(item);
            } else {
                ObjectNode current = (ObjectNode) elements.get(position);
                elements.set(position, patch.mergeObject(current, (ObjectNode) item, element));
            }
        }
        int remembered = Math.min(elements.size(), original.size());
        return new Merged(elements, changed, kept, elements.subList(0, remembered));
    }

    /** Sorts the change into plain elements and keys to delete; true if the list is to be replaced. */
    private boolean directives(ArrayNode change, List<JsonNode> plain, Set<JsonNode> deleted) {
        boolean replaces = false;
        for (JsonNode item : change) {
            JsonNode directive = item.get(StrategicMergePatch.DIRECTIVE);
            if (directive == null) {
                plain.add(item);
                continue;
            }
            switch (directive.asText()) {
                case "delete" -> deleted.add(keyOf(item));
                case "replace" -> replaces = true;
                case "merge" -> throw ApiException.badRequest("merging lists cannot yet be specified in the patch");
                default -> throw StrategicMergePatch.unknownDirective(directive, (ObjectNode) item);
            }
        }
        return replaces;
    }

    private JsonNode keyOf(JsonNode item) {
        if (!item.isObject()) {
            throw StrategicMergePatch.wrongType("map[string]interface {}", item);
        }
        JsonNode value = item.get(key);
        if (value == null) {
            throw ApiException.badRequest(
                    "map: " + GoText.value(item) + " does not contain declared merge key: " + key);
        }
        return value;
    }

    /** The elements of the change must be in the order of the directive and may not be missing there. */
    void checkOrder(ArrayNode change, ArrayNode order) {
        if (change.isEmpty() || order.isEmpty()) {
            return;
        }
        int next = 0;
        for (JsonNode item : change) {
            if (!key.isEmpty() && !item.isObject()) {
                throw StrategicMergePatch.wrongType("map[string]interface {}", item);
            }
            String directive = item.path(StrategicMergePatch.DIRECTIVE).asText();
            if (!key.isEmpty() && directive.equals("delete")) {
                continue;
            }
            // Other directives are skipped too, but not behind the end of the order: upstream's quirk.
            if (next < order.size() && item.has(StrategicMergePatch.DIRECTIVE)) {
                continue;
            }
            while (next < order.size() && !keyOrItem(item).equals(keyOrItem(order.get(next)))) {
                next++;
            }
            if (next == order.size()) {
                throw ApiException.badRequest("The order in patch list:\n" + GoText.value(change)
                        + "\n doesn't match " + StrategicMergePatch.SET_ELEMENT_ORDER + " list:\n"
                        + GoText.value(order) + "\n");
            }
            next++;
        }
    }

    private JsonNode keyOrItem(JsonNode item) {
        return key.isEmpty() ? item : keyOf(item);
    }

    private ArrayNode arranged(
            List<JsonNode> elements, List<JsonNode> order, List<JsonNode> serverOrder, boolean objects) {
        boolean keyed = objects || !key.isEmpty();
        if (keyed) {
            elements.forEach(this::keyOf);
            for (int i = 0; i < order.size() && !elements.isEmpty(); i++) {
                if (!order.get(i).isObject()) {
                    throw ApiException.badRequest("value for key " + i + " is not a map");
                }
            }
        }
        Map<JsonNode, Integer> wanted = positions(order, keyed);
        Map<JsonNode, Integer> live = positions(serverOrder, keyed);
        List<JsonNode> patched = new ArrayList<>();
        List<JsonNode> serverOnly = new ArrayList<>();
        for (JsonNode item : elements) {
            (wanted.containsKey(keyed ? keyOf(item) : item) ? patched : serverOnly).add(item);
        }
        sort(patched, wanted, keyed);
        sort(serverOnly, live, keyed);
        return interleaved(serverOnly, patched, live, keyed);
    }

    private Map<JsonNode, Integer> positions(List<JsonNode> elements, boolean keyed) {
        Map<JsonNode, Integer> positions = new HashMap<>();
        for (int i = 0; i < elements.size(); i++) {
            positions.putIfAbsent(keyed ? keyOf(elements.get(i)) : elements.get(i), i);
        }
        return positions;
    }

    /** Sorts by position; elements without one have no place, and end up where an insertion sort happens to put them. */
    private void sort(List<JsonNode> elements, Map<JsonNode, Integer> positions, boolean keyed) {
        if (elements.size() > INSERTION_SORT) {
            elements.sort(Comparator.comparingInt(item -> position(item, positions, keyed)));
            return;
        }
        for (int i = 1; i < elements.size(); i++) {
            for (int j = i; j > 0 && precedes(elements.get(j), elements.get(j - 1), positions, keyed); j--) {
                Collections.swap(elements, j, j - 1);
            }
        }
    }

    private boolean precedes(JsonNode left, JsonNode right, Map<JsonNode, Integer> positions, boolean keyed) {
        int first = position(left, positions, keyed);
        int second = position(right, positions, keyed);
        return first < 0 || second < 0 || first < second;
    }

    private int position(JsonNode item, Map<JsonNode, Integer> positions, boolean keyed) {
        Integer position = positions.get(keyed ? keyOf(item) : item);
        return position == null ? -1 : position;
    }

    /** Puts each of the server's elements before the first patched one that it precedes in the live list. */
    private ArrayNode interleaved(
            List<JsonNode> serverOnly, List<JsonNode> patched, Map<JsonNode, Integer> live, boolean keyed) {
        ArrayNode all = Json.array();
        int next = 0;
        for (JsonNode item : patched) {
            int bound = position(item, live, keyed);
            while (next < serverOnly.size()) {
                int position = position(serverOnly.get(next), live, keyed);
                if (position < 0 || position >= bound) {
                    break;
                }
                all.add(serverOnly.get(next++));
            }
            all.add(item);
        }
        all.addAll(serverOnly.subList(next, serverOnly.size()));
        return all;
    }

    private static List<JsonNode> list(ArrayNode array) {
        List<JsonNode> elements = new ArrayList<>(array.size());
        array.forEach(elements::add);
        return elements;
    }

    private static ArrayNode array(List<JsonNode> elements) {
        return Json.array().addAll(elements);
    }
}
