package lavaflow.batch;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;

import lavaflow.controller.ControllerRunner;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;
import lavaflow.gang.HyperNodeSpec;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Tells in HyperNodes how many nodes belong to them, with those of the HyperNodes that belong to them. */
final class HyperNodeCounts {
    private static final KubeApi.Kind NODES = KubeApi.Kind.clusterWide("nodes");
    /** A node may belong to any HyperNode, so all are counted together. */
    private static final String ALL = "all";

    /** What is kept of a node. */
    private record Place(String name, ObjectNode labels) {
        static Place of(ObjectNode node) {
            ObjectNode labels = Json.objectAt(node, "metadata", "labels");
            return new Place(Batch.name(node), labels == null ? Json.object() : labels);
        }
    }

    /** What is kept of a HyperNode; -1 nodes if it does not say. */
    private record Part(HyperNodeSpec spec, long told) {
        static Part of(ObjectNode part) {
            return new Part(HyperNodeSpec.of(part), Json.longAt(part, -1, "status", "nodeCount"));
        }
    }

    private final KubeApi api;
    private final Mirror<Place> nodes;
    private final Mirror<Part> parts;
    private final ControllerRunner<String> runner;

    HyperNodeCounts(KubeApi api, Followers followers, LongSupplier nanoTime) {
        this.api = api;
        this.runner = new ControllerRunner<>("hyperNode-controller", followers, 1, this::count, nanoTime);
        this.parts = Mirror.whileServed(followers, Batch.HYPER_NODES, Part::of, _ -> List.of())
                .whenDifferent((_, _) -> runner.queue().add(ALL));
        this.nodes = Mirror.whileServed(followers, NODES, Place::of, _ -> List.of())
                .whenDifferent((_, _) -> runner.queue().add(ALL));
    }

    ControllerRunner<String> controller() {
        return runner;
    }

    private Optional<Duration> count(String all) {
        Map<String, Part> known = new TreeMap<>();
        parts.all().forEach(part -> known.put(part.spec().name(), part));
        for (Part part : known.values()) {
            long count = nodesOf(part, known).size();
            if (count != part.told()) {
                ObjectNode patch = Json.object();
                Json.ensureObject(patch, "status").put("nodeCount", count);
                api.patch(Batch.HYPER_NODES, "", part.spec().name(), "status", KubeApi.Merge.PLAIN, patch);
            }
        }
        return Optional.empty();
    }

    /** By name, each once, also where parts contain one another in a circle. */
    private Set<String> nodesOf(Part whole, Map<String, Part> known) {
        Set<String> found = new HashSet<>();
        Set<String> seen = new HashSet<>(Set.of(whole.spec().name()));
        Deque<Part> open = new ArrayDeque<>(List.of(whole));
        while (!open.isEmpty()) {
            for (HyperNodeSpec.Members members : open.remove().spec().members()) {
                if (members.nodes()) {
                    for (Place node : nodes.all()) {
                        if (members.matches(node.name(), node.labels())) {
                            found.add(node.name());
                        }
                    }
                    continue;
                }
                for (Part part : known.values()) {
                    String name = part.spec().name();
                    if (members.matches(name, Json.object()) && seen.add(name)) {
                        open.add(part);
                    }
                }
            }
        }
        return found;
    }
}
