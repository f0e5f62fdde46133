package lavaflow.placement;

import java.util.Arrays;

/**
 * Compares nodes for pods of an owner or service that say nothing about spread: upstream's system defaults ask for at most three
 * more on a node and five more in a zone than elsewhere, which no node is refused for but all are scored by. Beyond a hundred
 * nodes only some are compared, others each time, as upstream does.
 */
public final class DefaultSpread {
    static final String HOST = "kubernetes.io/hostname";
    static final String ZONE = "topology.kubernetes.io/zone";

    private static final int HOST_SKEW = 3;
    private static final int ZONE_SKEW = 5;
    private static final int FEW = 100;

    private final NodeTable nodes;
    private final Crowd crowd;
    private int[] slots = new int[FEW];
    private int size;

    DefaultSpread(NodeTable nodes, Crowd crowd) {
        this.nodes = nodes;
        this.crowd = crowd;
    }

    /** How many nodes that would do are enough to choose from. */
    public static int enough(int nodes) {
        if (nodes < FEW) {
            return nodes;
        }
        int percent = Math.max(5, 50 - nodes / 125);
        return Math.max(FEW, (int) ((long) nodes * percent / 100));
    }

    void consider(int slot) {
        if (size == slots.length) {
            slots = Arrays.copyOf(slots, size * 2);
        }
        slots[size++] = slot;
    }

    int size() {
        return size;
    }

    int slot(int place) {
        return slots[place];
    }

    /** For each node considered, in that order: from 0, the most crowded, to 100. */
    long[] scores() {
        int[] hosts = nodes.values(HOST);
        int[] zones = nodes.values(ZONE);
        int[] inZone = crowd.byZone(nodes);
        double zoneWeight = Math.log(zoneCount(zones, inZone.length) + 2);
        double hostWeight = Math.log(size + 2);
        long[] scores = new long[size];
        long most = 0;
        long least = Long.MAX_VALUE;
        for (int i = 0; i < size; i++) {
            int slot = slots[i];
            double score = 0;
            if (hosts[slot] >= 0) {
                score += crowd.at(slot) * hostWeight + (HOST_SKEW - 1);
            }
            if (zones[slot] >= 0) {
                score += inZone[zones[slot]] * zoneWeight + (ZONE_SKEW - 1);
            }
            scores[i] = Math.round(score);
            most = Math.max(most, scores[i]);
            least = Math.min(least, scores[i]);
        }
        for (int i = 0; i < size; i++) {
            scores[i] = most == 0 ? 100 : 100 * (most + least - scores[i]) / most;
        }
        return scores;
    }

    private int zoneCount(int[] zones, int known) {
        boolean[] present = new boolean[known];
        int count = 0;
        for (int i = 0; i < size; i++) {
            int zone = zones[slots[i]];
            if (zone >= 0 && !present[zone]) {
                present[zone] = true;
                count++;
            }
        }
        return count;
    }
}
