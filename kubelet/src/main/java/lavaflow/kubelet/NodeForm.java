package lavaflow.kubelet;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

import lavaflow.image.ImageEntry;
import lavaflow.kube.GoTime;
import lavaflow.kube.Json;
import lavaflow.sandbox.RuntimeInfo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** The Node of this machine, as kubelets write it. */
final class NodeForm {
    private static final String VERSION = "v1.36.3";
    private static final long KIB = 1024;
    private static final long MIB = 1024 * KIB;
    /** For this process and what else the machine does. */
    private static final long RESERVED_CPU_MILLI = 100;

    private static final long RESERVED_MEMORY = 300 * MIB;
    /** Where pods begin to be evicted. */
    private static final long KEPT_MEMORY = 100 * MIB;

    private static final double KEPT_DISK = 0.10;
    /** What a kubelet of this version can do and an older one could not: schedulers look for it. In order. */
    private static final List<String> DECLARED = List.of(
            "ExtendWebSocketsToKubelet",
            "InPlacePodVerticalScalingInitContainers",
            "RestartAllContainersOnContainerExits");

    /** What a node is short of. */
    record Pressure(boolean memory, boolean disk, boolean pids) {
        static final Pressure NONE = new Pressure(false, false, false);
    }

    private final NodeSettings settings;
    private final MachineInfo machine;
    private final DeviceTable devices;
    private final RuntimeInfo runtime;
    private final Supplier<List<ImageEntry>> images;
    private volatile ArrayNode toldImages = Json.array();
    private final String podRange;
    private final int port;

    /**
     * @param podRange addresses of its pods; empty where they have none of their own
     * @param port of its HTTP face
     */
    NodeForm(
            NodeSettings settings,
            MachineInfo machine,
            DeviceTable devices,
            RuntimeInfo runtime,
            Supplier<List<ImageEntry>> images,
            String podRange,
            int port) {
        this.settings = settings;
        this.machine = machine;
        this.devices = devices;
        this.runtime = runtime;
        this.images = images;
        this.podRange = podRange;
        this.port = port;
    }

    ObjectNode node(Instant now) {
        ObjectNode object = Json.object().put("apiVersion", "v1").put("kind", "Node");
        ObjectNode metadata = object.putObject("metadata").put("name", settings.name());
        metadata.set("labels", labels());
        metadata.putObject("annotations").put("volumes.kubernetes.io/controller-managed-attach-detach", "true");
        ObjectNode spec = object.putObject("spec");
        if (!podRange.isEmpty()) {
            spec.put("podCIDR", podRange).putArray("podCIDRs").add(podRange);
        }
        object.set("status", status(null, Pressure.NONE, now));
        return object;
    }

    ObjectNode labels() {
        ObjectNode labels = Json.object();
        labels.put("beta.kubernetes.io/arch", machine.architecture()).put("beta.kubernetes.io/os", "linux");
        labels.put("kubernetes.io/arch", machine.architecture());
        labels.put("kubernetes.io/hostname", settings.name()).put("kubernetes.io/os", "linux");
        devices.labels().forEach(labels::put);
        new TreeMap<>(settings.labels()).forEach(labels::put);
        return labels;
    }

    /** @param before the Node as it is, whose conditions tell since when; null if there is none */
    ObjectNode status(@Nullable ObjectNode before, Pressure pressure, Instant now) {
        ObjectNode status = Json.object();
        ArrayNode addresses = status.putArray("addresses");
        addresses.addObject().put("address", settings.address()).put("type", "InternalIP");
        if (settings.named()) {
            addresses.addObject().put("address", settings.name()).put("type", "Hostname");
        }
        status.set(
                "allocatable",
                amounts(RESERVED_CPU_MILLI, RESERVED_MEMORY + KEPT_MEMORY, KEPT_DISK, devices.allocatable()));
        status.set("capacity", amounts(0, 0, 0, devices.capacity()));
        status.set("conditions", conditions(before, pressure, now));
        toldImages = NodeImages.of(images.get());
        status.set("images", toldImages);
        // Groups that the files of images make a user a member of can be left out.
        DECLARED.forEach(status.putArray("declaredFeatures")::add);
        status.putArray("runtimeHandlers")
                .addObject()
                .put("name", "")
                .putObject("features")
                .put("recursiveReadOnlyMounts", runtime.recursiveReadOnly())
                .put("userNamespaces", false);
        status.putObject("features").put("supplementalGroupsPolicy", runtime.isolated());
        Json.ensureObject(status, "daemonEndpoints", "kubeletEndpoint").put("Port", port);
        status.putObject("nodeInfo")
                .put("architecture", machine.architecture())
                .put("bootID", machine.bootId())
                .put("containerRuntimeVersion", runtime.name() + "://" + runtime.version())
                .put("kernelVersion", machine.kernel())
                .put("kubeProxyVersion", "")
                .put("kubeletVersion", VERSION)
                .put("machineID", machine.machineId())
                .put("operatingSystem", "linux")
                .put("osImage", machine.system())
                .put("systemUUID", machine.systemId());
        return status;
    }

    /** Looks whether devices or images came or went; then there is something to tell. */
    boolean hasNews() {
        return devices.look() || !toldImages.equals(NodeImages.of(images.get()));
    }

    private ObjectNode amounts(long cpuMilli, long memory, double disk, Map<String, Long> ofDevices) {
        ObjectNode amounts = Json.object();
        long cpu = machine.processors() * 1000L - cpuMilli;
        amounts.put("cpu", cpu % 1000 == 0 ? Long.toString(cpu / 1000) : cpu + "m");
        amounts.put("ephemeral-storage", (long) (machine.diskBytes() * (1 - disk)) / KIB + "Ki");
        amounts.put("hugepages-1Gi", "0").put("hugepages-2Mi", "0");
        amounts.put("memory", Math.max(0, machine.memoryBytes() - memory) / KIB + "Ki");
        amounts.put("pods", Integer.toString(settings.maxPods()));
        ofDevices.forEach((resource, count) -> amounts.put(resource, Long.toString(count)));
        // What was given counts as it stands: it is there for those who want a certain node.
        new TreeMap<>(settings.capacity()).forEach(amounts::put);
        return amounts;
    }

    static ArrayNode conditions(@Nullable ObjectNode before, Pressure pressure, Instant now) {
        ArrayNode conditions = Json.array();
        condition(
                conditions,
                before,
                now,
                "MemoryPressure",
                pressure.memory(),
                pressure.memory() ? "KubeletHasInsufficientMemory" : "KubeletHasSufficientMemory",
                pressure.memory()
                        ? "kubelet has insufficient memory available"
                        : "kubelet has sufficient memory available");
        condition(
                conditions,
                before,
                now,
                "DiskPressure",
                pressure.disk(),
                pressure.disk() ? "KubeletHasDiskPressure" : "KubeletHasNoDiskPressure",
                pressure.disk() ? "kubelet has disk pressure" : "kubelet has no disk pressure");
        condition(
                conditions,
                before,
                now,
                "PIDPressure",
                pressure.pids(),
                pressure.pids() ? "KubeletHasInsufficientPID" : "KubeletHasSufficientPID",
                pressure.pids() ? "kubelet has insufficient PID available" : "kubelet has sufficient PID available");
        condition(conditions, before, now, "Ready", true, "KubeletReady", "kubelet is posting ready status");
        return conditions;
    }

    private static void condition(
            ArrayNode conditions,
            @Nullable ObjectNode node,
            Instant now,
            String type,
            boolean holds,
            String reason,
            String message) {
        String status = holds ? "True" : "False";
        String since = GoTime.seconds(now);
        for (JsonNode old : Json.listAt(node, "status", "conditions")) {
            if (Json.textAt(old, "type").equals(type)
                    && Json.textAt(old, "status").equals(status)) {
                since = Json.textAt(old, "lastTransitionTime");
            }
        }
        conditions
                .addObject()
                .put("type", type)
                .put("lastHeartbeatTime", GoTime.seconds(now))
                .put("lastTransitionTime", since)
                .put("status", status)
                .put("reason", reason)
                .put("message", message);
    }
}
