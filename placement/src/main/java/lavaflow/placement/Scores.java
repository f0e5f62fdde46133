package lavaflow.placement;

import java.util.Arrays;

/** Compares nodes that could take a pod, where more counts than what is left over. */
public final class Scores {
    private static final long TAINTS = 3;
    private static final long AFFINITY = 2;
    private static final long NEIGHBOURS = 2;
    static final long SPREAD = 2;

    private final NodeTable nodes;
    private final PodClass type;
    private final Standing standing;
    private int[] slots = new int[16];
    private int size;

    Scores(ClusterState state, PodClass type, Neighbours neighbours) {
        this.nodes = state.nodes();
        this.type = type;
        this.standing = new Standing(state, type, neighbours);
    }

    /** Whether only what is left over counts. */
    static boolean arePlain(ClusterState state, PodClass type, Neighbours neighbours) {
        return type.choice.affinity.preferred().isEmpty()
                && !neighbours.prefers()
                && !state.nodes().someDisliked()
                && !state.nodes().images().knowsAny(type);
    }

    void consider(int slot) {
        if (size == slots.length) {
            slots = Arrays.copyOf(slots, size * 2);
        }
        slots[size++] = slot;
    }

    public int best() {
        int[] all = Arrays.copyOf(slots, size);
        long[] taints = standing.taints(all);
        long[] affinity = standing.affinity(all);
        long[] neighbours = standing.neighbours(all);
        long[] spread = standing.spread(all);
        int best = -1;
        long bestScore = Long.MIN_VALUE;
        for (int i = 0; i < size; i++) {
            int slot = all[i];
            long score = nodes.leftOver(type, slot)
                    + TAINTS * taints[i]
                    + AFFINITY * affinity[i]
                    + NEIGHBOURS * neighbours[i]
                    + SPREAD * spread[i]
                    + standing.images(slot);
            // Ties go to the node with fewer pods, then to the one that came first.
            long tied = (score << 32) - nodes.pods(slot).size();
            if (best < 0 || tied > bestScore) {
                best = slot;
                bestScore = tied;
            }
        }
        return best;
    }
}
