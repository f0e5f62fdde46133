package lavaflow.placement;

import java.util.Arrays;
import java.util.Map;

/** Slots in the order of the names of their nodes, worked out when somebody asks. */
final class NodeOrder {
    private final Map<String, Integer> slotOf;
    /** Slots in the order of names, and where each slot is among them; as of some number of changes. */
    private int[] byName = new int[0];

    private int[] places = new int[0];
    private int changes;
    private int sorted = -1;

    NodeOrder(Map<String, Integer> slotOf) {
        this.slotOf = slotOf;
    }

    /** There is a node of another name, or one is gone. */
    void change() {
        changes++;
    }

    int changes() {
        return changes;
    }

    /** Where a slot is among all. */
    int place(int slot, int slots) {
        sort(slots);
        return places[slot];
    }

    int slot(int place, int slots) {
        sort(slots);
        return byName[place];
    }

    private void sort(int slots) {
        if (sorted == changes) {
            return;
        }
        String[] names = slotOf.keySet().toArray(String[]::new);
        Arrays.sort(names);
        byName = new int[slots];
        places = new int[slots];
        Arrays.fill(places, -1);
        int next = 0;
        for (String name : names) {
            places[slotOf.getOrDefault(name, 0)] = next++;
        }
        for (int slot = 0; slot < slots; slot++) {
            // Slots that nobody has come last.
            places[slot] = places[slot] < 0 ? next++ : places[slot];
            byName[places[slot]] = slot;
        }
        sorted = changes;
    }
}
