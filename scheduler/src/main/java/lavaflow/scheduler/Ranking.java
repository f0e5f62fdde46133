package lavaflow.scheduler;

import java.util.Arrays;

/**
 * Nodes in the order of what they have left for pods of one demand. Kept from pod to pod: between two of them only few
 * nodes have changed, and only those are looked at again. A heap whose outdated entries are left behind and skipped.
 */
final class Ranking {
    private final PodClass type;
    private long[] keys = new long[64];
    private int[] slots = new int[64];
    private int[] loads = new int[64];
    /** The load a slot was last entered with. */
    private int[] entered = new int[0];

    private int size;
    private long seen = -1;

    /** @param type any class of the demand */
    Ranking(PodClass type) {
        this.type = type;
    }

    /** The slot of the best node, or -1. */
    int best(NodeTable nodes) {
        catchUp(nodes);
        while (size > 0) {
            int slot = slots[0];
            if (loads[0] == nodes.load(slot)) {
                return slot;
            }
            removeFirst();
        }
        return -1;
    }

    private void catchUp(NodeTable nodes) {
        if (entered.length < nodes.slots()) {
            entered = Arrays.copyOf(entered, nodes.slots() + nodes.slots() / 2);
        }
        boolean outgrown = size > 4 * nodes.slots() + 64;
        if (seen < 0 || outgrown || !nodes.remembers(seen)) {
            size = 0;
            Arrays.fill(entered, 0);
            for (int slot = 0; slot < nodes.slots(); slot++) {
                enter(nodes, slot);
            }
        } else {
            for (long change = seen; change < nodes.changes(); change++) {
                enter(nodes, nodes.changed(change));
            }
        }
        seen = nodes.changes();
    }

    private void enter(NodeTable nodes, int slot) {
        int load = nodes.load(slot);
        if (entered[slot] == load) {
            return;
        }
        entered[slot] = load;
        boolean fits = nodes.isKnown(slot) && type.choice.refusal(nodes, slot) == null && nodes.hasRoom(type, slot);
        if (fits) {
            add(nodes.rank(type, slot), slot, load);
        }
    }

    private void add(long key, int slot, int load) {
        if (size == keys.length) {
            keys = Arrays.copyOf(keys, size * 2);
            slots = Arrays.copyOf(slots, size * 2);
            loads = Arrays.copyOf(loads, size * 2);
        }
        int place = size++;
        while (place > 0) {
            int above = (place - 1) / 2;
            if (!comesFirst(key, slot, keys[above], slots[above])) {
                break;
            }
            move(above, place);
            place = above;
        }
        set(place, key, slot, load);
    }

    private void removeFirst() {
        size--;
        long key = keys[size];
        int slot = slots[size];
        int load = loads[size];
        int place = 0;
        while (2 * place + 1 < size) {
            int below = 2 * place + 1;
            if (below + 1 < size && comesFirst(keys[below + 1], slots[below + 1], keys[below], slots[below])) {
                below++;
            }
            if (!comesFirst(keys[below], slots[below], key, slot)) {
                break;
            }
            move(below, place);
            place = below;
        }
        set(place, key, slot, load);
    }

    private static boolean comesFirst(long key, int slot, long otherKey, int otherSlot) {
        return key != otherKey ? key > otherKey : slot < otherSlot;
    }

    private void move(int from, int to) {
        set(to, keys[from], slots[from], loads[from]);
    }

    private void set(int place, long key, int slot, int load) {
        keys[place] = key;
        slots[place] = slot;
        loads[place] = load;
    }
}
