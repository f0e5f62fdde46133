package lavaflow.placement;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.IntSupplier;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** The labels of nodes that somebody asked for, as numbers by slot. */
final class NodeLabels {
    /** The values of one label: equal numbers are equal values, -1 is none. */
    private static final class Label {
        private final Map<String, Integer> numbers = new HashMap<>();
        private int[] values;

        Label(int size) {
            values = new int[size];
            Arrays.fill(values, -1);
        }

        void put(int slot, @Nullable JsonNode value) {
            values[slot] = value == null ? -1 : numbers.computeIfAbsent(value.asText(), _ -> numbers.size());
        }

        void grow(int size) {
            int from = values.length;
            values = Arrays.copyOf(values, size);
            Arrays.fill(values, from, size, -1);
        }
    }

    private final IntFunction<ObjectNode> source;
    private final IntSupplier slots;
    private final Map<String, Label> labels = new HashMap<>();
    private int size;

    /**
     * Labels of some nodes.
     *
     * @param source those of a node by its slot
     * @param slots one more than the highest slot in use
     * @param size for how many slots there is room
     */
    NodeLabels(IntFunction<ObjectNode> source, IntSupplier slots, int size) {
        this.source = source;
        this.slots = slots;
        this.size = size;
    }

    void put(int slot, ObjectNode its) {
        labels.forEach((key, label) -> label.put(slot, its.get(key)));
    }

    void grow(int now) {
        size = now;
        labels.values().forEach(label -> label.grow(now));
    }

    /** The values of a label by slot. */
    int[] values(String key) {
        return label(key).values;
    }

    /** How many values of a label have been seen. */
    int count(String key) {
        return label(key).numbers.size();
    }

    private Label label(String key) {
        return labels.computeIfAbsent(key, _ -> {
            Label label = new Label(size);
            for (int slot = 0; slot < slots.getAsInt(); slot++) {
                label.put(slot, source.apply(slot).get(key));
            }
            return label;
        });
    }
}
