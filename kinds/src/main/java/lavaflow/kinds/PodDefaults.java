package lavaflow.kinds;

import java.util.List;
import java.util.Map;

import lavaflow.kube.Json;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Defaults of pods that templates do not get, and the forms old clients may send. */
final class PodDefaults {
    private static final List<String> INIT_CONTAINER_ANNOTATIONS = List.of(
            "pod.beta.kubernetes.io/init-containers",
            "pod.alpha.kubernetes.io/init-containers",
            "pod.beta.kubernetes.io/init-container-statuses",
            "pod.alpha.kubernetes.io/init-container-statuses");

    private PodDefaults() {}

    static void apply(ObjectNode pod) {
        ObjectNode spec = Json.ensureObject(pod, "spec");
        for (ObjectNode container : PodSpecs.startedContainers(spec)) {
            requestLimits(container);
        }
        if (spec.get("resources") instanceof ObjectNode resources) {
            limitHugePages(spec, resources);
            requestForPod(spec, resources);
        }
        Nodes.defaultValue(spec, "enableServiceLinks", BooleanNode.TRUE);
        if (Json.flagAt(spec, "hostNetwork")) {
            exposePortsOnHost(PodSpecs.startedContainers(spec));
        }
        if (Json.longAt(spec, 0, "terminationGracePeriodSeconds") < 0) {
            spec.put("terminationGracePeriodSeconds", 1);
        }
        PodSpecDefaults.apply(spec);
        dropInitContainerAnnotations(Json.objectAt(pod, "metadata"));
        if (pod.get("status") instanceof ObjectNode status) {
            applyStatus(status);
        }
    }

    /** A container that limits a resource and says nothing else requests all of it. */
    private static void requestLimits(ObjectNode container) {
        if (!(container.get("resources") instanceof ObjectNode resources)) {
            return;
        }
        Nodes.entries(resources, "limits")
                .forEach((name, amount) -> Nodes.defaultValue(Json.ensureObject(resources, "requests"), name, amount));
    }

    private static void limitHugePages(ObjectNode spec, ObjectNode resources) {
        if (Nodes.emptyAt(resources, "limits") && Nodes.emptyAt(resources, "requests")) {
            return;
        }
        ResourceLists.ofContainers(spec, "limits").forEach((name, amount) -> {
            if (ResourceNames.isHugePages(name) && !Nodes.has(resources, "requests", name)) {
                Nodes.defaultValue(Json.ensureObject(resources, "limits"), name, Json.text(amount.toString()));
            }
        });
    }

    private static void requestForPod(ObjectNode spec, ObjectNode resources) {
        if (Nodes.emptyAt(resources, "limits")) {
            return;
        }
        for (Map.Entry<String, Quantity> sum :
                ResourceLists.ofContainers(spec, "requests").entrySet()) {
            if (ResourceNames.isPodLevel(sum.getKey()) && ResourceNames.isOvercommitAllowed(sum.getKey())) {
                Nodes.defaultValue(
                        Json.ensureObject(resources, "requests"),
                        sum.getKey(),
                        Json.text(sum.getValue().toString()));
            }
        }
        for (Map.Entry<String, JsonNode> limit :
                Nodes.entries(resources, "limits").entrySet()) {
            if (ResourceNames.isPodLevel(limit.getKey())) {
                Nodes.defaultValue(Json.ensureObject(resources, "requests"), limit.getKey(), limit.getValue());
            }
        }
    }

    private static void exposePortsOnHost(List<ObjectNode> containers) {
        for (ObjectNode container : containers) {
            for (ObjectNode port : Nodes.objects(container, "ports")) {
                long number = Json.longAt(port, 0, "containerPort");
                if (number != 0) {
                    Nodes.defaultNonZero(port, "hostPort", number);
                }
            }
        }
    }

    /** Ancient clients keep init containers in annotations, where they would hide changes of the field. */
    static void dropInitContainerAnnotations(@Nullable ObjectNode metadata) {
        if (metadata != null && metadata.get("annotations") instanceof ObjectNode annotations) {
            annotations.remove(INIT_CONTAINER_ANNOTATIONS);
        }
    }

    /** The single address and the list must agree; the single one wins, since old kubelets know only that. */
    private static void applyStatus(ObjectNode status) {
        String single = Json.textAt(status, "podIP");
        ArrayNode all = Json.listAt(status, "podIPs");
        String first = all.isEmpty() ? "" : Json.textAt(all.get(0), "ip");
        if (!single.isEmpty() && !single.equals(first)) {
            status.putArray("podIPs").addObject().put("ip", single);
        } else if (single.isEmpty() && !first.isEmpty()) {
            status.put("podIP", first);
        }
        for (String list : List.of("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses")) {
            for (ObjectNode container : Nodes.objects(status, list)) {
                roundUp(container);
            }
        }
        roundUp(status);
    }

    private static void roundUp(ObjectNode status) {
        ResourceLists.roundUp(status.get("allocatedResources"));
        if (status.get("resources") instanceof ObjectNode resources) {
            ResourceLists.roundUpRequirements(resources);
        }
    }
}
