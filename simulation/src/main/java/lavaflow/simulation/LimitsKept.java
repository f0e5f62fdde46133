package lavaflow.simulation;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import lavaflow.batch.Batch;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** No queue gets more than it may have, with all that is below it. Whoever lowers a limit does not take away what was given. */
final class LimitsKept implements Invariant {
    private Map<String, Integer> before = new HashMap<>();
    /** Pods of a group that was gone for a while belonged to no queue meanwhile. */
    private final Set<String> lost = new HashSet<>();

    private boolean moved;

    @Override
    public void after(Observer.Change change, Observer observer) {
        moved |= change.kind().equals(Kinds.PODS) && GangView.isMoved(change.before(), change.after());
        ObjectNode group = change.before();
        if (group != null && change.after() == null && change.kind().equals(Batch.POD_GROUPS)) {
            lost.add(Observer.place(group));
        }
    }

    @Override
    public void afterStep(Actor process, Observer observer) {
        if (!moved) {
            return;
        }
        moved = false;
        Map<String, ObjectNode> queues = new HashMap<>();
        observer.all(Batch.QUEUES).forEach(queue -> queues.put(Workspace.name(queue), queue));
        Map<String, Integer> used = used(queues, observer);
        used.forEach((name, cpu) -> {
            ObjectNode queue = queues.get(name);
            String limit = queue == null ? "" : Json.textAt(queue, "spec", "capability", "cpu");
            Violation.unless(
                    limit.isEmpty() || cpu <= Integer.parseInt(limit) || cpu <= before.getOrDefault(name, 0),
                    () -> "%s is given %d processors and may have %s".formatted(name, cpu, limit));
        });
        before = used;
    }

    private Map<String, Integer> used(Map<String, ObjectNode> queues, Observer observer) {
        Map<String, String> queueOf = new HashMap<>();
        observer.all(Batch.POD_GROUPS).forEach(group -> queueOf.put(Observer.place(group), GangView.queue(group)));
        lost.forEach(queueOf::remove);
        Map<String, Integer> used = new HashMap<>();
        for (ObjectNode pod : observer.all(Kinds.PODS)) {
            String name = GangView.holdsRoom(pod) ? queueOf.getOrDefault(GangView.group(pod), "") : "";
            while (!name.isEmpty()) {
                used.merge(name, GangView.cpu(pod), Integer::sum);
                ObjectNode queue = queues.get(name);
                name = queue == null ? "" : Json.textAt(queue, "spec", "parent");
            }
        }
        return used;
    }
}
