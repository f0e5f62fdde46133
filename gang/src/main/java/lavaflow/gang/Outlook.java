package lavaflow.gang;

import java.util.Arrays;

import lavaflow.placement.NodeTable;
import lavaflow.placement.PodClass;

import org.jspecify.annotations.Nullable;

/**
 * What nodes will have once pods that are going are gone, less what is promised of that. Few nodes have any of it at a time, so that
 * only these are listed.
 */
final class Outlook {
    /** What is to come at one node, by column; the last is the number of pods. */
    private static final class Change {
        private long[] amounts = new long[0];
        private int pods;
        private int entries;
        /** Where it is listed. */
        private int place;

        Change(int place) {
            this.place = place;
        }

        void count(PodClass type, int sign) {
            long[] requests = type.requests;
            if (requests.length > amounts.length) {
                amounts = Arrays.copyOf(amounts, requests.length);
            }
            for (int column = 0; column < requests.length; column++) {
                amounts[column] += sign * requests[column];
            }
            pods += sign;
        }
    }

    private final NodeTable nodes;
    /** By slot; null where nothing is to come. */
    private @Nullable Change[] changes = new @Nullable Change[0];
    /** The slots where something is, in no order. */
    private int[] listed = new int[16];

    private int size;

    Outlook(NodeTable nodes) {
        this.nodes = nodes;
    }

    /** A pod will leave a node. */
    void releases(PodClass type, int slot) {
        change(type, slot, 1, 1);
    }

    void releasesNoMore(PodClass type, int slot) {
        change(type, slot, -1, -1);
    }

    /** A pod will come to a node. */
    void promises(PodClass type, int slot) {
        change(type, slot, -1, 1);
    }

    void promisesNoMore(PodClass type, int slot) {
        change(type, slot, 1, -1);
    }

    private void change(PodClass type, int slot, int sign, int entries) {
        Change change = find(slot);
        if (change == null) {
            change = list(slot);
        }
        change.count(type, sign);
        change.entries += entries;
        if (change.entries == 0) {
            unlist(slot, change);
        }
        nodes.touch(slot);
    }

    private @Nullable Change find(int slot) {
        return slot < changes.length ? changes[slot] : null;
    }

    private Change list(int slot) {
        if (slot >= changes.length) {
            changes = Arrays.copyOf(changes, Math.max(slot + 1, nodes.slots()));
        }
        if (size == listed.length) {
            listed = Arrays.copyOf(listed, size * 2);
        }
        Change change = new Change(size);
        changes[slot] = change;
        listed[size++] = slot;
        return change;
    }

    /** The last takes its place. */
    private void unlist(int slot, Change change) {
        int last = listed[--size];
        listed[change.place] = last;
        Change moved = changes[last];
        if (moved != null) {
            moved.place = change.place;
        }
        changes[slot] = null;
    }

    boolean concerns(int slot) {
        return size > 0 && find(slot) != null;
    }

    /** How many nodes there are where something will change. */
    int size() {
        return size;
    }

    /** One of these nodes. */
    int slot(int place) {
        return listed[place];
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** Adds to what a node has left what is to come. */
    void addTo(Amounts room, int slot) {
        Change change = find(slot);
        for (int column = 0; change != null && column < change.amounts.length; column++) {
            room.set(column, room.get(column) + change.amounts[column]);
        }
    }

    /** Whether a node will have room for a pod. */
    boolean willHaveRoom(PodClass type, int slot) {
        Change change = find(slot);
        return change == null ? nodes.hasRoom(type, slot) : nodes.hasRoom(type, slot, change.amounts, change.pods);
    }
}
