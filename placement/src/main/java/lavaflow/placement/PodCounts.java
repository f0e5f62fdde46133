package lavaflow.placement;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Counts by node the pods that other pods ask about, and the pods that ask. Kept up to date pod by pod, so that nobody
 * has to look at all pods to place one.
 */
public final class PodCounts {
    /** Some pods, counted by slot. */
    static final class Count {
        private int[] bySlot = new int[0];
        private long total;

        int at(int slot) {
            return slot < bySlot.length ? bySlot[slot] : 0;
        }

        private void add(int slot, int amount) {
            if (slot >= bySlot.length) {
                bySlot = Arrays.copyOf(bySlot, Math.max(slot + 1, bySlot.length * 2));
            }
            bySlot[slot] += amount;
            total += amount;
        }
    }

    /** Pods that are counted; those on their way out may be left out. */
    private record Counted(PodSet pods, boolean livingOnly) {}

    /** What pods ask of others that come later: how much they like them, or that they must not come near. */
    private record Wish(PodTerms.Term term, long weight) {}

    private static final int MOST = 512;

    /** A weight for what must not be. */
    private static final long NEVER = Long.MIN_VALUE;

    /** Whoever must be near another one likes to be joined by it, too. */
    private static final long OF_REQUIRED = 1;

    /**
     * What matters of the counts to one class of pods; holds as long as nobody asks for anything new.
     *
     * @param counts it is counted in
     * @param living of these, those that leave out pods on their way out
     * @param refusedBy pods that must not have it near, by topology key
     * @param likedBy pods that care about it
     * @param wishes its own
     */
    record Concern(
            int generation,
            List<Count> counts,
            List<Count> living,
            List<Asked> refusedBy,
            List<Asked> likedBy,
            List<Count> wishes) {}

    /** Who asks, where. */
    record Asked(String topologyKey, long weight, Count askers) {}

    private final Map<Counted, Count> counts = new LinkedHashMap<>();
    private final Map<Wish, Count> wishes = new LinkedHashMap<>();
    private final NamespaceLabels namespaces;
    private int generation = 1;
    private int mostWishes = MOST;

    PodCounts(NamespaceLabels namespaces) {
        this.namespaces = namespaces;
    }

    /** Pods of a set, by slot; from the first question on it is kept. */
    Count of(PodSet pods, boolean livingOnly, NodeTable nodes) {
        return counts.computeIfAbsent(new Counted(pods, livingOnly), counted -> {
            generation++;
            return counted(counted, nodes);
        });
    }

    private Count counted(Counted counted, NodeTable nodes) {
        Count count = new Count();
        for (int slot = 0; slot < nodes.slots(); slot++) {
            for (PlacedPod each : nodes.pods(slot)) {
                boolean counts = !counted.livingOnly || !each.pod().deleting();
                if (counts && counted.pods.contains(each.type().namespace, namespaces, each.type().labels)) {
                    count.add(slot, 1);
                }
            }
        }
        return count;
    }

    /** Namespaces have other labels now: sets may have other pods. */
    void recount(NodeTable nodes) {
        generation++;
        counts.replaceAll((counted, _) -> counted(counted, nodes));
    }

    /** Keeps within bounds: what is asked about again is counted again. Not while somebody holds a count. */
    void trim() {
        if (counts.size() > MOST) {
            generation++;
            counts.clear();
        }
        if (wishes.size() > mostWishes) {
            generation++;
            wishes.values().removeIf(count -> count.total == 0);
            mostWishes = Math.max(MOST, 2 * wishes.size());
        }
    }

    Concern concern(PodClass type) {
        Concern known = type.concern;
        if (known != null && known.generation == generation) {
            return known;
        }
        List<Count> own = ownWishes(type.terms);
        List<Count> all = new ArrayList<>();
        List<Count> living = new ArrayList<>();
        counts.forEach((counted, count) -> {
            if (counted.pods.contains(type.namespace, namespaces, type.labels)) {
                (counted.livingOnly ? living : all).add(count);
            }
        });
        List<Asked> refusedBy = new ArrayList<>();
        List<Asked> likedBy = new ArrayList<>();
        wishes.forEach((wish, askers) -> {
            if (wish.term.pods().contains(type.namespace, namespaces, type.labels)) {
                (wish.weight == NEVER ? refusedBy : likedBy)
                        .add(new Asked(wish.term.topologyKey(), wish.weight, askers));
            }
        });
        Concern concern = new Concern(generation, all, living, refusedBy, likedBy, own);
        type.concern = concern;
        return concern;
    }

    /** Whether pods of a class are counted nowhere, and nobody asks about them. */
    boolean areIndifferentTo(PodClass type) {
        Concern concern = concern(type);
        return concern.counts.isEmpty()
                && concern.living.isEmpty()
                && concern.refusedBy.isEmpty()
                && concern.likedBy.isEmpty()
                && concern.wishes.isEmpty();
    }

    private List<Count> ownWishes(PodTerms terms) {
        List<Count> own = new ArrayList<>();
        terms.apart().forEach(term -> own.add(wish(term, NEVER)));
        terms.near().forEach(term -> own.add(wish(term, OF_REQUIRED)));
        terms.liked().forEach(liked -> own.add(wish(liked.term(), liked.weight())));
        return own;
    }

    private Count wish(PodTerms.Term term, long weight) {
        return wishes.computeIfAbsent(new Wish(term, weight), _ -> {
            generation++;
            return new Count();
        });
    }

    private static void add(List<Count> counts, int slot, int sign) {
        for (int i = 0; i < counts.size(); i++) {
            counts.get(i).add(slot, sign);
        }
    }

    /** A pod comes to a node, or leaves it. */
    void count(PlacedPod pod, int slot, int sign) {
        Concern concern = concern(pod.type());
        add(concern.counts, slot, sign);
        if (!pod.pod().deleting()) {
            add(concern.living, slot, sign);
        }
        add(concern.wishes, slot, sign);
    }
}
