package lavaflow.cluster;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Hints that share the endpoints of a service among zones in proportion to the processors there ({@code topology-mode:
 * Auto}): a zone with few endpoints is lent some of another's. Where no fair share can be found there are no hints.
 */
final class ZoneHints {
    /** How much more than its share an endpoint may have to serve. */
    private static final double OVERLOAD = 0.2;

    /** The processors of a node that counts. */
    record Capacity(String zone, long cpuMillis) {}

    /** Bounds on how many endpoints a zone should get. */
    private record Share(int least, double desired, int most) {}

    /**
     * @param problem why there are no hints, null where there are
     */
    record Decision(SliceChanges changes, @Nullable String problem) {}

    /** No fair way to share. */
    private static final class Unfair extends Exception {
        private static final long serialVersionUID = 1;

        Unfair(String message) {
            super(message, null, false, false);
        }
    }

    private final SortedMap<String, Double> shares = new TreeMap<>();
    private final boolean known;

    /**
     * @param nodes all nodes that are ready and do not merely serve the control plane
     */
    ZoneHints(List<Capacity> nodes) {
        SortedMap<String, Long> byZone = new TreeMap<>();
        nodes.forEach(node -> byZone.merge(node.zone(), node.cpuMillis(), Long::sum));
        known = nodes.stream().noneMatch(node -> node.zone().isEmpty() || node.cpuMillis() == 0);
        double total = byZone.values().stream().mapToLong(Long::longValue).sum();
        byZone.forEach((zone, cpus) -> shares.put(zone, cpus / total));
    }

    /** Whether a service asks for these hints. */
    static boolean areWanted(ObjectNode service) {
        ObjectNode annotations = Json.objectAt(service, "metadata", "annotations");
        if (annotations == null) {
            return false;
        }
        String mode = annotations.has("service.kubernetes.io/topology-mode")
                ? Json.textAt(annotations, "service.kubernetes.io/topology-mode")
                : Json.textAt(annotations, "service.kubernetes.io/topology-aware-hints");
        return mode.equals("Auto") || mode.equals("auto");
    }

    Decision apply(SliceChanges changes) {
        try {
            return new Decision(shared(changes), null);
        } catch (Unfair e) {
            return new Decision(TrafficHints.apply(changes, TrafficHints::without), e.getMessage());
        }
    }

    private SliceChanges shared(SliceChanges changes) throws Unfair {
        List<SliceState> all = new ArrayList<>(changes.create());
        all.addAll(changes.update());
        all.addAll(changes.unchanged());
        Map<String, Share> allowed = shares((int) all.stream()
                .flatMap(slice -> slice.endpoints().stream())
                .filter(Endpoint::isReady)
                .count());
        Map<String, Integer> given = new TreeMap<>();
        List<SliceState> unchanged = new ArrayList<>();
        List<SliceState> update = new ArrayList<>(changes.update());
        for (SliceState slice : changes.unchanged()) {
            Map<String, Integer> hints = usable(slice, given, allowed);
            if (hints == null) {
                update.add(slice);
            } else {
                hints.forEach((zone, count) -> given.merge(zone, count, Integer::sum));
                unchanged.add(slice);
            }
        }
        List<SliceState> create = new ArrayList<>();
        for (SliceState slice : changes.create()) {
            create.add(atHome(slice, given));
        }
        List<SliceState> updated = new ArrayList<>();
        for (SliceState slice : update) {
            updated.add(atHome(slice, given));
        }
        Loans loans = new Loans(allowed, given);
        create.replaceAll(loans::lend);
        updated.replaceAll(loans::lend);
        return new SliceChanges(create, updated, changes.delete(), unchanged);
    }

    private Map<String, Share> shares(int endpoints) throws Unfair {
        int zones = shares.size();
        if (!known || zones == 0) {
            throw new Unfair(
                    "Insufficient Node information: allocatable CPU or zone not specified on one or more nodes");
        }
        if (zones < 2) {
            throw new Unfair("Nodes only ready in one zone");
        }
        String counts = " (" + endpoints + " endpoints, " + zones + " zones)";
        if (zones > endpoints) {
            throw new Unfair("Insufficient number of endpoints" + counts);
        }
        int spare = endpoints;
        for (double share : shares.values()) {
            spare -= least(share * endpoints);
        }
        if (spare < 0) {
            throw new Unfair("Unable to allocate minimum required endpoints to each zone without exceeding overload"
                    + " threshold" + counts);
        }
        Map<String, Share> allowed = new LinkedHashMap<>();
        for (Map.Entry<String, Double> each : shares.entrySet()) {
            double desired = each.getValue() * endpoints;
            int least = least(desired);
            allowed.put(each.getKey(), new Share(least, Math.max(desired, least), least + spare));
        }
        return allowed;
    }

    private static int least(double desired) {
        return (int) Math.ceil(desired * (1 / (1 + OVERLOAD)));
    }

    /** The hints of a slice that may stay as they are, by zone; null where they may not. */
    private static @Nullable Map<String, Integer> usable(
            SliceState slice, Map<String, Integer> given, Map<String, Share> allowed) {
        Map<String, Integer> hints = new TreeMap<>();
        for (Endpoint endpoint : slice.endpoints()) {
            if (!endpoint.isReady()) {
                continue;
            }
            if (endpoint.zoneHints().isEmpty() || !allowed.keySet().containsAll(endpoint.zoneHints())) {
                return null;
            }
            hints.merge(endpoint.zoneHints().getFirst(), 1, Integer::sum);
        }
        for (Map.Entry<String, Integer> each : hints.entrySet()) {
            Share share = allowed.get(each.getKey());
            if (share == null || each.getValue() + given.getOrDefault(each.getKey(), 0) > share.most()) {
                return null;
            }
        }
        return hints;
    }

    /** At first every endpoint is for its own zone. */
    private static SliceState atHome(SliceState slice, Map<String, Integer> given) throws Unfair {
        List<Endpoint> hinted = new ArrayList<>();
        for (Endpoint endpoint : slice.endpoints()) {
            String zone = endpoint.zone();
            if (!endpoint.isReady()) {
                hinted.add(TrafficHints.without(endpoint));
            } else if (zone == null) {
                throw new Unfair("One or more endpoints do not have a zone specified");
            } else {
                given.merge(zone, 1, Integer::sum);
                hinted.add(endpoint.withHints(List.of(zone), List.of()));
            }
        }
        return slice.withEndpoints(hinted);
    }

    /** Endpoints that zones with more than their share lend to those with less. */
    private static final class Loans {
        private final SortedMap<String, Integer> giving = new TreeMap<>();
        private final SortedMap<String, Integer> receiving = new TreeMap<>();

        Loans(Map<String, Share> allowed, Map<String, Integer> given) {
            SortedMap<String, Double> spare = new TreeMap<>();
            SortedMap<String, Double> needed = new TreeMap<>();
            allowed.forEach((zone, share) -> {
                double more = given.getOrDefault(zone, 0) - share.desired();
                if (more > 0) {
                    spare.put(zone, more);
                } else if (more < 0) {
                    needed.put(zone, -more);
                }
            });
            while (true) {
                String giver = most(spare);
                String receiver = most(needed);
                if (giver == null || receiver == null) {
                    break;
                }
                giving.merge(giver, 1, Integer::sum);
                receiving.merge(receiver, 1, Integer::sum);
                spare.merge(giver, -1.0, Double::sum);
                needed.merge(receiver, -1.0, Double::sum);
            }
        }

        private static @Nullable String most(SortedMap<String, Double> zones) {
            String best = null;
            double amount = 0;
            for (Map.Entry<String, Double> each : zones.entrySet()) {
                // Only whole endpoints can be lent.
                if (each.getValue() >= 1 && each.getValue() > amount) {
                    best = each.getKey();
                    amount = each.getValue();
                }
            }
            return best;
        }

        SliceState lend(SliceState slice) {
            List<Endpoint> lent = new ArrayList<>();
            for (Endpoint endpoint : slice.endpoints()) {
                String zone = endpoint.zone();
                boolean spare = endpoint.isReady() && zone != null && giving.containsKey(zone);
                if (spare && !receiving.isEmpty()) {
                    String other = receiving.firstKey();
                    take(giving, java.util.Objects.requireNonNull(zone));
                    take(receiving, other);
                    lent.add(endpoint.withHints(List.of(other), List.of()));
                } else {
                    lent.add(endpoint);
                }
            }
            return slice.withEndpoints(lent);
        }

        private static void take(SortedMap<String, Integer> from, String zone) {
            from.compute(zone, (_, left) -> left == null || left <= 1 ? null : left - 1);
        }
    }
}
