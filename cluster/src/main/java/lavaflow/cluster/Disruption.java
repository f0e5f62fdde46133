package lavaflow.cluster;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How much of each zone has failed, and how fast pods may therefore be driven away: the more nodes fail at once, the likelier
 * it is the network and not they. Where all of them seem to have failed, nobody is driven anywhere. Thread-safe.
 */
final class Disruption {
    static final double RATE = 0.1;
    static final double SECONDARY_RATE = 0.01;
    private static final int LARGE_ZONE = 50;
    private static final double UNHEALTHY = 0.55;

    /** The state of a zone. */
    enum State {
        INITIAL,
        NORMAL,
        PARTIAL,
        FULL
    }

    /** What came of a look at all zones. */
    enum Turn {
        NONE,
        /** All nodes seem lost: whatever drives pods away must go. */
        ALL_LOST,
        /** Some are back: all nodes get their time to report again. */
        SOME_BACK
    }

    private final Map<String, State> zones = new LinkedHashMap<>();
    private final Map<String, Double> rates = new LinkedHashMap<>();

    static State state(List<Boolean> readiness) {
        int ready = (int) readiness.stream().filter(each -> each).count();
        int failed = readiness.size() - ready;
        if (ready == 0 && failed > 0) {
            return State.FULL;
        }
        boolean many = failed > 2 && (double) failed / readiness.size() >= UNHEALTHY;
        return many ? State.PARTIAL : State.NORMAL;
    }

    /**
     * @param readiness of each node, by zone
     */
    synchronized Turn look(Map<String, List<Boolean>> readiness) {
        Map<String, State> now = new LinkedHashMap<>();
        readiness.forEach((zone, nodes) -> now.put(zone, state(nodes)));
        now.keySet().forEach(zone -> zones.putIfAbsent(zone, State.INITIAL));
        zones.keySet().retainAll(now.keySet());
        rates.keySet().retainAll(now.keySet());
        boolean areAllLost = now.values().stream().allMatch(State.FULL::equals);
        boolean wereAllLost = zones.values().stream().allMatch(State.FULL::equals);
        if (areAllLost && wereAllLost) {
            return Turn.NONE;
        }
        if (areAllLost) {
            zones.replaceAll((_, _) -> State.FULL);
            rates.replaceAll((_, _) -> 0.0);
            zones.keySet().forEach(zone -> rates.put(zone, 0.0));
            return Turn.ALL_LOST;
        }
        now.forEach((zone, state) -> {
            if (wereAllLost || zones.get(zone) != state) {
                rates.put(
                        zone,
                        rate(state, readiness.getOrDefault(zone, List.of()).size()));
                zones.put(zone, state);
            }
        });
        return wereAllLost ? Turn.SOME_BACK : Turn.NONE;
    }

    private static double rate(State state, int size) {
        return switch (state) {
            case INITIAL, NORMAL, FULL -> RATE;
            case PARTIAL -> size > LARGE_ZONE ? SECONDARY_RATE : 0;
        };
    }

    /** How many nodes a second may be emptied in a zone. */
    synchronized double rate(String zone) {
        return rates.getOrDefault(zone, RATE);
    }
}
