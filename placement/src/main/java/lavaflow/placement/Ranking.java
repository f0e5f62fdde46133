package lavaflow.placement;

import java.util.Arrays;

/**
 * The best node for pods of one demand. Kept from pod to pod: between two of them only few nodes have changed, and only those are looked
 * at again. Nodes meet in pairs and the better one goes on, so that a change costs no more than the rounds up to the last: nothing is
 * sorted, and what is outdated is overwritten.
 */
public final class Ranking {
    /** What decides about nodes. It may only depend on the node and on what runs there. */
    public interface Measure {
        boolean fits(int slot);

        /** The more, the better; more than the least number there is. */
        long rank(int slot);

        /** Whether the first by name comes first of nodes that are equally good; else the first by slot. */
        default boolean byName() {
            return false;
        }
    }

    /** The rank of what does not fit. */
    private static final long NONE = Long.MIN_VALUE;

    private final Measure measure;
    /** By place: that of its name or the slot. */
    private long[] keys = new long[0];
    /** The places that won: the last at 1, before it 2 and 3, and so on. */
    private int[] winners = new int[0];
    /** The load a slot was last looked at with. */
    private int[] entered = new int[0];

    private int size;
    private int names = -1;
    private long seen = -1;

    public Ranking(Measure measure) {
        this.measure = measure;
    }

    /** By room, as kube-scheduler prefers it. */
    static Ranking byRoom(PodClass type, NodeTable nodes) {
        return new Ranking(new Measure() {
            @Override
            public boolean fits(int slot) {
                return nodes.isKnown(slot) && type.choice.refusal(nodes, slot) == null && nodes.hasRoom(type, slot);
            }

            @Override
            public long rank(int slot) {
                return nodes.rank(type, slot);
            }
        });
    }

    /** The slot of the best node, or -1. */
    public int best(NodeTable nodes) {
        catchUp(nodes);
        if (size == 0) {
            return -1;
        }
        int place = winners[1];
        if (keys[place] == NONE) {
            return -1;
        }
        return measure.byName() ? nodes.slotByName(place) : place;
    }

    private void catchUp(NodeTable nodes) {
        boolean grown = size < nodes.slots() || (measure.byName() && names != nodes.names());
        if (grown || seen < 0 || !nodes.remembers(seen)) {
            rebuild(nodes);
        } else {
            for (long change = seen; change < nodes.changes(); change++) {
                int slot = nodes.changed(change);
                if (entered[slot] != nodes.load(slot)) {
                    int place = measure.byName() ? nodes.placeByName(slot) : slot;
                    enter(nodes, slot, place);
                    playUp(place);
                }
            }
        }
        seen = nodes.changes();
    }

    private void rebuild(NodeTable nodes) {
        names = nodes.names();
        size = Math.max(2, Integer.highestOneBit(Math.max(1, nodes.slots() - 1)) * 2);
        if (keys.length != size) {
            keys = new long[size];
            winners = new int[size];
            entered = new int[size];
        }
        Arrays.fill(keys, NONE);
        for (int slot = 0; slot < nodes.slots(); slot++) {
            enter(nodes, slot, measure.byName() ? nodes.placeByName(slot) : slot);
        }
        for (int match = size - 1; match > 0; match--) {
            winners[match] = better(match);
        }
    }

    private void enter(NodeTable nodes, int slot, int place) {
        entered[slot] = nodes.load(slot);
        keys[place] = measure.fits(slot) ? measure.rank(slot) : NONE;
    }

    /** Who wins a match, the first where both are equal. */
    private int better(int match) {
        int half = size >> 1;
        int one = match >= half ? (match << 1) - size : winners[match << 1];
        int other = match >= half ? (match << 1) + 1 - size : winners[(match << 1) + 1];
        return keys[one] >= keys[other] ? one : other;
    }

    /** Plays the matches again that a place takes part in, as far as that may matter. */
    private void playUp(int place) {
        for (int match = (place + size) >> 1; match > 0; match >>= 1) {
            int before = winners[match];
            int now = better(match);
            winners[match] = now;
            if (before != place && now != place) {
                return;
            }
        }
    }
}
