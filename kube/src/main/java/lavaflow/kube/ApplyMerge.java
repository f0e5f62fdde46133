package lavaflow.kube;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Merges an applied configuration into the live object; nodes of both may be shared with the result. */
record ApplyMerge(ApplySchema schema) {
    ObjectNode merged(Type root, ObjectNode live, ObjectNode config) {
        return mergedMembers(root, live, config);
    }

    /** The merged value: the configuration's where something is owned as a whole, also if that is null. */
    private JsonNode merged(@Nullable Type type, Struct.@Nullable Field field, JsonNode live, JsonNode config) {
        return switch (schema.shape(type, field, live, config)) {
            case LEAF -> config;
            case OBJECT -> mergedObject(type, live, config);
            case LIST -> {
                Struct.Field meaning = ApplySchema.meaning(type, field);
                yield type == null || meaning == null ? config : mergedList(type, meaning, live, config);
            }
        };
    }

    private JsonNode mergedObject(@Nullable Type type, JsonNode live, JsonNode config) {
        ObjectNode left = ApplySchema.members(live);
        ObjectNode right = ApplySchema.members(config);
        if (ApplySchema.isEmpty(left) && ApplySchema.isEmpty(right)) {
            return config;
        }
        if (left == null || right == null) {
            // Null in a configuration does not remove what others put there; anything else replaces it.
            return left == null || !(config.isNull() || type != null) ? config : left;
        }
        return mergedMembers(type, left, right);
    }

    private ObjectNode mergedMembers(@Nullable Type type, ObjectNode live, ObjectNode config) {
        Struct struct = schema.struct(type);
        ObjectNode merged = Json.object();
        for (Map.Entry<String, JsonNode> entry : live.properties()) {
            String name = entry.getKey();
            JsonNode applied = config.get(name);
            if (applied == null) {
                merged.set(name, entry.getValue());
            } else {
                Struct.Field field = struct == null ? null : struct.field(name);
                Type member = field == null ? ApplySchema.element(type) : field.type();
                merged.set(name, merged(member, field, entry.getValue(), applied));
            }
        }
        for (Map.Entry<String, JsonNode> entry : config.properties()) {
            if (!live.has(entry.getKey())) {
                merged.set(entry.getKey(), entry.getValue());
            }
        }
        return merged;
    }

    private JsonNode mergedList(Type type, Struct.Field field, JsonNode live, JsonNode config) {
        ArrayNode left = ApplySchema.elements(live);
        ArrayNode right = ApplySchema.elements(config);
        if (right == null || right.isEmpty()) {
            return ApplySchema.isEmpty(left) ? config : live;
        }
        return left == null ? config : new Elements(type, field, left, right).merged();
    }

    /**
     * The elements of two lists on their way into one: common elements in the order of the configuration, live elements
     * that it does not name where they were among them, new ones after their predecessors in the configuration.
     */
    private final class Elements {
        private final Type type;
        private final ArrayNode live;
        private final List<PathStep> liveSteps = new ArrayList<>();
        private final List<PathStep> steps = new ArrayList<>();
        private final Map<PathStep, JsonNode> liveByStep = new HashMap<>();
        private final Map<PathStep, JsonNode> byStep = new HashMap<>();
        private final Set<PathStep> done = new HashSet<>();
        private final Deque<PathStep> common = new ArrayDeque<>();
        private final ArrayNode result = Json.array();

        Elements(Type type, Struct.Field field, ArrayNode live, ArrayNode config) {
            this.type = type;
            this.live = live;
            for (JsonNode item : live) {
                PathStep step = schema.step(type, field, item);
                liveSteps.add(step);
                // Repeated elements are not merged: the configuration's one replaces the first of them.
                liveByStep.merge(step, item, (_, _) -> NullNode.instance);
            }
            for (JsonNode item : config) {
                PathStep step = schema.step(type, field, item);
                steps.add(step);
                byStep.put(step, item);
                if (liveByStep.containsKey(step)) {
                    common.add(step);
                }
            }
        }

        ArrayNode merged() {
            int l = 0;
            int r = 0;
            while (l < liveSteps.size() || r < steps.size()) {
                PathStep left = l < liveSteps.size() ? liveSteps.get(l) : null;
                PathStep right = r < steps.size() ? steps.get(r) : null;
                if (left != null && left.equals(right)) {
                    take(left);
                    common.poll();
                    l++;
                    r++;
                } else if (left != null && !byStep.containsKey(left)) {
                    result.add(live.get(l++));
                } else if (left != null && right != null && isForLater(left)) {
                    l++;
                } else {
                    l += left != null && done.contains(left) ? 1 : 0;
                    if (right != null) {
                        take(right);
                        r++;
                        if (right.equals(common.peek())) {
                            common.poll();
                        }
                    }
                }
            }
            return result;
        }

        /** A common element whose turn, in the order of the configuration, is not now. */
        private boolean isForLater(PathStep step) {
            PathStep next = common.peek();
            return next != null && !next.equals(step);
        }

        private void take(PathStep step) {
            done.add(step);
            JsonNode before = liveByStep.get(step);
            JsonNode applied = byStep.getOrDefault(step, NullNode.instance);
            Type element = ApplySchema.element(type);
            result.add(before == null ? applied : ApplyMerge.this.merged(element, null, before, applied));
        }
    }
}
