package lavaflow.simulation;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** No namespace ever has more pods than its quota allows. */
final class QuotaHeld implements Invariant {
    @Override
    public void after(Observer.Change change, Observer observer) {
        ObjectNode pod = change.after();
        if (pod == null || !change.kind().equals(Kinds.PODS) || change.before() != null) {
            return;
        }
        String namespace = Json.textAt(pod, "metadata", "namespace");
        for (ObjectNode quota : observer.all(Kinds.QUOTAS)) {
            if (Json.textAt(quota, "metadata", "namespace").equals(namespace)) {
                long allowed = Long.parseLong(Json.textAt(quota, "spec", "hard", "pods"));
                long present = observer.all(Kinds.PODS).stream()
                        .filter(each ->
                                Json.textAt(each, "metadata", "namespace").equals(namespace) && Observer.isActive(each))
                        .count();
                Violation.unless(
                        present <= allowed,
                        () -> "%s has %d pods and may have %d".formatted(namespace, present, allowed));
            }
        }
    }
}
