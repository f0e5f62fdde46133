package lavaflow.placement;

import java.util.function.IntToLongFunction;

import org.jspecify.annotations.Nullable;

/**
 * How nodes that could take a pod compare, beyond what is left over there: kube-scheduler's scores, each from 0 to 100. All but that of
 * images depend on which nodes are compared.
 */
public final class Standing {
    private static final long MOST = 100;

    private final NodeTable nodes;
    private final PodClass type;
    private final Neighbours neighbours;
    private final @Nullable Crowd crowd;

    public Standing(ClusterState state, PodClass type) {
        this(state, type, Neighbours.of(state, type));
    }

    Standing(ClusterState state, PodClass type, Neighbours neighbours) {
        this.nodes = state.nodes();
        this.type = type;
        this.neighbours = neighbours;
        this.crowd = state.crowds().of(type);
    }

    /** Whether all nodes are alike in everything that depends on which are compared. */
    public boolean isIndifferent() {
        return crowd == null && !prefersNodes() && !neighbours.prefers() && !nodes.someDisliked();
    }

    private boolean prefersNodes() {
        return !type.choice.affinity.preferred().isEmpty();
    }

    /** Labels the pod would like its node to have. */
    public long[] affinity(int[] slots) {
        if (!prefersNodes()) {
            return new long[slots.length];
        }
        return scaled(
                slots,
                slot -> type.choice.affinity.preference(
                        nodes.node(slot).name(), nodes.node(slot).labels()),
                false);
    }

    /** Taints that ask the pod to go elsewhere if it can: the fewer, the better. */
    public long[] taints(int[] slots) {
        return scaled(slots, slot -> nodes.someDisliked() ? type.choice.dislikes(nodes.node(slot)) : 0, true);
    }

    private static long[] scaled(int[] slots, IntToLongFunction measure, boolean reverse) {
        long[] scores = new long[slots.length];
        long most = 0;
        for (int i = 0; i < slots.length; i++) {
            scores[i] = measure.applyAsLong(slots[i]);
            most = Math.max(most, scores[i]);
        }
        for (int i = 0; i < slots.length; i++) {
            long part = most == 0 ? 0 : scores[i] * MOST / most;
            scores[i] = reverse ? MOST - part : part;
        }
        return scores;
    }

    /** Pods it likes to be near, or would rather not, and pods that think so of it. */
    public long[] neighbours(int[] slots) {
        long[] scores = new long[slots.length];
        long most = Long.MIN_VALUE;
        long least = Long.MAX_VALUE;
        for (int i = 0; i < slots.length; i++) {
            scores[i] = neighbours.worth(slots[i]);
            most = Math.max(most, scores[i]);
            least = Math.min(least, scores[i]);
        }
        for (int i = 0; i < slots.length; i++) {
            scores[i] = most == least ? 0 : MOST * (scores[i] - least) / (most - least);
        }
        return scores;
    }

    /** How evenly pods would be spread, as they ask for or, if they do not, as is usual for their owner. */
    public long[] spread(int[] slots) {
        if (crowd == null) {
            return neighbours.spreadScores(slots);
        }
        DefaultSpread spread = new DefaultSpread(nodes, crowd);
        for (int slot : slots) {
            spread.consider(slot);
        }
        return spread.scores();
    }

    /** Images the node has already. */
    public long images(int slot) {
        return nodes.images().score(type, slot, nodes.size());
    }
}
