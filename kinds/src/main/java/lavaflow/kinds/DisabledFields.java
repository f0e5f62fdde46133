package lavaflow.kinds;

import java.util.function.Predicate;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Fields that this release knows but whose features are off: they are dropped unless the old object has them.
 *
 * <p>Upstream does the same by feature gates; ours are fixed at the defaults of 1.36.
 */
final class DisabledFields {
    private DisabledFields() {}

    static void dropFromSpec(ObjectNode spec, @Nullable JsonNode old) {
        dropProjection(spec, old, "clusterTrustBundle");
        dropProjection(spec, old, "podCertificate");
        if (!Nodes.has(old, "schedulingGroup")) {
            spec.remove("schedulingGroup");
        }
        dropStopSignals(spec, old);
    }

    static void dropFromStatus(ObjectNode status, @Nullable JsonNode old) {
        if (Nodes.emptyAt(old, "nodeAllocatableResourceClaimStatuses")) {
            status.remove("nodeAllocatableResourceClaimStatuses");
        }
    }

    private static void dropProjection(ObjectNode spec, @Nullable JsonNode old, String field) {
        if (anyProjection(old, source -> Nodes.has(source, field))) {
            return;
        }
        anyProjection(spec, source -> {
            source.remove(field);
            return false;
        });
    }

    private static boolean anyProjection(@Nullable JsonNode spec, Predicate<ObjectNode> test) {
        for (ObjectNode volume : Nodes.objects(spec, "volumes")) {
            for (ObjectNode source : Nodes.objects(volume, "projected", "sources")) {
                if (test.test(source)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static void dropStopSignals(ObjectNode spec, @Nullable JsonNode old) {
        for (ObjectNode container : PodSpecs.allContainers(old)) {
            if (Nodes.has(container, "lifecycle", "stopSignal")) {
                return;
            }
        }
        for (ObjectNode container : PodSpecs.allContainers(spec)) {
            ObjectNode lifecycle = Json.objectAt(container, "lifecycle");
            if (lifecycle != null && lifecycle.remove("stopSignal") != null && lifecycle.isEmpty()) {
                container.remove("lifecycle");
            }
        }
    }
}
