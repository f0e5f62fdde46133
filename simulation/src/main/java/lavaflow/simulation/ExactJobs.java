package lavaflow.simulation;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** A job that has ended counts every pod that ended, once. */
final class ExactJobs implements Invariant {
    private final Map<String, Set<String>> succeeded = new HashMap<>();

    @Override
    public void after(Observer.Change change, Observer observer) {
        ObjectNode pod = change.after();
        if (pod != null
                && change.kind().equals(Kinds.PODS)
                && Json.textAt(pod, "status", "phase").equals("Succeeded")
                && !Observer.owner(pod).isEmpty()) {
            succeeded.computeIfAbsent(Observer.owner(pod), _ -> new HashSet<>()).add(Observer.uid(pod));
        }
    }

    @Override
    public void atRest(Observer observer) {
        for (ObjectNode job : observer.all(Kinds.JOBS)) {
            if (!Observer.hasCondition(job, "Complete")) {
                continue;
            }
            long counted = Json.longAt(job, 0, "status", "succeeded");
            long wanted = Json.longAt(job, 1, "spec", "completions");
            String name = Observer.place(job);
            Violation.unless(counted >= wanted, () -> "%s is complete with %d of %d".formatted(name, counted, wanted));
            int seen = succeeded.getOrDefault(Observer.uid(job), Set.of()).size();
            if (Json.textAt(job, "spec", "completionMode").equals("Indexed")) {
                String indexes = wanted == 1 ? "0" : wanted == 2 ? "0,1" : "0-" + (wanted - 1);
                Violation.unless(
                        Json.textAt(job, "status", "completedIndexes").equals(indexes) && counted == wanted,
                        () -> "%s counts %s, %d times"
                                .formatted(name, Json.textAt(job, "status", "completedIndexes"), counted));
            } else {
                Violation.unless(
                        counted <= seen,
                        () -> "%s counts %d pods, and %d have ended well".formatted(name, counted, seen));
            }
        }
    }
}
