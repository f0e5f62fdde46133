package lavaflow.schema;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Removes what the schema of a custom kind does not declare.
 *
 * <p>{@code x-kubernetes-preserve-unknown-fields} keeps unknown members of the object it stands at, and of all below that the schema does
 * not describe; where a schema describes members again, they are pruned again. The type and metadata of the object itself
 * and of embedded objects stay: {@link ObjectMetadata} judges them.
 */
public final class Pruning {
    /** Paths repeat what is above them, so that a small object could otherwise name gigabytes of unknown fields. */
    private static final int MOST_REPORTED_CHARACTERS = 1 << 20;

    private final @Nullable List<String> unknown;
    private final StringBuilder path = new StringBuilder();
    private int reported;

    private Pruning(@Nullable List<String> unknown) {
        this.unknown = unknown;
    }

    /** Prunes an object in place. */
    public static void prune(ObjectNode object, StructuralSchema schema) {
        new Pruning(null).value(object, schema.embedded());
    }

    /** Prunes an object in place and tells what went, as sorted paths: {@code spec.list[0].odd}. */
    public static List<String> pruneAndReport(ObjectNode object, StructuralSchema schema) {
        List<String> unknown = new ArrayList<>(0);
        new Pruning(unknown).value(object, schema.embedded());
        Collections.sort(unknown);
        return unknown;
    }

    /** Prunes a part of an object, such as a default. */
    static void pruneValue(JsonNode value, @Nullable StructuralSchema schema) {
        new Pruning(null).value(value, schema);
    }

    private void value(JsonNode value, @Nullable StructuralSchema schema) {
        boolean keeps = schema != null && schema.preservesUnknown();
        if (value instanceof ObjectNode object) {
            object(object, schema, keeps);
        } else if (value instanceof ArrayNode list) {
            list(list, schema == null ? null : schema.items(), keeps);
        }
    }

    private void list(ArrayNode list, @Nullable StructuralSchema items, boolean keeps) {
        for (int i = 0; i < list.size(); i++) {
            JsonNode element = list.get(i);
            if (!element.isContainerNode()) {
                continue;
            }
            int length = enter("[", i, "]");
            if (keeps) {
                kept(element, items);
            } else {
                value(element, items);
            }
            path.setLength(length);
        }
    }

    /** Below an object that keeps everything, lists pass that on to their elements. */
    private void kept(JsonNode value, @Nullable StructuralSchema schema) {
        if (schema == null) {
            return;
        }
        if (value instanceof ObjectNode object) {
            object(object, schema, true);
        } else if (value instanceof ArrayNode list) {
            list(list, schema.items(), true);
        }
    }

    private void object(ObjectNode object, @Nullable StructuralSchema schema, boolean keeps) {
        Iterator<Map.Entry<String, JsonNode>> entries = object.properties().iterator();
        while (entries.hasNext()) {
            Map.Entry<String, JsonNode> entry = entries.next();
            String name = entry.getKey();
            if (schema != null && schema.isEmbedded() && isOfEveryObject(name)) {
                continue;
            }
            StructuralSchema member = schema == null ? null : schema.member(name);
            if (member != null || (schema != null && schema.hasAdditional())) {
                if (entry.getValue().isContainerNode()) {
                    int length = enter(path.isEmpty() ? "" : ".", name);
                    value(entry.getValue(), member);
                    path.setLength(length);
                }
            } else if (!keeps) {
                report(name);
                entries.remove();
            }
        }
    }

    static boolean isOfEveryObject(String name) {
        return name.equals("metadata") || name.equals("apiVersion") || name.equals("kind");
    }

    private int enter(String before, Object step, String... after) {
        int length = path.length();
        if (unknown != null) {
            path.append(before).append(step);
            for (String part : after) {
                path.append(part);
            }
        }
        return length;
    }

    private void report(String name) {
        if (unknown != null && reported < MOST_REPORTED_CHARACTERS) {
            String full = path.isEmpty() ? name : path + "." + name;
            reported += full.length();
            unknown.add(full);
        }
    }
}
