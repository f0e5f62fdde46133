package lavaflow.kubelet;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;
import lavaflow.kube.SafeSysctls;
import lavaflow.node.NodeClaims;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether a node takes a pod that was given to it. */
final class NodeAdmission {
    private static final List<String> IPC_SYSCTLS = List.of("kernel.shm", "kernel.msg", "kernel.sem", "fs.mqueue.");

    private static final String SYSTEM = "kubernetes.io/os";

    private static final Logger LOG = LoggerFactory.getLogger(NodeAdmission.class);

    private NodeAdmission() {}

    static PodFacts.@Nullable End refusal(Surroundings around, PodView pod) {
        PodFacts.End sysctls = sysctls(pod);
        if (sysctls != null) {
            return sysctls;
        }
        PodFacts.End pressure = pressure(around.node().get(), pod);
        if (pressure != null) {
            return pressure;
        }
        PodFacts.End devices = devices(around, pod);
        if (devices != null) {
            return devices;
        }
        PodFacts.End system = system(around.node().get(), pod);
        if (system != null) {
            releaseDevices(around, pod.uid());
            return system;
        }
        NodeClaims.Refusal refusal = around.claims().admit(around.node().get(), pod.object());
        if (refusal == null) {
            return null;
        }
        releaseDevices(around, pod.uid());
        return new PodFacts.End(refusal.reason(), refusal.message());
    }

    /** A node that is short of something takes only pods that do not make it worse, or that it cannot do without. */
    static PodFacts.@Nullable End pressure(ObjectNode node, PodView pod) {
        List<String> conditions = new ArrayList<>();
        for (JsonNode each : Json.listAt(node, "status", "conditions")) {
            String type = Json.textAt(each, "type");
            if (type.endsWith("Pressure") && Json.textAt(each, "status").equals("True")) {
                conditions.add(type);
            }
        }
        boolean memoryAlone = conditions.equals(List.of("MemoryPressure"));
        boolean bestEffort = Json.textAt(pod.object(), "status", "qosClass").equals("BestEffort");
        if (conditions.isEmpty() || Eviction.isCritical(pod) || (memoryAlone && (!bestEffort || toleratesIt(pod)))) {
            return null;
        }
        return new PodFacts.End(
                Eviction.REASON, "Pod was rejected: The node had condition: [" + String.join(" ", conditions) + "]. ");
    }

    private static boolean toleratesIt(PodView pod) {
        for (JsonNode each : Json.listAt(pod.object(), "spec", "tolerations")) {
            String key = Json.textAt(each, "key");
            String effect = Json.textAt(each, "effect");
            boolean all = key.isEmpty() && Json.textAt(each, "operator").equals("Exists");
            if ((all || key.equals("node.kubernetes.io/memory-pressure"))
                    && (effect.isEmpty() || effect.equals("NoSchedule"))) {
                return true;
            }
        }
        return false;
    }

    /** A pod that was made for another operating system. */
    static PodFacts.@Nullable End system(ObjectNode node, PodView pod) {
        String label = Json.textAt(pod.object(), "metadata", "labels", SYSTEM);
        if (!label.isEmpty() && !label.equals(Json.textAt(node, "metadata", "labels", SYSTEM))) {
            return new PodFacts.End(
                    "PodOSSelectorNodeLabelDoesNotMatch",
                    "Pod was rejected: Failed to admit pod as the `kubernetes.io/os` label doesn't match node label");
        }
        String named = Json.textAt(pod.object(), "spec", "os", "name");
        return named.isEmpty() || named.equals("linux")
                ? null
                : new PodFacts.End(
                        "PodOSNotSupported",
                        "Pod was rejected: Failed to admit pod as the OS field doesn't match node OS");
    }

    private static PodFacts.@Nullable End devices(Surroundings around, PodView pod) {
        try {
            around.devices().admit(pod.object());
            return null;
        } catch (DeviceShortage e) {
            return new PodFacts.End(DeviceShortage.REASON, String.valueOf(e.getMessage()));
        } catch (IOException e) {
            return new PodFacts.End(
                    DeviceShortage.REASON, "Allocate failed due to " + e.getMessage() + ", which is unexpected");
        }
    }

    /** A pod has no use for its devices any more. */
    static void releaseDevices(Surroundings around, String uid) {
        try {
            around.devices().release(uid);
        } catch (IOException e) {
            LOG.warn("it is not written down that the devices of pod {} are free: {}", uid, e.getMessage());
        }
    }

    static PodFacts.@Nullable End sysctls(PodView pod) {
        for (JsonNode sysctl : Json.listAt(pod.object(), "spec", "securityContext", "sysctls")) {
            String name = Json.textAt(sysctl, "name").replace('/', '.');
            boolean ipc = IPC_SYSCTLS.stream().anyMatch(name::startsWith);
            boolean shared =
                    name.startsWith("net.") ? pod.isHostNetwork() : ipc && Json.flagAt(pod.object(), "spec", "hostIPC");
            if (!SafeSysctls.contains(name)) {
                return forbidden("sysctl \"" + name + "\" not allowlisted");
            }
            if (shared) {
                return forbidden("sysctl \"" + name + "\" not allowed with "
                        + (name.startsWith("net.") ? "host net" : "host ipc") + " enabled");
            }
        }
        return null;
    }

    private static PodFacts.End forbidden(String why) {
        return new PodFacts.End("SysctlForbidden", "Pod was rejected: forbidden sysctl: " + why);
    }
}
