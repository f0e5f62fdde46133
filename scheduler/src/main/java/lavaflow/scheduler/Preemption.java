package lavaflow.scheduler;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import lavaflow.placement.Attempt;
import lavaflow.placement.ClusterState;
import lavaflow.placement.DisruptionBudget;
import lavaflow.placement.NodeTable;
import lavaflow.placement.PlacedPod;
import lavaflow.placement.ScheduledPod;

import org.jspecify.annotations.Nullable;

/** Finds less important pods whose going would make room, as few and as unimportant as possible. */
final class Preemption {
    /** Of how many nodes victims are looked for: a tenth of those where it might help, and at least so many. */
    private static final int AT_LEAST = 100;

    private static final int ONE_IN = 10;

    /** The more important, then the longer running first. */
    private static final Comparator<PlacedPod> IMPORTANT_FIRST = Comparator.<PlacedPod>comparingInt(
                    each -> -each.pod().priority())
            .thenComparing(each -> startOf(each.pod()));

    /**
     * What would have to go from a node.
     *
     * @param violations how many of them a disruption budget protects
     * @param stranded who is of no use elsewhere without them
     */
    record Victims(int slot, List<PlacedPod> pods, int violations, List<ScheduledPod> stranded) {
        private int highest() {
            return pods.isEmpty() ? Integer.MIN_VALUE : pods.getFirst().pod().priority();
        }

        private long sum() {
            // Priorities may be negative; the number of victims must still count.
            return pods.stream()
                    .mapToLong(each -> each.pod().priority() + (long) Integer.MAX_VALUE + 1)
                    .sum();
        }

        /** When the longest running of the most important ones started. */
        private Instant earliestOfHighest() {
            return pods.stream()
                    .filter(each -> each.pod().priority() == highest())
                    .map(each -> startOf(each.pod()))
                    .min(Comparator.naturalOrder())
                    .orElse(Instant.MAX);
        }
    }

    /** Knows who needs whom. */
    interface Company {
        /** Pods that cannot go on without some others, by their uids. */
        List<ScheduledPod> strandedWithout(Collection<String> going);
    }

    /** What was found: victims, or why there are none. */
    record Found(@Nullable Victims victims, String message) {}

    private static final Comparator<Victims> BEST_FIRST = Comparator.comparingInt(Victims::violations)
            .thenComparingInt(each -> each.stranded().size())
            .thenComparingInt(Victims::highest)
            .thenComparingLong(Victims::sum)
            .thenComparingInt(each -> each.pods().size())
            .thenComparing(Victims::earliestOfHighest, Comparator.reverseOrder());

    private final ClusterState state;
    private final NodeTable nodes;
    private final ScheduledPod pod;
    private final Attempt attempt;
    private final Company company;

    Preemption(ClusterState state, ScheduledPod pod, Attempt attempt, Company company) {
        this.company = company;
        this.state = state;
        this.nodes = state.nodes();
        this.pod = pod;
        this.attempt = attempt;
    }

    private static Instant startOf(ScheduledPod pod) {
        Instant started = pod.started();
        return started == null ? pod.created() : started;
    }

    Found find() {
        if (!pod.preempts()) {
            return new Found(null, "not eligible due to preemptionPolicy=Never.");
        }
        if (othersAreGoing()) {
            return new Found(null, "not eligible due to a terminating pod on the nominated node.");
        }
        Map<String, Integer> reasons = new TreeMap<>();
        List<Integer> helpful = new ArrayList<>();
        for (int slot = 0; slot < nodes.slots(); slot++) {
            if (nodes.isKnown(slot)) {
                if (attempt.preemptionHelps(slot)) {
                    helpful.add(slot);
                } else {
                    reasons.merge("Preemption is not helpful for scheduling", 1, Integer::sum);
                }
            }
        }
        int enough = Math.max(AT_LEAST, helpful.size() / ONE_IN);
        Victims best = null;
        int found = 0;
        for (int slot : helpful) {
            Victims victims = found < enough ? victims(slot) : null;
            if (victims == null) {
                reasons.merge("No preemption victims found for incoming pod", 1, Integer::sum);
            } else {
                found++;
                best = best == null || BEST_FIRST.compare(victims, best) < 0 ? victims : best;
            }
        }
        return new Found(best, best == null ? FitMessage.of(nodes.size(), reasons) : "");
    }

    /** Room is being made already: more victims would be too many. */
    private boolean othersAreGoing() {
        String node = state.nomination(pod.uid());
        Integer slot = node.isEmpty() ? null : nodes.find(node);
        return slot != null
                && nodes.pods(slot).stream()
                        .anyMatch(each -> each.pod().deleting() && each.pod().priority() < pod.priority());
    }

    /** Who would have to leave a node; null if even that would not help. */
    private @Nullable Victims victims(int slot) {
        List<PlacedPod> lesser = new ArrayList<>();
        for (PlacedPod each : nodes.pods(slot)) {
            if (each.pod().priority() < pod.priority()) {
                lesser.add(each);
            }
        }
        if (lesser.isEmpty()) {
            return null;
        }
        lesser.forEach(each -> state.takeFrom(each, slot));
        attempt.look();
        List<PlacedPod> gone = new ArrayList<>(lesser);
        try {
            return attempt.refusal(slot) == null ? spare(slot, lesser, gone) : null;
        } finally {
            gone.forEach(each -> state.putOn(each, slot));
            attempt.look();
        }
    }

    /** Lets as many stay as can, first those a budget protects, the important ones before others. */
    private Victims spare(int slot, List<PlacedPod> lesser, List<PlacedPod> gone) {
        List<PlacedPod> ordered = new ArrayList<>(lesser);
        ordered.sort(IMPORTANT_FIRST);
        List<PlacedPod> protectedOnes = protectedBy(state.budgets(), ordered);
        ordered.removeAll(protectedOnes);
        List<PlacedPod> victims = new ArrayList<>();
        int violations = 0;
        for (PlacedPod each : protectedOnes) {
            if (!stays(each, slot, gone)) {
                victims.add(each);
                violations++;
            }
        }
        for (PlacedPod each : ordered) {
            if (!stays(each, slot, gone)) {
                victims.add(each);
            }
        }
        victims.sort(IMPORTANT_FIRST);
        return new Victims(slot, victims, violations, stranded(victims));
    }

    /** Nobody goes for a less important one, whatever becomes of those who need whom. */
    private List<ScheduledPod> stranded(List<PlacedPod> victims) {
        List<ScheduledPod> stranded = company.strandedWithout(
                victims.stream().map(each -> each.pod().uid()).toList());
        return stranded.stream().allMatch(each -> each.priority() < pod.priority()) ? stranded : List.of();
    }

    private boolean stays(PlacedPod each, int slot, List<PlacedPod> gone) {
        state.putOn(each, slot);
        attempt.look();
        if (attempt.refusal(slot) == null) {
            gone.remove(each);
            return true;
        }
        state.takeFrom(each, slot);
        attempt.look();
        return false;
    }

    /** Those whose going would leave some budget overdrawn. */
    private static List<PlacedPod> protectedBy(List<DisruptionBudget> budgets, List<PlacedPod> pods) {
        Map<DisruptionBudget, Long> left = new HashMap<>();
        budgets.forEach(budget -> left.put(budget, budget.allowed()));
        List<PlacedPod> found = new ArrayList<>();
        for (PlacedPod each : pods) {
            boolean violates = false;
            for (DisruptionBudget budget : budgets) {
                if (budget.covers(each)) {
                    violates |= left.merge(budget, -1L, Long::sum) < 0;
                }
            }
            if (violates) {
                found.add(each);
            }
        }
        return found;
    }
}
