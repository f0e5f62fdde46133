package lavaflow.cluster;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToDoubleFunction;

import org.jspecify.annotations.Nullable;

/** Nodes that are to be emptied, zone by zone, one at a time and no faster than the zone's rate. Thread-safe. */
final class PacedQueue {
    private final Map<String, Set<String>> waiting = new LinkedHashMap<>();
    private final Map<String, Instant> last = new LinkedHashMap<>();
    private final ToDoubleFunction<String> rate;

    /**
     * @param rate how many a second, by zone
     */
    PacedQueue(ToDoubleFunction<String> rate) {
        this.rate = rate;
    }

    synchronized void add(String zone, String node) {
        waiting.computeIfAbsent(zone, _ -> new LinkedHashSet<>()).add(node);
    }

    synchronized void remove(String node) {
        waiting.values().forEach(nodes -> nodes.remove(node));
    }

    /** Those whose turn it is: of each zone one at most. */
    synchronized List<String> take(Instant now) {
        List<String> due = new ArrayList<>();
        waiting.forEach((zone, nodes) -> {
            Instant turn = nodes.isEmpty() ? null : turn(zone);
            if (turn != null && !turn.isAfter(now)) {
                due.add(nodes.iterator().next());
                nodes.remove(due.getLast());
                last.put(zone, now);
            }
        });
        return due;
    }

    /** When a zone may have its next turn; null for never. */
    private @Nullable Instant turn(String zone) {
        double perSecond = rate.applyAsDouble(zone);
        if (perSecond <= 0) {
            return null;
        }
        Instant before = last.get(zone);
        return before == null ? Instant.MIN : before.plusMillis((long) (1000 / perSecond));
    }

    /** How long until the next turn of anybody. */
    synchronized Optional<Duration> untilNext(Instant now) {
        Duration shortest = null;
        for (Map.Entry<String, Set<String>> each : waiting.entrySet()) {
            Instant turn = each.getValue().isEmpty() ? null : turn(each.getKey());
            if (turn != null) {
                Duration wait = turn.isAfter(now) ? Duration.between(now, turn) : Duration.ZERO;
                shortest = shortest == null || wait.compareTo(shortest) < 0 ? wait : shortest;
            }
        }
        return Optional.ofNullable(shortest);
    }
}
