package lavaflow.kube;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What changed from one object to another; no path is in more than one of the sets.
 *
 * @param removed paths only the old object has
 * @param modified leaves with another value
 * @param added paths only the new object has
 */
public record Comparison(FieldSet removed, FieldSet modified, FieldSet added) {
    static final Comparison SAME = new Comparison(FieldSet.EMPTY, FieldSet.EMPTY, FieldSet.EMPTY);

    /** Compares two objects of a struct; duplicates in lists that have keys are told from single elements. */
    public static Comparison of(Types types, String struct, ObjectNode before, ObjectNode after) {
        Walk walk = new Walk(new ApplySchema(types));
        Level root = new Level();
        walk.members(new Type.Ref(struct), before, after, root);
        return root.comparison();
    }

    public boolean isSame() {
        return removed.isEmpty() && modified.isEmpty() && added.isEmpty();
    }

    /** Without the paths that a filter drops. */
    Comparison filter(FieldFilter filter) {
        return new Comparison(filter.filter(removed), filter.filter(modified), filter.filter(added));
    }

    /** The differences among the steps of one level; builders are made when there are any. */
    private static final class Level {
        private FieldSet.@Nullable Builder removed;
        private FieldSet.@Nullable Builder modified;
        private FieldSet.@Nullable Builder added;

        FieldSet.Builder removed() {
            FieldSet.Builder builder = removed == null ? new FieldSet.Builder() : removed;
            removed = builder;
            return builder;
        }

        FieldSet.Builder modified() {
            FieldSet.Builder builder = modified == null ? new FieldSet.Builder() : modified;
            modified = builder;
            return builder;
        }

        FieldSet.Builder added() {
            FieldSet.Builder builder = added == null ? new FieldSet.Builder() : added;
            added = builder;
            return builder;
        }

        /** Takes what was found below a step, and the step itself where only one side has it. */
        void below(PathStep step, Level child, boolean removes, boolean adds) {
            if (removes || child.removed != null) {
                removed().add(step, removes, built(child.removed));
            }
            if (child.modified != null) {
                modified().add(step, false, built(child.modified));
            }
            if (adds || child.added != null) {
                added().add(step, adds, built(child.added));
            }
        }

        private static FieldSet built(FieldSet.@Nullable Builder builder) {
            return builder == null ? FieldSet.EMPTY : builder.build();
        }

        Comparison comparison() {
            return removed == null && modified == null && added == null
                    ? SAME
                    : new Comparison(built(removed), built(modified), built(added));
        }
    }

    private record Walk(ApplySchema schema) {
        @SuppressWarnings("ReferenceEquality") // unchanged parts are often the very same nodes
        void compare(
                @Nullable Type type,
                Struct.@Nullable Field field,
                PathStep step,
                @Nullable JsonNode before,
                @Nullable JsonNode after,
                Level level) {
            if (before == after) {
                return;
            }
            ApplySchema.Shape shape = schema.shape(type, field, before, after);
            Level child = new Level();
            boolean leaf = switch (shape) {
                case LEAF -> true;
                case OBJECT -> !objects(type, before, after, child);
                case LIST -> !lists(type, ApplySchema.meaning(type, field), before, after, child);
            };
            if (leaf) {
                leaf(step, before, after, level);
            } else {
                level.below(step, child, after == null, before == null);
                if (type == null && differsInKind(before, after)) {
                    level.modified().member(step);
                }
            }
        }

        private static void leaf(PathStep step, @Nullable JsonNode before, @Nullable JsonNode after, Level level) {
            if (before == null) {
                level.added().member(step);
            } else if (after == null) {
                level.removed().member(step);
            } else if (!ApplySchema.same(before, after)) {
                level.modified().member(step);
            }
        }

        /** Content without a schema may turn from an object into something else. */
        private static boolean differsInKind(@Nullable JsonNode before, @Nullable JsonNode after) {
            return before != null
                    && after != null
                    && !before.isNull()
                    && !after.isNull()
                    && before.isObject() != after.isObject();
        }

        /** False where both are empty: they are compared as a whole then, to tell empty from null. */
        private boolean objects(@Nullable Type type, @Nullable JsonNode before, @Nullable JsonNode after, Level child) {
            ObjectNode left = ApplySchema.members(before);
            ObjectNode right = ApplySchema.members(after);
            if (ApplySchema.isEmpty(left) && ApplySchema.isEmpty(right)) {
                return false;
            }
            members(type, left, right, child);
            return true;
        }

        void members(@Nullable Type type, @Nullable ObjectNode before, @Nullable ObjectNode after, Level level) {
            Struct struct = schema.struct(type);
            if (before != null) {
                for (Map.Entry<String, JsonNode> entry : before.properties()) {
                    String name = entry.getKey();
                    JsonNode other = after == null ? null : after.get(name);
                    member(type, struct, name, entry.getValue(), other, after != null, level);
                }
            }
            if (after != null) {
                for (Map.Entry<String, JsonNode> entry : after.properties()) {
                    String name = entry.getKey();
                    if (before == null || !before.has(name)) {
                        Struct.Field field = struct == null ? null : struct.field(name);
                        JsonNode absent = field == null || before == null ? null : schema.absent(field);
                        compare(typeOf(type, field), field, PathStep.field(name), absent, entry.getValue(), level);
                    }
                }
            }
        }

        private void member(
                @Nullable Type type,
                @Nullable Struct struct,
                String name,
                JsonNode before,
                @Nullable JsonNode after,
                boolean hasAfter,
                Level level) {
            Struct.Field field = struct == null ? null : struct.field(name);
            JsonNode other = after == null && hasAfter && field != null ? schema.absent(field) : after;
            compare(typeOf(type, field), field, PathStep.field(name), before, other, level);
        }

        private static @Nullable Type typeOf(@Nullable Type container, Struct.@Nullable Field field) {
            return field == null ? ApplySchema.element(container) : field.type();
        }

        private boolean lists(
                @Nullable Type type,
                Struct.@Nullable Field field,
                @Nullable JsonNode before,
                @Nullable JsonNode after,
                Level child) {
            ArrayNode left = ApplySchema.elements(before);
            ArrayNode right = ApplySchema.elements(after);
            if ((ApplySchema.isEmpty(left) && ApplySchema.isEmpty(right)) || type == null || field == null) {
                return false;
            }
            if (left == null || !left.equals(right)) {
                elements(type, field, left, right, child);
            }
            return true;
        }

        private void elements(
                Type type, Struct.Field field, @Nullable ArrayNode before, @Nullable ArrayNode after, Level level) {
            Map<PathStep, List<JsonNode>> left = byStep(type, field, before);
            Map<PathStep, List<JsonNode>> right = byStep(type, field, after);
            Set<PathStep> steps = new LinkedHashSet<>(left.keySet());
            steps.addAll(right.keySet());
            for (PathStep step : steps) {
                element(type, step, left.getOrDefault(step, List.of()), right.getOrDefault(step, List.of()), level);
            }
        }

        private Map<PathStep, List<JsonNode>> byStep(Type type, Struct.Field field, @Nullable ArrayNode list) {
            Map<PathStep, List<JsonNode>> byStep = new LinkedHashMap<>();
            if (list != null) {
                for (JsonNode item : list) {
                    byStep.computeIfAbsent(schema.step(type, field, item), _ -> new ArrayList<>(1))
                            .add(item);
                }
            }
            return byStep;
        }

        /** Elements that share a step are owned together, as a whole. */
        private void element(Type list, PathStep step, List<JsonNode> before, List<JsonNode> after, Level level) {
            Type type = ApplySchema.element(list);
            boolean wereMany = before.size() > 1;
            boolean areMany = after.size() > 1;
            if (wereMany && areMany) {
                if (!before.equals(after)) {
                    level.modified().member(step);
                }
            } else if (wereMany) {
                if (!after.isEmpty()) {
                    compare(type, null, step, null, after.getFirst(), level);
                }
                level.removed().member(step);
            } else if (areMany) {
                if (!before.isEmpty()) {
                    compare(type, null, step, before.getFirst(), null, level);
                }
                level.added().member(step);
            } else {
                compare(
                        type,
                        null,
                        step,
                        before.isEmpty() ? null : before.getFirst(),
                        after.isEmpty() ? null : after.getFirst(),
                        level);
            }
        }
    }
}
