package lavaflow.placement;

import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/** Compares nodes that could take a pod, where more counts than what is left over. */
public final class Scores {
    private static final long TAINTS = 3;
    private static final long AFFINITY = 2;
    private static final long NEIGHBOURS = 2;
    static final long SPREAD = 2;
    private static final long DEVICES = 2;

    private final NodeTable nodes;
    private final PodClass type;
    private final Standing standing;
    private final @Nullable DeviceNeeds devices;
    private int[] slots = new int[16];
    private int size;

    Scores(ClusterState state, PodClass type, Neighbours neighbours, @Nullable DeviceNeeds devices) {
        this.nodes = state.nodes();
        this.type = type;
        this.standing = new Standing(state, type, neighbours);
        this.devices = devices != null && devices.hasAlternatives() ? devices : null;
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
        long[] alternatives = alternatives(all);
        int best = -1;
        long bestScore = Long.MIN_VALUE;
        for (int i = 0; i < size; i++) {
            int slot = all[i];
            long score = nodes.leftOver(type, slot)
                    + TAINTS * taints[i]
                    + AFFINITY * affinity[i]
                    + NEIGHBOURS * neighbours[i]
                    + SPREAD * spread[i]
                    + DEVICES * alternatives[i]
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

    /** How early the alternatives are that nodes have devices for, of 100. */
    private long[] alternatives(int[] all) {
        long[] scores = new long[all.length];
        if (devices == null) {
            return scores;
        }
        long most = 0;
        for (int i = 0; i < all.length; i++) {
            scores[i] = devices.score(nodes.node(all[i]));
            most = Math.max(most, scores[i]);
        }
        for (int i = 0; i < all.length && most > 0; i++) {
            scores[i] = 100 * scores[i] / most;
        }
        return scores;
    }
}
