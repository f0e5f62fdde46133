package lavaflow.simulation;

import java.util.HashSet;
import java.util.Set;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** A pod of a StatefulSet that starts in order is made only after all before it have been ready. */
final class OrderlySets implements Invariant {
    /** Set and number of pods that were ready once. */
    private final Set<String> readied = new HashSet<>();

    @Override
    public void after(Observer.Change change, Observer observer) {
        ObjectNode pod = change.after();
        if (pod == null || !change.kind().equals(Kinds.PODS)) {
            return;
        }
        String owner = Observer.owner(pod);
        ObjectNode set = observer.byUid(Kinds.STATEFUL_SETS, owner);
        if (set == null || Json.textAt(set, "spec", "podManagementPolicy").equals("Parallel")) {
            return;
        }
        String name = Json.textAt(pod, "metadata", "name");
        int number = Integer.parseInt(name.substring(name.lastIndexOf('-') + 1));
        if (Observer.isReady(pod)) {
            readied.add(owner + "/" + number);
        }
        if (change.before() == null) {
            for (int i = 0; i < number; i++) {
                int earlier = i;
                Violation.unless(
                        readied.contains(owner + "/" + earlier),
                        () -> "%s was made before number %d was ready".formatted(name, earlier));
            }
        }
    }
}
