package lavaflow.cluster;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/**
 * How long a daemon that failed on a node lies there before it is replaced: not at all the first time, then a second, twice
 * as long each time, until nothing happened for half an hour. Thread-safe.
 */
final class DaemonBackoff<K> {
    private static final Duration FIRST = Duration.ofSeconds(1);
    private static final Duration LAST = Duration.ofMinutes(15);

    private record Entry(Duration pause, Instant since) {
        boolean isOver(Instant now) {
            return Duration.between(since, now).compareTo(LAST.multipliedBy(2)) > 0;
        }
    }

    private final Map<K, Map<String, Entry>> entries = new HashMap<>();

    /** How long one must still wait, zero if not. */
    synchronized Duration remaining(K key, String node, Instant now) {
        Entry entry = entries.getOrDefault(key, Map.of()).get(node);
        if (entry == null || entry.isOver(now)) {
            return Duration.ZERO;
        }
        Duration left = entry.pause().minus(Duration.between(entry.since(), now));
        return left.isPositive() ? left : Duration.ZERO;
    }

    /** One was replaced now. */
    synchronized void replaced(K key, String node, Instant now) {
        Map<String, Entry> known = entries.computeIfAbsent(key, _ -> new HashMap<>());
        known.values().removeIf(entry -> entry.isOver(now));
        Entry before = known.get(node);
        Duration doubled = before == null ? FIRST : before.pause().multipliedBy(2);
        known.put(node, new Entry(doubled.compareTo(LAST) > 0 ? LAST : doubled, now));
    }

    synchronized void forget(K key) {
        entries.remove(key);
    }
}
