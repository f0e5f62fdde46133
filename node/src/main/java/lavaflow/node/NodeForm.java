package lavaflow.node;

import java.time.Instant;
import java.util.TreeMap;

import lavaflow.kube.GoTime;
import lavaflow.kube.Json;
import lavaflow.kube.Taint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** The Node and the Lease of a simulated node, as a kubelet would write them. */
final class NodeForm {
    private static final String TYPE = "type";
    private static final String SIMULATED = "simulated";
    private static final String KUBELET_VERSION = "v1.36.3";
    private static final long KUBELET_PORT = 10250;

    /** What a node says of itself. */
    enum Health {
        READY("True", "KubeletReady", "kubelet is posting ready status"),
        NOT_READY("False", "KubeletNotReady", "the simulated node was told not to be ready");

        private final String status;
        private final String reason;
        private final String message;

        Health(String status, String reason, String message) {
            this.status = status;
            this.reason = reason;
            this.message = message;
        }
    }

    private NodeForm() {}

    /** Whether a Node is one of ours, or of somebody else who simulates. */
    static boolean isSimulated(ObjectNode object) {
        return Json.textAt(object, "metadata", "labels", TYPE).equals(SIMULATED);
    }

    static ObjectNode node(SimNode node, Instant now) {
        ObjectNode object = Json.object().put("apiVersion", "v1").put("kind", "Node");
        ObjectNode metadata = object.putObject("metadata").put("name", node.name());
        ObjectNode labels = metadata.putObject("labels");
        labels.put("beta.kubernetes.io/arch", "amd64").put("beta.kubernetes.io/os", "linux");
        labels.put("kubernetes.io/arch", "amd64").put("kubernetes.io/os", "linux");
        labels.put("kubernetes.io/hostname", node.name());
        if (!node.zone().isEmpty()) {
            labels.put("topology.kubernetes.io/zone", node.zone());
        }
        labels.put(TYPE, SIMULATED);
        new TreeMap<>(node.shape().labels()).forEach(labels::put);
        ObjectNode spec = object.putObject("spec");
        spec.put("podCIDR", node.podNetwork()).putArray("podCIDRs").add(node.podNetwork());
        if (!node.shape().taints().isEmpty()) {
            ArrayNode taints = spec.putArray("taints");
            for (Taint taint : node.shape().taints()) {
                ObjectNode each = taints.addObject().put("key", taint.key());
                if (!taint.value().isEmpty()) {
                    each.put("value", taint.value());
                }
                each.put("effect", taint.effect());
            }
        }
        object.set("status", status(node, Health.READY, now));
        return object;
    }

    static ObjectNode status(SimNode node, Health health, Instant now) {
        ObjectNode status = Json.object();
        ArrayNode addresses = status.putArray("addresses");
        addresses.addObject().put("address", node.address()).put("type", "InternalIP");
        addresses.addObject().put("address", node.name()).put("type", "Hostname");
        ObjectNode amounts = status.putObject("allocatable");
        new TreeMap<>(node.shape().resources()).forEach(amounts::put);
        status.set("capacity", amounts.deepCopy());
        status.set("conditions", conditions(health, now, true));
        Json.ensureObject(status, "daemonEndpoints", "kubeletEndpoint").put("Port", KUBELET_PORT);
        String id = Chance.hex(32, node.name());
        status.putObject("nodeInfo")
                .put("architecture", "amd64")
                .put("bootID", uuid(Chance.hex(32, node.name(), "boot")))
                .put("containerRuntimeVersion", "sim://1.0.0")
                .put("kernelVersion", "6.1.0")
                .put("kubeProxyVersion", "")
                .put("kubeletVersion", KUBELET_VERSION)
                .put("machineID", id)
                .put("operatingSystem", "linux")
                .put("osImage", "Lavaflow simulated node")
                .put("systemUUID", uuid(id));
        return status;
    }

    private static String uuid(String hex) {
        return hex.substring(0, 8) + "-" + hex.substring(8, 12) + "-" + hex.substring(12, 16) + "-"
                + hex.substring(16, 20) + "-" + hex.substring(20, 32);
    }

    /** Whether somebody has written that nothing is known of a node. */
    static boolean isGivenUp(ObjectNode node) {
        for (JsonNode condition : Json.listAt(node, "status", "conditions")) {
            if (Json.textAt(condition, "type").equals("Ready")) {
                return Json.textAt(condition, "status").equals("Unknown");
            }
        }
        return false;
    }

    /**
     * The conditions of a node.
     *
     * @param changed whether the time of the last change is told, too
     */
    static ArrayNode conditions(Health health, Instant now, boolean changed) {
        ArrayNode conditions = Json.array();
        fill(conditions.addObject(), "MemoryPressure", now, changed)
                .put("status", "False")
                .put("reason", "KubeletHasSufficientMemory")
                .put("message", "kubelet has sufficient memory available");
        fill(conditions.addObject(), "DiskPressure", now, changed)
                .put("status", "False")
                .put("reason", "KubeletHasNoDiskPressure")
                .put("message", "kubelet has no disk pressure");
        fill(conditions.addObject(), "PIDPressure", now, changed)
                .put("status", "False")
                .put("reason", "KubeletHasSufficientPID")
                .put("message", "kubelet has sufficient PID available");
        fill(conditions.addObject(), "Ready", now, changed)
                .put("status", health.status)
                .put("reason", health.reason)
                .put("message", health.message);
        return conditions;
    }

    private static ObjectNode fill(ObjectNode condition, String type, Instant now, boolean changed) {
        condition.put("type", type).put("lastHeartbeatTime", GoTime.seconds(now));
        if (changed) {
            condition.put("lastTransitionTime", GoTime.seconds(now));
        }
        return condition;
    }
}
