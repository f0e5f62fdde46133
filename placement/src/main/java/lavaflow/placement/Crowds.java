package lavaflow.placement;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

import lavaflow.kube.Json;
import lavaflow.kube.SelectorIndex;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Which pods belong together although they do not say so: those of one ReplicaSet, StatefulSet or ReplicationController, and
 * others behind the same services. Upstream looks owners' selectors up; they select the pods the owner has, so that nobody need
 * follow owners to know.
 */
public final class Crowds {
    private final NodeTable nodes;
    private final PodCounts counts;
    private final Owned nobody = new Owned();
    private final Map<String, Owned> byOwner = new HashMap<>();
    /** By namespace and name. */
    private final SelectorIndex<String> services = new SelectorIndex<>();

    private int generation = 1;
    /** Where to begin looking for nodes when not all are looked at. */
    private int turn;

    Crowds(NodeTable nodes, PodCounts counts) {
        this.nodes = nodes;
        this.counts = counts;
    }

    /** The living pods of one owner: few beside all nodes. */
    private static final class Owned implements Crowd {
        private final Map<Integer, Integer> bySlot = new HashMap<>();
        private int total;
        /** As of a version of the nodes. */
        private int[] byZone = new int[0];

        private int zonesAsOf = -1;

        void add(NodeTable nodes, int slot, int sign) {
            bySlot.merge(slot, sign, (now, more) -> now + more == 0 ? null : Integer.valueOf(now + more));
            total += sign;
            int zone = nodes.values(DefaultSpread.ZONE)[slot];
            if (zonesAsOf == nodes.lastVersion() && zone >= 0) {
                byZone[zone] += sign;
            }
        }

        @Override
        public int at(int slot) {
            return bySlot.getOrDefault(slot, 0);
        }

        @Override
        public int[] byZone(NodeTable nodes) {
            if (zonesAsOf != nodes.lastVersion()) {
                int[] zones = nodes.values(DefaultSpread.ZONE);
                byZone = Arrays.copyOf(byZone, nodes.valueCount(DefaultSpread.ZONE));
                Arrays.fill(byZone, 0);
                bySlot.forEach((slot, count) -> {
                    if (zones[slot] >= 0) {
                        byZone[zones[slot]] += count;
                    }
                });
                zonesAsOf = nodes.lastVersion();
            }
            return byZone;
        }
    }

    /** The living pods that some services select. */
    private record Served(PodCounts.Count count) implements Crowd {
        @Override
        public int at(int slot) {
            return count.at(slot);
        }

        @Override
        public int[] byZone(NodeTable nodes) {
            int[] zones = nodes.values(DefaultSpread.ZONE);
            int[] sums = new int[nodes.valueCount(DefaultSpread.ZONE)];
            for (int slot = 0; slot < nodes.slots(); slot++) {
                if (zones[slot] >= 0) {
                    sums[zones[slot]] += count.at(slot);
                }
            }
            return sums;
        }
    }

    /** A pod comes to a node, or leaves it. */
    void count(PlacedPod pod, int slot, int sign) {
        String owner = pod.type().owner;
        if (owner.isEmpty() || pod.pod().deleting()) {
            return;
        }
        Owned owned = byOwner.computeIfAbsent(owner, _ -> new Owned());
        owned.add(nodes, slot, sign);
        if (owned.total == 0) {
            byOwner.remove(owner);
        }
    }

    /**
     * A service has come, changed or gone.
     *
     * @param selector null where the service is gone
     */
    public void putService(String place, @Nullable ObjectNode selector) {
        if (services.put(place, place.substring(0, place.indexOf('/')), selector)) {
            generation++;
        }
    }

    /** Null if pods of a class need not be spread, or say themselves how. */
    @Nullable
    Crowd of(PodClass type) {
        if (!type.owner.isEmpty()) {
            return byOwner.getOrDefault(type.owner, nobody);
        }
        PodSet served = served(type);
        return served == null ? null : new Served(counts.of(served, true, nodes));
    }

    /** Whether pods of a class belong to some others. */
    boolean concern(PodClass type) {
        return !type.owner.isEmpty() || served(type) != null;
    }

    private @Nullable PodSet served(PodClass type) {
        if (services.isEmpty() || !type.terms.spreads().isEmpty()) {
            return null;
        }
        PodClass.Service known = type.service;
        if (known == null || known.generation() != generation) {
            known = new PodClass.Service(generation, serving(type));
            type.service = known;
        }
        return known.pods();
    }

    /** What all services of a pod select; null if it has none. */
    private @Nullable PodSet serving(PodClass type) {
        ObjectNode labels = Json.object();
        services.matching(type.namespace, type.labels).values().forEach(labels::setAll);
        if (labels.isEmpty()) {
            return null;
        }
        ObjectNode selector = Json.object();
        selector.set("matchLabels", labels);
        return PodTerms.podSet(Set.of(type.namespace), null, selector);
    }

    int turn() {
        return turn;
    }

    void turn(int next) {
        turn = next;
    }
}
