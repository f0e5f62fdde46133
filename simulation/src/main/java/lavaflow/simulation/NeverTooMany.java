package lavaflow.simulation;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * At no moment are there more pods than somebody asked for: a controller that has not seen its own work yet does not do it
 * twice. How many were asked for counts for a while after it was lowered, because nobody knows of that at once.
 */
final class NeverTooMany implements Invariant {
    private static final Duration MEMORY = Duration.ofMinutes(2);

    private record Asked(Instant at, long replicas) {}

    private final VirtualClock clock;
    private final Map<String, Deque<Asked>> asked = new HashMap<>();

    NeverTooMany(VirtualClock clock) {
        this.clock = clock;
    }

    @Override
    public void after(Observer.Change change, Observer observer) {
        ObjectNode after = change.after();
        if (after == null) {
            return;
        }
        if (change.kind().equals(Kinds.REPLICA_SETS)
                || change.kind().equals(Kinds.REPLICATION_CONTROLLERS)
                || change.kind().equals(Kinds.STATEFUL_SETS)) {
            remember(Observer.uid(after), Json.longAt(after, 1, "spec", "replicas"));
        } else if (change.kind().equals(Kinds.PODS) && change.before() == null) {
            String owner = Observer.owner(after);
            Deque<Asked> known = asked.get(owner);
            if (known != null) {
                int active = observer.activePods(owner).size();
                long most = known.stream().mapToLong(Asked::replicas).max().orElse(0);
                Violation.unless(
                        active <= most,
                        () -> "%s makes %d where at most %d were asked for"
                                .formatted(Observer.place(after), active, most));
            }
        }
    }

    private void remember(String owner, long replicas) {
        Instant now = clock.instant();
        Deque<Asked> known = asked.computeIfAbsent(owner, _ -> new ArrayDeque<>());
        if (known.isEmpty() || known.getLast().replicas() != replicas) {
            known.add(new Asked(now, replicas));
        }
        // The newest of the old ones was in force until the next came.
        while (known.size() > 1 && List.copyOf(known).get(1).at().isBefore(now.minus(MEMORY))) {
            known.removeFirst();
        }
    }
}
