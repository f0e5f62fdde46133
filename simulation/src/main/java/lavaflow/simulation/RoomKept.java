package lavaflow.simulation;

import java.util.HashSet;
import java.util.Set;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** No node is given more pods than it has room for; those that are leaving have their room until they are gone. */
final class RoomKept implements Invariant {
    private final Set<String> taken = new HashSet<>();

    @Override
    public void after(Observer.Change change, Observer observer) {
        ObjectNode pod = change.after();
        boolean was = change.before() != null && GangView.isBound(change.before());
        if (pod != null && change.kind().equals(Kinds.PODS) && GangView.isBound(pod) && !was) {
            taken.add(Json.textAt(pod, "spec", "nodeName"));
        }
    }

    @Override
    public void afterStep(Actor process, Observer observer) {
        if (taken.isEmpty()) {
            return;
        }
        for (ObjectNode node : observer.all(Kinds.NODES)) {
            if (taken.contains(Workspace.name(node))) {
                judge(node, observer);
            }
        }
        taken.clear();
    }

    private static void judge(ObjectNode node, Observer observer) {
        int cpu = 0;
        int pods = 0;
        for (ObjectNode pod : observer.all(Kinds.PODS)) {
            if (Json.textAt(pod, "spec", "nodeName").equals(Workspace.name(node)) && !Observer.isFinished(pod)) {
                cpu += GangView.cpu(pod);
                pods++;
            }
        }
        int usedCpu = cpu;
        int usedPods = pods;
        int hasCpu = Integer.parseInt(Json.textAt(node, "status", "allocatable", "cpu"));
        int hasPods = Integer.parseInt(Json.textAt(node, "status", "allocatable", "pods"));
        Violation.unless(
                usedCpu <= hasCpu && usedPods <= hasPods,
                () -> "%s is given %d processors of %d and %d pods of %d"
                        .formatted(Workspace.name(node), usedCpu, hasCpu, usedPods, hasPods));
    }
}
