package lavaflow.cel;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/** Steps that make lists, maps and objects, and loops. */
final class BuildNodes {
    private static final int LIST_COST = 10;
    private static final int MAP_COST = 30;
    private static final int OBJECT_COST = 40;

    private BuildNodes() {}

    private static @Nullable Object held(Object value) {
        if (value instanceof CelOptional optional) {
            return optional.value();
        }
        throw new CelException(
                "cannot initialize optional list element from non-optional value " + GoFormat.value(value));
    }

    /** A list. */
    static final class MakeList extends Node {
        private final Node[] elements;
        private final boolean[] optional;

        MakeList(Node[] elements, boolean[] optional) {
            this.elements = elements;
            this.optional = optional;
        }

        @Override
        Object eval(Frame frame) {
            try {
                List<Object> values = new ArrayList<>(elements.length);
                for (int i = 0; i < elements.length; i++) {
                    Object value = elements[i].eval(frame);
                    if (optional[i]) {
                        value = held(value);
                    }
                    if (value != null) {
                        values.add(value);
                    }
                }
                return new Lists.Values(values);
            } finally {
                frame.charge(LIST_COST);
            }
        }
    }

    /** A map. */
    static final class MakeMap extends Node {
        private final Node[] keys;
        private final Node[] values;
        private final boolean[] optional;

        MakeMap(Node[] keys, Node[] values, boolean[] optional) {
            this.keys = keys;
            this.values = values;
            this.optional = optional;
        }

        @Override
        Object eval(Frame frame) {
            try {
                Map<Object, Object> entries = new LinkedHashMap<>();
                for (int i = 0; i < keys.length; i++) {
                    Object key = keys[i].eval(frame);
                    Object value = values[i].eval(frame);
                    if (optional[i]) {
                        if (!(value instanceof CelOptional held)) {
                            throw new CelException("cannot initialize optional entry '" + GoFormat.value(key)
                                    + "' from non-optional value " + GoFormat.value(value));
                        }
                        value = held.value();
                    }
                    if (value == null) {
                        entries.remove(key);
                    } else {
                        entries.put(key, value);
                    }
                }
                return new Maps.Values(entries);
            } finally {
                frame.charge(MAP_COST);
            }
        }
    }

    /** An object of a mutation. */
    static final class MakeObject extends Node {
        private final CelType.ObjectOf type;
        private final String[] names;
        private final Node[] values;
        private final boolean[] optional;

        MakeObject(CelType.ObjectOf type, String[] names, Node[] values, boolean[] optional) {
            this.type = type;
            this.names = names;
            this.values = values;
            this.optional = optional;
        }

        @Override
        Object eval(Frame frame) {
            try {
                Map<String, Object> fields = new LinkedHashMap<>();
                for (int i = 0; i < names.length; i++) {
                    Object value = values[i].eval(frame);
                    if (optional[i]) {
                        if (!(value instanceof CelOptional held)) {
                            throw new CelException("cannot initialize optional entry '" + names[i]
                                    + "' from non-optional value " + GoFormat.value(value));
                        }
                        value = held.value();
                    }
                    if (value != null) {
                        fields.put(names[i], value);
                    }
                }
                if (type.equals(CelType.JSON_PATCH)) {
                    return operation(fields);
                }
                if (!TypeScope.isMade(type)) {
                    throw new CelException("unknown type '" + type.name() + "'");
                }
                return new Maps.Made(type, fields);
            } finally {
                frame.charge(OBJECT_COST);
            }
        }

        private static Object operation(Map<String, Object> fields) {
            return new JsonPatchOperation(
                    text(fields, "op"), text(fields, "path"), text(fields, "from"), fields.get("value"));
        }

        private static String text(Map<String, Object> fields, String name) {
            Object value = fields.getOrDefault(name, "");
            if (value instanceof String text) {
                return text;
            }
            throw new CelException(
                    "unexpected type " + Types.goNativeName(value) + " for JSONPatchType '" + name + "' field");
        }
    }

    /** Where a loop keeps things: {@code second} is negative for loops with one variable. */
    record Slots(int accumulator, int first, int second) {}

    /** A loop. An error in one round is what the accumulator holds in the next, as upstream has it. */
    static final class Loop extends Node {
        private final Node range;
        private final Node initial;
        private final Node condition;
        private final Node step;
        private final Node result;
        private final Slots slots;

        Loop(Node range, Node initial, Node condition, Node step, Node result, Slots slots) {
            this.range = range;
            this.initial = initial;
            this.condition = condition;
            this.step = step;
            this.result = result;
            this.slots = slots;
        }

        @Override
        Object eval(Frame frame) {
            Object over = range.eval(frame);
            frame.slots[slots.accumulator] = captured(initial, frame);
            switch (over) {
                case CelList list -> overList(frame, list);
                case CelMap map -> overMap(frame, map);
                default -> throw new CelException("got '" + Types.goName(over) + "', expected iterable type");
            }
            return result.eval(frame);
        }

        private static Object captured(Node node, Frame frame) {
            try {
                Object value = node.eval(frame);
                return switch (value) {
                    case Lists.Values list when list.elements().isEmpty() -> new Lists.Values(new ArrayList<>());
                    case Maps.Values map when map.entries().isEmpty() -> new Maps.Values(new LinkedHashMap<>());
                    default -> value;
                };
            } catch (CelException failure) {
                return failure;
            }
        }

        private void overList(Frame frame, CelList list) {
            int size = list.size();
            for (int i = 0; i < size; i++) {
                Object element = element(list, i);
                if (slots.second < 0) {
                    frame.slots[slots.first] = element;
                } else {
                    frame.slots[slots.first] = (long) i;
                    frame.slots[slots.second] = element;
                }
                if (!round(frame)) {
                    return;
                }
            }
        }

        private static Object element(CelList list, int index) {
            try {
                return list.get(index);
            } catch (CelException failure) {
                return failure;
            }
        }

        private void overMap(Frame frame, CelMap map) {
            for (Iterator<Object> keys = map.keys(); keys.hasNext(); ) {
                Object key = keys.next();
                frame.slots[slots.first] = key;
                if (slots.second >= 0) {
                    Object value;
                    try {
                        value = map.find(key);
                    } catch (CelException failure) {
                        value = failure;
                    }
                    frame.slots[slots.second] = value == null ? CelValues.NULL : value;
                }
                if (!round(frame)) {
                    return;
                }
            }
        }

        private boolean round(Frame frame) {
            if (!Boolean.TRUE.equals(condition.eval(frame))) {
                return false;
            }
            Object next;
            try {
                next = step.eval(frame);
            } catch (CelException failure) {
                next = failure;
            }
            frame.slots[slots.accumulator] = next;
            return true;
        }
    }

    /** {@code @result + [element]}, done in place: nobody else can see the list that a loop is building. */
    static final class Append extends Node {
        private final AttributeNode.Local accumulator;
        private final Node element;

        Append(AttributeNode.Local accumulator, Node element) {
            this.accumulator = accumulator;
            this.element = element;
        }

        @Override
        Object eval(Frame frame) {
            CelException failure = null;
            Lists.Values list = null;
            try {
                list = (Lists.Values) accumulator.eval(frame);
            } catch (CelException wrong) {
                failure = wrong;
            }
            Object value = null;
            try {
                value = element.eval(frame);
            } catch (CelException wrong) {
                failure = failure == null ? wrong : failure;
            }
            frame.charge(LIST_COST + 1L);
            if (failure != null || list == null || value == null) {
                throw failure == null ? Errors.noSuchOverload() : failure;
            }
            list.elements().add(value);
            return list;
        }
    }

    /** {@code @mapInsert(@result, key, value)}, done in place. */
    static final class Insert extends Node {
        private final AttributeNode.Local accumulator;
        private final @Nullable Node key;
        private final Node value;

        Insert(AttributeNode.Local accumulator, @Nullable Node key, Node value) {
            this.accumulator = accumulator;
            this.key = key;
            this.value = value;
        }

        @Override
        Object eval(Frame frame) {
            Maps.Values map = (Maps.Values) accumulator.eval(frame);
            if (key != null) {
                Object newKey = key.eval(frame);
                Object newValue = value.eval(frame);
                frame.charge(1);
                put(map, newKey, newValue);
                return map;
            }
            Object entries = value.eval(frame);
            frame.charge(1);
            if (!(entries instanceof CelMap more)) {
                throw Errors.noSuchOverload();
            }
            for (Iterator<Object> keys = more.keys(); keys.hasNext(); ) {
                Object newKey = keys.next();
                Object newValue = more.find(newKey);
                put(map, newKey, newValue == null ? CelValues.NULL : newValue);
            }
            return map;
        }

        private static void put(Maps.Values map, Object key, Object value) {
            if (map.find(key) != null) {
                throw new CelException("insert failed: key " + GoFormat.value(key) + " already exists");
            }
            map.entries().put(key, value);
        }
    }
}
