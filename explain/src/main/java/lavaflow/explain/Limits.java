package lavaflow.explain;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import lavaflow.explain.Change.RaiseLimit;
import lavaflow.gang.Gang;
import lavaflow.gang.Member;
import lavaflow.gang.QueueSpec;
import lavaflow.kube.PodRequests;

import org.jspecify.annotations.Nullable;

/** What a queue and those above it may have and deserve: what of it has to be raised, and how far. */
final class Limits {
    private static final long MEBI = 1L << 20;
    /** Nobody weighs queues by more. */
    private static final int HEAVY = 1 << 16;

    private final Laboratory laboratory;
    private final Set<String> plugins;
    private final Map<String, Long> asked = new TreeMap<>();
    private final List<QueueSpec> line = new ArrayList<>();

    /** @param plugins the names of those that decide */
    Limits(Laboratory laboratory, Gang gang, Set<String> plugins) {
        this.laboratory = laboratory;
        this.plugins = plugins;
        for (Member member : gang.members()) {
            PodRequests.of(member.spec().pod().key()).forEach((name, amount) -> asked.merge(name, amount, Long::sum));
        }
        Map<String, Long> least = gang.spec().minResources();
        if (least != null) {
            least.forEach((name, amount) -> asked.merge(name, amount, Math::max));
        }
        asked.values().removeIf(amount -> amount == 0);
        Set<String> seen = new HashSet<>();
        QueueSpec queue = find(gang.spec().queue());
        while (queue != null && seen.add(queue.name())) {
            line.add(queue);
            queue = queue.parent().isEmpty() ? find("root") : find(queue.parent());
        }
    }

    private @Nullable QueueSpec find(String name) {
        for (QueueSpec queue : laboratory.cluster().queues()) {
            if (queue.name().equals(name)) {
                return queue;
            }
        }
        return null;
    }

    /** No limit of what it asks for any more. */
    List<Change> lifted() {
        List<Change> lifted = new ArrayList<>();
        // From above to below: no queue may be given more than the one above it has.
        for (QueueSpec queue : line.reversed()) {
            asked.keySet().forEach(resource -> {
                Long limit = queue.capability().get(resource);
                if (limit != null) {
                    lifted.add(new RaiseLimit(queue.name(), AcceptedLimits.CAPABILITY, resource, limit, -1));
                }
            });
        }
        return lifted;
    }

    /** What would do without anything else but what is done anyway. */
    List<List<Change>> remedies(List<Change> fixed) {
        List<List<Change>> found = new ArrayList<>();
        List<Change> lifted = lifted();
        if (!lifted.isEmpty() && frees(fixed, lifted)) {
            addIfAny(found, exact(Laboratory.joined(fixed, lifted)));
        }
        if (found.isEmpty() && !line.isEmpty() && plugins.contains("proportion")) {
            weight(fixed, found);
        }
        if (found.isEmpty() && !line.isEmpty() && plugins.contains("capacity")) {
            deserved(fixed, found);
        }
        return found;
    }

    private static void addIfAny(List<List<Change>> found, List<Change> changes) {
        if (!changes.isEmpty()) {
            found.add(changes);
        }
    }

    private boolean frees(List<Change> fixed, List<? extends Change> more) {
        return laboratory.goesOn() && laboratory.frees(Laboratory.joined(fixed, more));
    }

    // ---- how far ----

    /** Changes that free it, with limits lifted only where they have to be, and only as far; empty if admission refuses them. */
    List<Change> exact(List<Change> enough) {
        List<Change> others = new ArrayList<>(enough);
        others.removeIf(RaiseLimit.class::isInstance);
        List<Change> raised = new ArrayList<>(enough);
        raised.removeIf(each -> !(each instanceof RaiseLimit));
        raised = laboratory.fewest(others, raised);
        for (int i = 0; i < raised.size(); i++) {
            if (raised.get(i) instanceof RaiseLimit limit) {
                raised.set(i, exact(others, raised, i, limit));
            }
        }
        List<RaiseLimit> needed = limits(raised);
        return AcceptedLimits.of(laboratory.cluster().queues(), needed)
                .filter(accepted -> accepted.equals(needed) || frees(others, accepted))
                .map(accepted -> Laboratory.joined(others, accepted))
                .orElse(List.of());
    }

    private static List<RaiseLimit> limits(List<Change> changes) {
        return changes.stream()
                .filter(RaiseLimit.class::isInstance)
                .map(RaiseLimit.class::cast)
                .toList();
    }

    private RaiseLimit exact(List<Change> others, List<Change> raised, int place, RaiseLimit limit) {
        long most = limit.from();
        for (int i = 0; i < 3 && most - limit.from() >= 0; i++) {
            most = limit.from() + (asked.getOrDefault(limit.resource(), 0L) << (2 * i));
            if (does(others, raised, place, limit.to(most))) {
                long step = limit.resource().equals(PodRequests.MEMORY) ? MEBI : 1;
                long least = laboratory.least(
                        limit.from(), most, step, amount -> does(others, raised, place, limit.to(amount)));
                return limit.to(least);
            }
        }
        return limit;
    }

    private boolean does(List<Change> others, List<Change> raised, int place, Change instead) {
        List<Change> changed = new ArrayList<>(raised);
        changed.set(place, instead);
        return frees(others, changed);
    }

    // ---- shares ----

    private void weight(List<Change> fixed, List<List<Change>> found) {
        QueueSpec queue = line.getFirst();
        int from = queue.weight();
        if (from < HEAVY && frees(fixed, List.of(new Change.RaiseWeight(queue.name(), from, HEAVY)))) {
            long least =
                    laboratory.least(from, HEAVY, 1, to -> frees(fixed, List.of(weighing(queue, Math.toIntExact(to)))));
            found.add(Laboratory.joined(fixed, List.of(weighing(queue, Math.toIntExact(least)))));
        }
    }

    private static Change weighing(QueueSpec queue, int to) {
        return new Change.RaiseWeight(queue.name(), queue.weight(), to);
    }

    /** What it deserves, and what has to be raised for that before. */
    private void deserved(List<Change> fixed, List<List<Change>> found) {
        QueueSpec queue = line.getFirst();
        List<RaiseLimit> needed = new ArrayList<>();
        asked.forEach((resource, amount) -> {
            long from = queue.deserved().getOrDefault(resource, 0L);
            RaiseLimit raised = new RaiseLimit(queue.name(), AcceptedLimits.DESERVED, resource, from, from + amount);
            if (AcceptedLimits.of(laboratory.cluster().queues(), List.of(raised))
                    .isPresent()) {
                needed.add(raised);
            }
        });
        if (needed.isEmpty() || !freesIfAccepted(fixed, needed)) {
            return;
        }
        for (RaiseLimit each : List.copyOf(needed)) {
            List<RaiseLimit> fewer = new ArrayList<>(needed);
            fewer.remove(each);
            if (freesIfAccepted(fixed, fewer)) {
                needed.remove(each);
            }
        }
        for (int i = 0; i < needed.size(); i++) {
            RaiseLimit limit = needed.get(i);
            int place = i;
            long step = limit.resource().equals(PodRequests.MEMORY) ? MEBI : 1;
            long least = laboratory.least(limit.from(), limit.to(), step, amount -> {
                List<RaiseLimit> less = new ArrayList<>(needed);
                less.set(place, limit.to(amount));
                return freesIfAccepted(fixed, less);
            });
            needed.set(i, limit.to(least));
        }
        AcceptedLimits.of(laboratory.cluster().queues(), needed)
                .ifPresent(accepted -> found.add(Laboratory.joined(fixed, accepted)));
    }

    private boolean freesIfAccepted(List<Change> fixed, List<RaiseLimit> raised) {
        return AcceptedLimits.of(laboratory.cluster().queues(), raised)
                .filter(accepted -> frees(fixed, accepted))
                .isPresent();
    }
}
