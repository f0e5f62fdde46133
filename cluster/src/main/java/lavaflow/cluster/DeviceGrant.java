package lavaflow.cluster;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of a ResourceClaim that has devices.
 *
 * @param users the uids of those it is reserved for
 */
record DeviceGrant(String namespace, String name, List<String> users, List<Given> devices) {
    /** A device and what its user puts up with. */
    record Given(String driver, String pool, String device, List<NodePod.Toleration> tolerations) {
        static Given of(JsonNode result) {
            List<NodePod.Toleration> tolerations = new ArrayList<>();
            Json.listAt(result, "tolerations").forEach(each -> tolerations.add(NodePod.Toleration.of(each)));
            return new Given(
                    Json.textAt(result, "driver"),
                    Json.textAt(result, "pool"),
                    Json.textAt(result, "device"),
                    List.copyOf(tolerations));
        }

        String word() {
            return DeviceTaints.pool(driver, pool);
        }

        /** Until when it may be used in spite of a taint; null for ever. */
        @Nullable
        Instant bears(DeviceTaints.Mark mark) {
            long shortest = Long.MAX_VALUE;
            boolean tolerated = false;
            for (NodePod.Toleration toleration : tolerations) {
                if (toleration.tolerates(mark.taint())) {
                    Long seconds = toleration.seconds();
                    if (seconds == null) {
                        return null;
                    }
                    tolerated = true;
                    shortest = Math.min(shortest, Math.max(0, seconds));
                }
            }
            return tolerated ? mark.since().plusSeconds(shortest) : mark.since();
        }
    }

    /** Null for one without devices. */
    static @Nullable DeviceGrant of(ObjectNode claim) {
        if (!DeviceClaim.isAllocated(claim)) {
            return null;
        }
        List<Given> devices = new ArrayList<>();
        Json.listAt(claim, "status", "allocation", "devices", "results")
                .forEach(result -> devices.add(Given.of(result)));
        return new DeviceGrant(
                Objects.namespace(claim), Objects.name(claim), DeviceClaim.users(claim), List.copyOf(devices));
    }

    List<String> words() {
        return devices.stream().map(Given::word).distinct().toList();
    }
}
