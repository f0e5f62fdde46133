package lavaflow.simulation;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.batch.Batch;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * A gang begins with as many pods as it needs, or not at all. Who makes room takes so many that as many are left as it needs, or
 * all. What the API refused does not count against a scheduler before it could try again, nor does what it has not heard of yet.
 */
final class WholeGangs implements Invariant {
    private final GangPolicy policy;
    /** The least number each group ever asked for: schedulers may not have heard of more. */
    private final Map<String, Integer> least = new HashMap<>();

    private final Set<String> begun = new HashSet<>();
    private Map<String, Integer> before = new HashMap<>();
    private final Set<String> evicted = new HashSet<>();
    private boolean moved;

    WholeGangs(GangPolicy policy) {
        this.policy = policy;
    }

    @Override
    public void after(Observer.Change change, Observer observer) {
        ObjectNode object = change.after();
        if (change.kind().equals(Batch.POD_GROUPS) && object != null) {
            least.merge(Observer.place(object), GangView.minMember(object), Math::min);
        }
        if (change.kind().equals(Kinds.PODS) && GangView.isMoved(change.before(), object)) {
            moved = true;
            if (object != null
                    && Observer.isDeleting(object)
                    && !GangView.group(object).isEmpty()) {
                evicted.add(GangView.group(object));
            }
        }
    }

    @Override
    public void afterStep(Actor process, Observer observer) {
        if (!moved) {
            return;
        }
        Map<String, Integer> now = new HashMap<>();
        Set<String> running = new HashSet<>();
        GangView.byGroup(observer).forEach((group, pods) -> {
            now.put(group, placed(pods));
            if (pods.stream().anyMatch(GangView::holdsRoom)) {
                running.add(group);
            }
        });
        boolean judged = process.name().equals(GangWorld.SCHEDULER) && process.isUntroubled();
        for (String group : least.keySet()) {
            int placed = now.getOrDefault(group, 0);
            if (judged && placed > 0 && placed < least.getOrDefault(group, 1)) {
                Violation.unless(
                        begun.contains(group),
                        () -> "%s begins with %d pods and needs %d".formatted(group, placed, least.get(group)));
                boolean broken = evicted.contains(group) && running.contains(group);
                boolean wasWhole = before.getOrDefault(group, 0) >= least.getOrDefault(group, 1);
                Violation.unless(
                        !policy.sparesGangs() || !process.isAtPeace() || !broken || !wasWhole,
                        () -> "%s is left with %d pods and needs %d".formatted(group, placed, least.get(group)));
            }
            if (placed > 0) {
                begun.add(group);
            }
        }
        before = now;
        evicted.clear();
        moved = false;
    }

    /** Those that have their place, or had it and are done. */
    private static int placed(List<ObjectNode> pods) {
        return (int) pods.stream()
                .filter(pod -> GangView.isBound(pod)
                        && !Observer.isDeleting(pod)
                        && !Json.textAt(pod, "status", "phase").equals("Failed"))
                .count();
    }

    @Override
    public void atRest(Observer observer) {
        Map<String, List<ObjectNode>> pods = GangView.byGroup(observer);
        for (ObjectNode group : observer.all(Batch.POD_GROUPS)) {
            String place = Observer.place(group);
            List<ObjectNode> own = pods.getOrDefault(place, List.of());
            int running = (int) own.stream().filter(GangView::holdsRoom).count();
            int placed = placed(own);
            Violation.unless(
                    running == 0 || placed >= GangView.minMember(group),
                    () -> "%s has %d pods on nodes and needs %d".formatted(place, placed, GangView.minMember(group)));
        }
    }
}
