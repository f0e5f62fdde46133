package lavaflow.kinds;

import java.time.Instant;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

import lavaflow.kube.HumanDuration;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** One row of a table, filled from left to right out of one object. */
final class Cells {
    static final String NONE = "<none>";
    static final String UNSET = "<unset>";
    static final String UNKNOWN = "<unknown>";

    private final ObjectNode object;
    private final Instant now;
    private final ArrayNode list = Json.array();

    Cells(ObjectNode object, Instant now) {
        this.object = object;
        this.now = now;
    }

    ArrayNode list() {
        return list;
    }

    ObjectNode object() {
        return object;
    }

    /** The text at a path of the object, or nothing. */
    String at(String... path) {
        return Json.textAt(object, path);
    }

    /** The text at a path of the object, or what stands for its absence. */
    String at(List<String> path, String absent) {
        JsonNode found = Json.at(object, path.toArray(new String[0]));
        return found == null ? absent : found.asText();
    }

    boolean has(String... path) {
        return Json.at(object, path) != null;
    }

    Cells name() {
        return textAt("metadata", "name");
    }

    Cells text(String text) {
        list.add(text);
        return this;
    }

    Cells textAt(String... path) {
        return text(at(path));
    }

    Cells textOr(String absent, String... path) {
        return text(at(List.of(path), absent));
    }

    /** As {@link #textOr}, but an empty text counts as absent. */
    Cells textUnlessEmpty(String empty, String... path) {
        String text = at(path);
        return text(text.isEmpty() ? empty : text);
    }

    Cells number(long number) {
        list.add(number);
        return this;
    }

    Cells numberAt(String... path) {
        return number(Json.longAt(object, 0, path));
    }

    /** How many elements or entries there are at a path. */
    Cells countAt(String... path) {
        return number(count(path));
    }

    int count(String... path) {
        JsonNode found = Json.at(object, path);
        return found == null ? 0 : found.size();
    }

    Cells flag(boolean flag) {
        list.add(flag);
        return this;
    }

    Cells flagAt(String... path) {
        return flag(Json.flagAt(object, path));
    }

    Cells age() {
        return since("metadata", "creationTimestamp");
    }

    Cells since(String... path) {
        return text(ageOf(at(path)));
    }

    String ageOf(String timestamp) {
        return HumanDuration.since(timestamp, now);
    }

    Instant now() {
        return now;
    }

    boolean isDeleting() {
        return has("metadata", "deletionTimestamp");
    }

    /** Names and images of the containers of a pod spec at a path, in two cells. */
    Cells containers(String... path) {
        ArrayNode containers = Json.listAt(Json.at(object, path), "containers");
        return text(joined(containers, ",", "name")).text(joined(containers, ",", "image"));
    }

    /** One field of every element. */
    static String joined(ArrayNode elements, String separator, String... field) {
        return StreamSupport.stream(elements.spliterator(), false)
                .map(element -> field.length == 0 ? element.asText() : Json.textAt(element, field))
                .collect(Collectors.joining(separator));
    }

    /** A LabelSelector object at a path. */
    Cells selectorAt(String... path) {
        return text(LabelSelector.describe(Json.at(object, path)));
    }

    /** A map of labels at a path. */
    Cells labelsAt(String... path) {
        return text(labels(Json.at(object, path)));
    }

    static String labels(@Nullable JsonNode labels) {
        if (labels == null || labels.isEmpty()) {
            return NONE;
        }
        TreeMap<String, String> sorted = new TreeMap<>();
        labels.properties()
                .forEach(label -> sorted.put(label.getKey(), label.getValue().asText()));
        return sorted.entrySet().stream()
                .map(label -> label.getKey() + "=" + label.getValue())
                .collect(Collectors.joining(","));
    }

    /** The first of a few, and how many more there are. */
    static String shortened(List<String> all, int shown, String separator) {
        if (all.size() <= shown) {
            return String.join(separator, all);
        }
        return String.join(separator, all.subList(0, shown)) + " + " + (all.size() - shown) + " more...";
    }

    /** The condition of a type in a list, or null. */
    static @Nullable JsonNode condition(ArrayNode conditions, String type) {
        for (JsonNode condition : conditions) {
            if (Json.textAt(condition, "type").equals(type)) {
                return condition;
            }
        }
        return null;
    }

    /** Whether the object's first condition of a type is true. */
    boolean isTrue(String type) {
        return Json.textAt(condition(Json.listAt(object, "status", "conditions"), type), "status")
                .equals("True");
    }
}
