package lavaflow.kube;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Field sets and objects: which paths an object has, and an object without some of its paths. */
record AppliedFields(ApplySchema schema) {
    /** The paths that somebody who applies this object owns. */
    FieldSet of(Type root, ObjectNode object) {
        FieldSet.Builder paths = new FieldSet.Builder();
        members(root, object, paths);
        return paths.build();
    }

    /** The paths below a value; the builder of its own level gets the step itself where it is a leaf. */
    private void add(
            @Nullable Type type,
            Struct.@Nullable Field field,
            PathStep step,
            JsonNode value,
            boolean itself,
            FieldSet.Builder level) {
        FieldSet.Builder below = new FieldSet.Builder();
        boolean member = itself;
        switch (schema.shape(type, field, value, null)) {
            case LEAF -> member = true;
            case OBJECT -> {
                if (value instanceof ObjectNode object) {
                    members(type, object, below);
                }
            }
            case LIST -> {
                Struct.Field meaning = ApplySchema.meaning(type, field);
                if (value instanceof ArrayNode list && type != null && meaning != null) {
                    elements(type, meaning, list, below);
                }
            }
        }
        level.add(step, member, below.build());
    }

    private void members(@Nullable Type type, ObjectNode object, FieldSet.Builder level) {
        Struct struct = schema.struct(type);
        for (Map.Entry<String, JsonNode> entry : object.properties()) {
            JsonNode value = entry.getValue();
            Struct.Field field = struct == null ? null : struct.field(entry.getKey());
            // Members of structs come with the struct; entries of maps are there because somebody put them there.
            boolean itself = field == null || value.isNull() || (value.isObject() && value.isEmpty());
            Type member = field == null ? ApplySchema.element(type) : field.type();
            add(member, field, PathStep.field(entry.getKey()), value, itself, level);
        }
    }

    private void elements(Type type, Struct.Field field, ArrayNode list, FieldSet.Builder level) {
        Set<PathStep> seen = new HashSet<>();
        Set<PathStep> repeated = new HashSet<>();
        for (JsonNode item : list) {
            PathStep step = schema.step(type, field, item);
            if (!seen.add(step) && repeated.add(step)) {
                level.member(step);
            }
        }
        for (JsonNode item : list) {
            PathStep step = schema.step(type, field, item);
            if (!repeated.contains(step)) {
                add(ApplySchema.element(type), null, step, item, true, level);
            }
        }
    }

    /**
     * The object without some paths. Where all parts of something go, null stays in its place, as upstream leaves it;
     * decoding the result drops that.
     */
    @Nullable
    ObjectNode without(Type root, ObjectNode object, FieldSet removed) {
        return removed.isEmpty() ? object : withoutMembers(root, object, removed);
    }

    private @Nullable JsonNode without(
            @Nullable Type type, Struct.@Nullable Field field, JsonNode value, FieldSet removed) {
        return switch (schema.shape(type, field, value, null)) {
            // What is owned as a whole has no parts, so a path below it means the whole; scalars have none at all.
            case LEAF -> value.isContainerNode() ? null : value;
            case OBJECT -> value instanceof ObjectNode object ? withoutMembers(type, object, removed) : null;
            case LIST -> {
                Struct.Field meaning = ApplySchema.meaning(type, field);
                yield value instanceof ArrayNode list && type != null && meaning != null
                        ? withoutElements(type, meaning, list, removed)
                        : null;
            }
        };
    }

    private @Nullable ObjectNode withoutMembers(@Nullable Type type, ObjectNode object, FieldSet removed) {
        Struct struct = schema.struct(type);
        ObjectNode rest = Json.object();
        for (Map.Entry<String, JsonNode> entry : object.properties()) {
            int found = removed.find(PathStep.field(entry.getKey()));
            if (found >= 0 && removed.member(found)) {
                continue;
            }
            JsonNode value = entry.getValue();
            if (found >= 0) {
                Struct.Field field = struct == null ? null : struct.field(entry.getKey());
                Type member = field == null ? ApplySchema.element(type) : field.type();
                value = without(member, field, value, removed.child(found));
            }
            rest.set(entry.getKey(), value);
        }
        return rest.isEmpty() ? null : rest;
    }

    private @Nullable ArrayNode withoutElements(Type type, Struct.Field field, ArrayNode list, FieldSet removed) {
        ArrayNode rest = Json.array();
        for (JsonNode item : list) {
            int found = removed.find(schema.step(type, field, item));
            if (found < 0) {
                rest.add(item);
            } else if (!removed.member(found)) {
                rest.add(without(ApplySchema.element(type), null, item, removed.child(found)));
            }
        }
        return rest.isEmpty() ? null : rest;
    }

    /** The set with every declared field on the way to a path; sets do not hold those, but removal needs them. */
    FieldSet withNamedFields(@Nullable Type type, FieldSet fields) {
        Struct struct = schema.struct(type);
        FieldSet.Builder all = new FieldSet.Builder();
        for (int i = 0; i < fields.size(); i++) {
            PathStep step = fields.step(i);
            Struct.Field field = struct == null || !step.isField() ? null : struct.field(step.name());
            FieldSet child = fields.child(i);
            Type below =
                    field != null ? field.type() : step.isField() || step.isKeys() ? ApplySchema.element(type) : null;
            boolean member = fields.member(i) || (field != null && !child.isEmpty());
            all.add(step, member, child.isEmpty() ? child : withNamedFields(below, child));
        }
        return all.build();
    }

    /**
     * The set as the schema of today would have it: who owned parts of what is now owned as a whole owns the whole.
     */
    FieldSet reconciled(@Nullable Type type, FieldSet fields) {
        FieldSet.Builder result = new FieldSet.Builder();
        Struct struct = schema.struct(type);
        boolean changed = false;
        for (int i = 0; i < fields.size(); i++) {
            PathStep step = fields.step(i);
            FieldSet child = fields.child(i);
            boolean member = fields.member(i);
            if (!child.isEmpty()) {
                Struct.Field field = struct == null || !step.isField() ? null : struct.field(step.name());
                Type below = field == null ? ApplySchema.element(type) : field.type();
                FieldSet reconciled = reconciled(below, field, child);
                changed = changed || !reconciled.equals(child);
                member = member || reconciled.isEmpty();
                child = reconciled;
            }
            result.add(step, member, child);
        }
        return changed ? result.build() : fields;
    }

    private FieldSet reconciled(@Nullable Type type, Struct.@Nullable Field field, FieldSet fields) {
        boolean whole = switch (type) {
            case null -> false;
            case Type.Ref _, Type.MapOf _, Type.ListOf _ ->
                schema.shape(type, field, null, null) == ApplySchema.Shape.LEAF;
            case Type.Scalar _, Type.OneOf _ -> false;
        };
        return whole ? FieldSet.EMPTY : reconciled(type, fields);
    }
}
