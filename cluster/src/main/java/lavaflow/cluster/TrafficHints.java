package lavaflow.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Hints that depend on each endpoint alone: what {@code spec.trafficDistribution} asks for, or none. */
final class TrafficHints {
    private TrafficHints() {}

    static SliceChanges apply(ObjectNode service, SliceChanges changes) {
        return apply(
                changes,
                switch (Json.textAt(service, "spec", "trafficDistribution")) {
                    case "PreferClose", "PreferSameZone" -> endpoint -> hinted(endpoint, false);
                    case "PreferSameNode" -> endpoint -> hinted(endpoint, true);
                    default -> TrafficHints::without;
                });
    }

    static Endpoint without(Endpoint endpoint) {
        return endpoint.withHints(List.of(), List.of());
    }

    private static Endpoint hinted(Endpoint endpoint, boolean nodesToo) {
        if (!endpoint.isReady()) {
            return without(endpoint);
        }
        String zone = endpoint.zone();
        String node = endpoint.node();
        return endpoint.withHints(
                zone == null ? List.of() : List.of(zone), node == null || !nodesToo ? List.of() : List.of(node));
    }

    /** Gives every endpoint its hints; a slice that was to stay as it is changes only if its hints do. */
    static SliceChanges apply(SliceChanges changes, UnaryOperator<Endpoint> hints) {
        List<SliceState> update = new ArrayList<>();
        changes.update().forEach(slice -> update.add(hinted(slice, hints)));
        List<SliceState> unchanged = new ArrayList<>();
        for (SliceState slice : changes.unchanged()) {
            SliceState hinted = hinted(slice, hints);
            (hinted.endpoints().equals(slice.endpoints()) ? unchanged : update).add(hinted);
        }
        return new SliceChanges(
                changes.create().stream().map(slice -> hinted(slice, hints)).toList(),
                update,
                changes.delete(),
                unchanged);
    }

    private static SliceState hinted(SliceState slice, UnaryOperator<Endpoint> hints) {
        return slice.withEndpoints(slice.endpoints().stream().map(hints).toList());
    }
}
