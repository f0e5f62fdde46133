package lavaflow.kinds;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import lavaflow.kube.GoTime;
import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** What an object takes of a quota. */
public final class QuotaUsage {
    private static final Quantity ONE = Quantity.of(1, Quantity.Format.DECIMAL_SI);
    private static final String BY_DEVICE_CLASS = ".deviceclass.resource.k8s.io/devices";
    /** What one claim may have at most. */
    private static final long MOST_DEVICES = 32;

    private static final String BY_CLASS = ".storageclass.storage.k8s.io/";
    /** Kinds that were counted under their own names before counting was generic. */
    private static final Set<String> OLD_COUNTS =
            Set.of("configmaps", "resourcequotas", "replicationcontrollers", "secrets");

    private static final Set<String> POD_RESOURCES = Set.of(
            "count/pods",
            "pods",
            "cpu",
            "memory",
            "ephemeral-storage",
            "requests.cpu",
            "requests.memory",
            "requests.ephemeral-storage",
            "limits.cpu",
            "limits.memory",
            "limits.ephemeral-storage");
    private static final Set<String> SERVICE_RESOURCES =
            Set.of("count/services", "services", "services.nodeports", "services.loadbalancers");

    private QuotaUsage() {}

    /** The name under which objects of a kind are counted: {@code count/deployments.apps}. */
    public static String countName(String group, String resource) {
        return "count/" + resource + (group.isEmpty() ? "" : "." + group);
    }

    /** Whether objects of a kind may take of a resource that a quota names. */
    public static boolean concerns(String group, String resource, String name) {
        if (name.equals(countName(group, resource))) {
            return true;
        }
        if (!group.isEmpty()) {
            return isDeviceClaim(group, resource) && name.endsWith(BY_DEVICE_CLASS);
        }
        return switch (resource) {
            case "pods" ->
                POD_RESOURCES.contains(name)
                        || name.startsWith("hugepages-")
                        || name.startsWith("requests.hugepages-")
                        || (name.startsWith("requests.") && !ResourceNames.isNative(name));
            case "services" -> SERVICE_RESOURCES.contains(name);
            case "persistentvolumeclaims" ->
                name.equals("persistentvolumeclaims")
                        || name.equals("requests.storage")
                        || name.endsWith(BY_CLASS + "persistentvolumeclaims")
                        || name.endsWith(BY_CLASS + "requests.storage");
            default -> OLD_COUNTS.contains(resource) && name.equals(resource);
        };
    }

    /** All that an object takes, by name, whether a quota asks for it or not. */
    public static Map<String, Quantity> of(String group, String resource, ObjectNode object, Instant now) {
        Map<String, Quantity> usage = new TreeMap<>();
        usage.put(countName(group, resource), ONE);
        if (group.isEmpty()) {
            switch (resource) {
                case "pods" -> pod(object, now, usage);
                case "services" -> service(object, usage);
                case "persistentvolumeclaims" -> claim(object, usage);
                default -> {
                    if (OLD_COUNTS.contains(resource)) {
                        usage.put(resource, ONE);
                    }
                }
            }
        } else if (isDeviceClaim(group, resource)) {
            deviceClaim(object, usage);
        }
        return usage;
    }

    private static boolean isDeviceClaim(String group, String resource) {
        return group.equals("resource.k8s.io") && resource.equals("resourceclaims");
    }

    /** Devices by class; of alternatives the one of each class that takes most. */
    private static void deviceClaim(ObjectNode claim, Map<String, Quantity> usage) {
        Map<String, Long> devices = new TreeMap<>();
        for (ObjectNode request : Nodes.objects(claim, "spec", "devices", "requests")) {
            Map<String, Long> most = new TreeMap<>();
            for (ObjectNode each : Nodes.objects(request, "firstAvailable")) {
                most.merge(Json.textAt(each, "deviceClassName"), devicesOf(each), Math::max);
            }
            ObjectNode exactly = Json.objectAt(request, "exactly");
            if (most.isEmpty() && exactly != null) {
                most.put(Json.textAt(exactly, "deviceClassName"), devicesOf(exactly));
            }
            most.forEach((type, number) -> devices.merge(type, number, Long::sum));
        }
        devices.forEach((type, number) -> usage.put(type + BY_DEVICE_CLASS, count(number)));
    }

    private static long devicesOf(ObjectNode request) {
        return switch (Json.textAt(request, "allocationMode")) {
            case "ExactCount" -> Json.longAt(request, 0, "count");
            case "All" -> MOST_DEVICES;
            default -> 0;
        };
    }

    private static void pod(ObjectNode pod, Instant now, Map<String, Quantity> usage) {
        if (!isLive(pod, now)) {
            return;
        }
        usage.put("pods", ONE);
        usage.putAll(compute(ofPod(pod, "requests"), ofPod(pod, "limits")));
    }

    /** Pods that are done, or whose node has not confirmed their end in time, take nothing but a place in the list. */
    private static boolean isLive(ObjectNode pod, Instant now) {
        String phase = Json.textAt(pod, "status", "phase");
        if (phase.equals("Failed") || phase.equals("Succeeded")) {
            return false;
        }
        String deletion = Json.textAt(pod, "metadata", "deletionTimestamp");
        JsonNode grace = Json.at(pod, "metadata", "deletionGracePeriodSeconds");
        if (deletion.isEmpty() || grace == null) {
            return true;
        }
        try {
            return !now.isAfter(GoTime.parseSeconds(deletion).plusSeconds(grace.longValue()));
        } catch (MalformedException e) {
            return true;
        }
    }

    private static Map<String, Quantity> ofPod(ObjectNode pod, String kind) {
        JsonNode spec = Json.at(pod, "spec");
        Map<String, Quantity> amounts = new LinkedHashMap<>(ResourceLists.ofContainers(spec, kind));
        ResourceLists.read(Json.at(spec, "resources", kind)).forEach((name, amount) -> {
            if (ResourceNames.isPodLevel(name)) {
                amounts.put(name, amount);
            }
        });
        Map<String, Quantity> overhead = ResourceLists.read(Json.at(spec, "overhead"));
        if (kind.equals("limits")) {
            // Overhead counts only where there is a limit that it could exceed.
            overhead.keySet()
                    .removeIf(name -> amounts.getOrDefault(name, Quantity.ZERO).isZero());
        }
        ResourceLists.add(amounts, overhead);
        return amounts;
    }

    /** The names quotas use for what containers ask for. */
    static Map<String, Quantity> compute(Map<String, Quantity> requests, Map<String, Quantity> limits) {
        Map<String, Quantity> usage = new TreeMap<>();
        requests.forEach((name, amount) -> {
            boolean plain =
                    List.of("cpu", "memory", "ephemeral-storage").contains(name) || ResourceNames.isHugePages(name);
            if (plain) {
                usage.put(name, amount);
            }
            if (plain || ResourceNames.isExtended(name)) {
                usage.put("requests." + name, amount);
            }
        });
        for (String name : new String[] {"cpu", "memory", "ephemeral-storage"}) {
            Quantity limit = limits.get(name);
            if (limit != null) {
                usage.put("limits." + name, limit);
            }
        }
        return usage;
    }

    private static void service(ObjectNode service, Map<String, Quantity> usage) {
        String type = Json.textAt(service, "spec", "type");
        JsonNode allocates = Json.at(service, "spec", "allocateLoadBalancerNodePorts");
        boolean onlyGiven = type.equals("LoadBalancer") && allocates != null && !allocates.asBoolean();
        long ports = Nodes.objects(service, "spec", "ports").stream()
                .filter(port -> !onlyGiven || Json.longAt(port, 0, "nodePort") != 0)
                .count();
        boolean exposed = type.equals("NodePort") || type.equals("LoadBalancer");
        usage.put("services", ONE);
        usage.put("services.nodeports", count(exposed ? ports : 0));
        usage.put("services.loadbalancers", count(type.equals("LoadBalancer") ? 1 : 0));
    }

    private static Quantity count(long number) {
        return Quantity.of(number, Quantity.Format.DECIMAL_SI);
    }

    private static void claim(ObjectNode claim, Map<String, Quantity> usage) {
        JsonNode annotation = Json.at(claim, "metadata", "annotations", PersistentVolumeClaimValidation.OLD_CLASS);
        String storageClass = annotation == null ? Json.textAt(claim, "spec", "storageClassName") : annotation.asText();
        usage.put("persistentvolumeclaims", ONE);
        if (!storageClass.isEmpty()) {
            usage.put(storageClass + BY_CLASS + "persistentvolumeclaims", ONE);
        }
        if (!Nodes.has(claim, "spec", "resources", "requests", "storage")) {
            return;
        }
        Quantity storage = Quantity.at(Json.at(claim, "spec", "resources", "requests"), "storage");
        Quantity allocated = Quantity.at(Json.at(claim, "status", "allocatedResources"), "storage");
        Quantity most = allocated.compareTo(storage) > 0 ? allocated : storage;
        Quantity whole = most.milliValue() % 1000 == 0 ? most : Quantity.of(most.value(), most.format());
        usage.put("requests.storage", whole);
        if (!storageClass.isEmpty()) {
            usage.put(storageClass + BY_CLASS + "requests.storage", whole);
        }
    }
}
