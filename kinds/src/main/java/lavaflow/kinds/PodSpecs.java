package lavaflow.kinds;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Names of parts of a pod's spec, and ways to walk them. */
final class PodSpecs {
    static final List<String> CONTAINER_LISTS = List.of("initContainers", "containers", "ephemeralContainers");
    static final List<String> PROBES = List.of("livenessProbe", "readinessProbe", "startupProbe");

    private PodSpecs() {}

    static List<ObjectNode> containers(@Nullable JsonNode spec) {
        return Nodes.objects(spec, "containers");
    }

    static List<ObjectNode> initContainers(@Nullable JsonNode spec) {
        return Nodes.objects(spec, "initContainers");
    }

    /** Containers and init containers: those that may have resources. */
    static List<ObjectNode> startedContainers(@Nullable JsonNode spec) {
        List<ObjectNode> all = new ArrayList<>(containers(spec));
        all.addAll(initContainers(spec));
        return all;
    }

    /** Every container, as upstream visits them. */
    static List<ObjectNode> allContainers(@Nullable JsonNode spec) {
        List<ObjectNode> all = new ArrayList<>();
        for (String list : CONTAINER_LISTS) {
            all.addAll(Nodes.objects(spec, list));
        }
        return all;
    }

    /** Every container with its place, as upstream visits them. */
    static void visit(ObjectNode spec, FieldPath specPath, BiConsumer<ObjectNode, FieldPath> visitor) {
        for (String list : CONTAINER_LISTS) {
            List<ObjectNode> containers = Nodes.objects(spec, list);
            for (int i = 0; i < containers.size(); i++) {
                visitor.accept(containers.get(i), specPath.child(list).index(i));
            }
        }
    }

    /** Whether an init container keeps running beside the main ones (a sidecar). */
    static boolean restartable(@Nullable JsonNode initContainer) {
        return Json.textAt(initContainer, "restartPolicy").equals("Always");
    }
}
