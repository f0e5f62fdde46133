package lavaflow.placement;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/** Rules between pods, as they stand for one class of pods at one moment: affinity, and even spread. */
public final class Neighbours {
    private static final Neighbours NONE = new Neighbours(List.of(), List.of(), List.of(), List.of(), List.of(), false);

    /** Pods counted by places, which are the values of a label of nodes. */
    private static final class Places {
        private final int[] valueOf;
        private final int[] counts;

        Places(int[] valueOf, int[] counts) {
            this.valueOf = valueOf;
            this.counts = counts;
        }

        /** How many places some nodes are in. */
        int number(int[] slots) {
            boolean[] seen = new boolean[counts.length];
            int number = 0;
            for (int slot : slots) {
                int value = valueOf[slot];
                if (value >= 0 && !seen[value]) {
                    seen[value] = true;
                    number++;
                }
            }
            return number;
        }

        /** -1 where the node is in no such place. */
        int at(int slot) {
            int value = valueOf[slot];
            return value < 0 ? -1 : counts[value];
        }
    }

    /** A constraint, and the least crowded place. */
    private record Evenness(PodTerms.Spread spread, Places places, long least) {
        boolean violatedAt(int slot) {
            return places.at(slot) + (spread.self() ? 1 : 0) - least > spread.maxSkew();
        }
    }

    /** Pods that are worth something, by place. */
    private record Worth(Places places, long weight) {}

    private final List<Places> near;
    private final List<Places> apart;
    private final List<Places> refusedBy;
    private final List<Evenness> spreads;
    private final List<Worth> worths;
    /** Nobody it must be near exists, and it is such a one itself: somebody has to be first. */
    private final boolean first;

    private Neighbours(
            List<Places> near,
            List<Places> apart,
            List<Places> refusedBy,
            List<Evenness> spreads,
            List<Worth> worths,
            boolean first) {
        this.near = near;
        this.apart = apart;
        this.refusedBy = refusedBy;
        this.spreads = spreads;
        this.worths = worths;
        this.first = first;
    }

    static Neighbours of(ClusterState state, PodClass type) {
        PodCounts.Concern concern = state.counts().concern(type);
        if (type.terms.isEmpty()
                && concern.refusedBy().isEmpty()
                && concern.likedBy().isEmpty()) {
            return NONE;
        }
        List<Places> near = places(state, type.terms.near());
        List<Worth> worths = new ArrayList<>();
        for (PodTerms.Liked liked : type.terms.liked()) {
            worths.add(new Worth(places(state, List.of(liked.term())).getFirst(), liked.weight()));
        }
        concern.likedBy().forEach(asked -> worths.add(new Worth(places(state, asked), asked.weight())));
        List<Places> refusedBy = new ArrayList<>();
        concern.refusedBy().forEach(asked -> refusedBy.add(places(state, asked)));
        List<Evenness> spreads = new ArrayList<>();
        type.terms.spreads().forEach(spread -> spreads.add(evenness(state, type, spread)));
        return new Neighbours(
                near, places(state, type.terms.apart()), refusedBy, spreads, worths, isFirst(state, type, near));
    }

    private static boolean isFirst(ClusterState state, PodClass type, List<Places> near) {
        if (near.isEmpty()) {
            return false;
        }
        for (Places places : near) {
            for (int count : places.counts) {
                if (count > 0) {
                    return false;
                }
            }
        }
        return type.terms.near().stream().allMatch(term -> state.contains(term.pods(), type));
    }

    private static List<Places> places(ClusterState state, List<PodTerms.Term> terms) {
        List<Places> all = new ArrayList<>();
        for (PodTerms.Term term : terms) {
            PodCounts.Count count = state.counts().of(term.pods(), false, state.nodes());
            all.add(places(state, term.topologyKey(), count));
        }
        return all;
    }

    private static Places places(ClusterState state, PodCounts.Asked asked) {
        return places(state, asked.topologyKey(), asked.askers());
    }

    private static Places places(ClusterState state, String key, PodCounts.Count count) {
        NodeTable nodes = state.nodes();
        int[] values = nodes.values(key);
        int[] sums = new int[nodes.valueCount(key)];
        for (int slot = 0; slot < nodes.slots(); slot++) {
            if (values[slot] >= 0) {
                sums[values[slot]] += count.at(slot);
            }
        }
        return new Places(values, sums);
    }

    /** Counts on the nodes that matter: those the pod could go to, and that have all labels it is spread by. */
    private static Evenness evenness(ClusterState state, PodClass type, PodTerms.Spread spread) {
        NodeTable nodes = state.nodes();
        PodCounts.Count count = state.counts().of(spread.pods(), true, nodes);
        int[] values = nodes.values(spread.topologyKey());
        int[] sums = new int[nodes.valueCount(spread.topologyKey())];
        boolean[] present = new boolean[sums.length];
        List<int[]> needed = new ArrayList<>();
        for (PodTerms.Spread other : type.terms.spreads()) {
            if (other.hard() == spread.hard()) {
                needed.add(nodes.values(other.topologyKey()));
            }
        }
        for (int slot = 0; slot < nodes.slots(); slot++) {
            if (nodes.isKnown(slot) && hasAll(needed, slot) && matters(spread, type.choice, nodes.node(slot))) {
                sums[values[slot]] += count.at(slot);
                present[values[slot]] = true;
            }
        }
        return new Evenness(spread, new Places(values, sums), least(spread, sums, present));
    }

    private static boolean hasAll(List<int[]> needed, int slot) {
        for (int[] values : needed) {
            if (values[slot] < 0) {
                return false;
            }
        }
        return true;
    }

    private static boolean matters(PodTerms.Spread spread, NodeChoice choice, NodeTable.Node node) {
        return (!spread.honorAffinity() || choice.accepts(node))
                && (!spread.honorTaints() || choice.toleratesAll(node));
    }

    private static long least(PodTerms.Spread spread, int[] sums, boolean[] present) {
        long least = Long.MAX_VALUE;
        int domains = 0;
        for (int value = 0; value < sums.length; value++) {
            if (present[value]) {
                domains++;
                least = Math.min(least, sums[value]);
            }
        }
        return domains < spread.minDomains() || domains == 0 ? 0 : least;
    }

    boolean isEmpty() {
        return this == NONE;
    }

    /** Whether some node might be refused for who is there. */
    boolean refuse() {
        return this != NONE && mightRefuse();
    }

    private boolean mightRefuse() {
        return !near.isEmpty()
                || !apart.isEmpty()
                || !refusedBy.isEmpty()
                || spreads.stream().anyMatch(each -> each.spread.hard());
    }

    /** Whether nodes differ in how much they are liked. */
    boolean prefers() {
        return this != NONE && (!worths.isEmpty() || spreads.stream().anyMatch(each -> !each.spread.hard()));
    }

    @Nullable
    Reason refusal(int slot, Rules rules) {
        Reason bySpread = rules.spread() ? refusalOfSpread(slot) : null;
        return bySpread != null || !rules.podAffinity() ? bySpread : refusalOfPods(slot);
    }

    private @Nullable Reason refusalOfSpread(int slot) {
        for (Evenness each : spreads) {
            if (each.spread.hard() && each.places.at(slot) < 0) {
                return Reason.SPREAD_LABEL;
            }
            if (each.spread.hard() && each.violatedAt(slot)) {
                return Reason.SPREAD;
            }
        }
        return null;
    }

    private @Nullable Reason refusalOfPods(int slot) {
        for (Places places : near) {
            int count = places.at(slot);
            if (count < 0 || (count == 0 && !first)) {
                return Reason.POD_AFFINITY;
            }
        }
        for (Places places : apart) {
            if (places.at(slot) > 0) {
                return Reason.POD_ANTI_AFFINITY;
            }
        }
        for (Places places : refusedBy) {
            if (places.at(slot) > 0) {
                return Reason.EXISTING_ANTI_AFFINITY;
            }
        }
        return null;
    }

    /** How much those in the same places are liked. */
    long worth(int slot) {
        long sum = 0;
        for (Worth worth : worths) {
            sum += worth.weight * Math.max(0, worth.places.at(slot));
        }
        return sum;
    }

    /** How evenly the pod would be spread by what it would only like, from 0 to 100; nodes without a label are worst. */
    long[] spreadScores(int[] slots) {
        long[] scores = new long[slots.length];
        List<Evenness> soft =
                spreads.stream().filter(each -> !each.spread.hard()).toList();
        if (soft.isEmpty()) {
            return scores;
        }
        double[] weights = soft.stream()
                .mapToDouble(each -> Math.log(each.places.number(slots) + 2))
                .toArray();
        long most = 0;
        long least = Long.MAX_VALUE;
        for (int i = 0; i < slots.length; i++) {
            scores[i] = crowd(soft, weights, slots[i]);
            if (scores[i] >= 0) {
                most = Math.max(most, scores[i]);
                least = Math.min(least, scores[i]);
            }
        }
        for (int i = 0; i < slots.length; i++) {
            scores[i] = scores[i] < 0 ? 0 : most == 0 ? 100 : 100 * (most + least - scores[i]) / most;
        }
        return scores;
    }

    /** -1 where a label is missing. */
    private static long crowd(List<Evenness> soft, double[] weights, int slot) {
        double sum = 0;
        for (int i = 0; i < weights.length; i++) {
            Evenness each = soft.get(i);
            int count = each.places.at(slot);
            if (count < 0) {
                return -1;
            }
            sum += count * weights[i] + (each.spread.maxSkew() - 1);
        }
        return Math.round(sum);
    }
}
