package lavaflow.scheduler;

import java.util.ArrayList;
import java.util.List;

/** Compares nodes that could take a pod, where more counts than what is left over. */
final class Scores {
    private static final long TAINTS = 3;
    private static final long AFFINITY = 2;
    private static final long NEIGHBOURS = 2;
    private static final long SPREAD = 2;

    private record Candidate(int slot, long leftOver, long dislikes, long preference, long worth, long crowd) {}

    private final NodeTable nodes;
    private final PodClass type;
    private final Neighbours neighbours;
    private final List<Candidate> candidates = new ArrayList<>();

    Scores(ClusterState state, PodClass type, Neighbours neighbours) {
        this.nodes = state.nodes();
        this.type = type;
        this.neighbours = neighbours;
    }

    /** Whether only what is left over counts. */
    static boolean arePlain(ClusterState state, PodClass type, Neighbours neighbours) {
        return type.choice.affinity.preferred().isEmpty()
                && !neighbours.prefers()
                && !state.nodes().someDisliked();
    }

    void consider(int slot) {
        NodeTable.Node node = nodes.node(slot);
        candidates.add(new Candidate(
                slot,
                nodes.leftOver(type, slot),
                type.choice.dislikes(node),
                type.choice.affinity.preference(node.name(), node.labels()),
                neighbours.worth(slot),
                neighbours.crowd(slot)));
    }

    int best() {
        long dislikes = candidates.stream().mapToLong(Candidate::dislikes).max().orElse(0);
        long preference =
                candidates.stream().mapToLong(Candidate::preference).max().orElse(0);
        long most = candidates.stream().mapToLong(Candidate::worth).max().orElse(0);
        long least = candidates.stream().mapToLong(Candidate::worth).min().orElse(0);
        long crowd = candidates.stream().mapToLong(Candidate::crowd).max().orElse(0);
        int best = -1;
        long bestScore = Long.MIN_VALUE;
        for (Candidate each : candidates) {
            long score = each.leftOver
                    + TAINTS * (100 - scaled(each.dislikes, 0, dislikes))
                    + AFFINITY * scaled(each.preference, 0, preference)
                    + NEIGHBOURS * scaled(each.worth, least, most)
                    + SPREAD * (100 - scaled(each.crowd, 0, crowd));
            // Ties go to the node with fewer pods, then to the one that came first.
            long tied = (score << 32) - nodes.pods(each.slot).size();
            if (best < 0 || tied > bestScore) {
                best = each.slot;
                bestScore = tied;
            }
        }
        return best;
    }

    /** From 0 to 100. */
    private static long scaled(long value, long least, long most) {
        return most == least ? 0 : (value - least) * 100 / (most - least);
    }
}
