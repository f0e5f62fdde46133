package lavaflow.cluster;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import lavaflow.controller.Followers;
import lavaflow.controller.Mirror;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What those who watch over nodes look at in a pod.
 *
 * @param node where it is, empty for nowhere
 */
record NodePod(
        String namespace,
        String name,
        String uid,
        String node,
        String phase,
        boolean ready,
        boolean evicted,
        boolean deleting,
        Instant created,
        List<Toleration> tolerations) {

    /**
     * What a pod puts up with.
     *
     * @param seconds for how long, null for ever
     */
    record Toleration(
            String key,
            String operator,
            String value,
            String effect,
            @Nullable Long seconds) {
        static Toleration of(JsonNode json) {
            JsonNode seconds = Json.at(json, "tolerationSeconds");
            return new Toleration(
                    Json.textAt(json, "key"),
                    Json.textAt(json, "operator"),
                    Json.textAt(json, "value"),
                    Json.textAt(json, "effect"),
                    seconds == null ? null : seconds.longValue());
        }

        boolean tolerates(NodeState.Taint taint) {
            if (!effect.isEmpty() && !effect.equals(taint.effect())) {
                return false;
            }
            if (!key.isEmpty() && !key.equals(taint.key())) {
                return false;
            }
            return switch (operator) {
                case "", "Equal" -> value.equals(taint.value());
                case "Exists" -> true;
                default -> false;
            };
        }
    }

    /** Most pods have the same few tolerations; one list of each is enough. */
    private static final class Shared {
        private static final int MOST = 1024;
        private final Map<List<Toleration>, List<Toleration>> lists = new ConcurrentHashMap<>();

        List<Toleration> of(ObjectNode pod) {
            List<Toleration> list = new ArrayList<>();
            Json.listAt(pod, "spec", "tolerations").forEach(each -> list.add(Toleration.of(each)));
            if (lists.size() >= MOST) {
                lists.clear();
            }
            return lists.computeIfAbsent(List.copyOf(list), same -> same);
        }
    }

    static Mirror<NodePod> mirror(Followers followers) {
        Shared shared = new Shared();
        return new Mirror<>(followers, ReplicaControllers.PODS, pod -> of(pod, shared), pod -> List.of(on(pod.node())));
    }

    /** The word under which the mirror finds the pods of a node. */
    static String on(String node) {
        return "on " + node;
    }

    private static NodePod of(ObjectNode pod, Shared shared) {
        return new NodePod(
                Objects.namespace(pod),
                Objects.name(pod),
                Objects.uid(pod),
                Json.textAt(pod, "spec", "nodeName"),
                Json.textAt(pod, "status", "phase"),
                PodState.of(pod).isReady(),
                Json.textAt(pod, "status", "reason").equals("Evicted"),
                Objects.isDeleting(pod),
                PodState.time(Json.textAt(pod, "metadata", "creationTimestamp")),
                shared.of(pod));
    }

    boolean isFinished() {
        return phase.equals("Succeeded") || phase.equals("Failed");
    }

    ReplicaControllers.Key key() {
        return new ReplicaControllers.Key(namespace, name);
    }
}
