package lavaflow.placement;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Nodes with devices, and pods that claim them. */
final class TestingDevices {
    static final String DRIVER = "gpu.example.com";

    final ClusterState state = new ClusterState();
    private long revision = 100;

    static ObjectNode object(String text) {
        return (ObjectNode) Json.parse(text.replace('\'', '"'));
    }

    TestingDevices node(String name, String... labels) {
        ObjectNode node = Json.object();
        ObjectNode all = node.putObject("metadata").put("name", name).putObject("labels");
        for (int i = 0; i < labels.length; i += 2) {
            all.put(labels[i], labels[i + 1]);
        }
        node.putObject("status")
                .putObject("allocatable")
                .put("cpu", "64")
                .put("memory", "64Gi")
                .put("pods", "110");
        state.putNode(NodeTable.Node.of(node));
        return this;
    }

    TestingDevices type(String name, String... selectors) {
        ObjectNode type = Json.object();
        type.putObject("metadata").put("name", name);
        ObjectNode spec = type.putObject("spec");
        for (String selector : selectors) {
            spec.withArray("selectors").addObject().putObject("cel").put("expression", selector);
        }
        return type(type);
    }

    TestingDevices type(ObjectNode type) {
        state.devices().putClass(Json.textAt(type, "metadata", "name"), DeviceClass.of(type));
        return this;
    }

    /** One whole pool on a node, named after it. */
    TestingDevices slice(String node, String... devices) {
        return slice("slice-" + node, node, 1, 1, "'nodeName': '" + node + "'", devices);
    }

    TestingDevices slice(String name, String pool, int generation, int count, String more, String... devices) {
        ObjectNode slice = object(
                "{'metadata': {'name': '%s'}, 'spec': {'driver': '%s', 'pool': {'name': '%s', 'generation': %d, 'resourceSliceCount': %d}, %s}}"
                        .formatted(name, DRIVER, pool, generation, count, more));
        for (String device : devices) {
            Json.ensureObject(slice, "spec").withArray("devices").add(object(device));
        }
        state.devices().putSlice(name, DeviceSlice.of(slice));
        return this;
    }

    /** A device whose attributes are numbers or texts. */
    static String device(String name, Object... attributes) {
        ObjectNode device = Json.object().put("name", name);
        for (int i = 0; i < attributes.length; i += 2) {
            ObjectNode value = Json.ensureObject(device, "attributes", attributes[i].toString());
            if (attributes[i + 1] instanceof Integer number) {
                value.put("int", number);
            } else {
                value.put("string", attributes[i + 1].toString());
            }
        }
        return Json.string(device);
    }

    /** @param devices what stands in {@code spec.devices} */
    TestingDevices claim(String name, String devices) {
        return tell(name, object(devices), null, List.of());
    }

    /** A claim with one request for so many devices of a class. */
    TestingDevices claim(String name, String type, int count) {
        return claim(
                name,
                "{'requests': [{'name': 'r', 'exactly': {'deviceClassName': '%s', 'allocationMode': 'ExactCount', 'count': %d}}]}"
                        .formatted(type, count));
    }

    TestingDevices tell(String name, ObjectNode devices, @Nullable JsonNode allocation, List<String> users) {
        ObjectNode claim = Json.object();
        claim.putObject("metadata")
                .put("namespace", "default")
                .put("name", name)
                .put("uid", "uid-" + name)
                .put("resourceVersion", String.valueOf(++revision));
        claim.putObject("spec").set("devices", devices);
        if (allocation != null) {
            Json.ensureObject(claim, "status").set("allocation", allocation);
        }
        for (String user : users) {
            Json.ensureObject(claim, "status")
                    .withArray("reservedFor")
                    .addObject()
                    .put("uid", user);
        }
        state.devices().putClaim("default/" + name, DeviceClaim.of(claim));
        return this;
    }

    static ScheduledPod pod(String name, String... claims) {
        ObjectNode pod = Json.object();
        pod.putObject("metadata").put("namespace", "default").put("name", name).put("uid", "uid-" + name);
        ObjectNode spec = pod.putObject("spec").put("schedulerName", ScheduledPod.SCHEDULER);
        for (String claim : claims) {
            spec.withArray("resourceClaims").addObject().put("name", claim).put("resourceClaimName", claim);
        }
        return ScheduledPod.of(pod);
    }

    DeviceNeeds needs(String... claims) {
        ScheduledPod pod = pod("asking", claims);
        return state.devices().wanted(pod, state.retain(pod.key()));
    }

    NodeTable.Node at(String node) {
        return state.nodes().node(state.nodes().slot(node));
    }

    /** Which devices claims would get on a node, or what is against it. */
    String offer(String node, String... claims) {
        DeviceNeeds needs = needs(claims);
        if (needs.problem() != null) {
            return needs.problem();
        }
        Reason refusal = needs.refusal(at(node));
        if (needs.trouble() != null) {
            return needs.trouble();
        }
        return refusal != null ? refusal.message() : told(Objects.requireNonNull(needs.allocations(at(node))));
    }

    private static String told(List<DeviceClaim.Allocation> allocations) {
        List<String> told = new ArrayList<>();
        for (DeviceClaim.Allocation each : allocations) {
            each.devices()
                    .forEach(
                            given -> told.add(given.request() + "=" + given.id().device()));
        }
        return String.join(" ", told);
    }

    /** What the first claim would get on a node. */
    ObjectNode given(String node, String... claims) {
        return Objects.requireNonNull(needs(claims).allocations(at(node)))
                .getFirst()
                .json();
    }

    /** The best node for a pod, which gets it with its devices; empty if there is none. */
    String place(ScheduledPod pod) {
        PodClass type = state.retain(pod.key());
        Attempt attempt = new Attempt(state, pod, type);
        int slot = attempt.hopeless() == null ? attempt.best() : -1;
        if (slot < 0) {
            return "";
        }
        String node = state.nodes().node(slot).name();
        state.place(pod.on(node), type, slot);
        return node;
    }
}
