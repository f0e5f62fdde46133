package lavaflow.node;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import lavaflow.kube.HostPort;
import lavaflow.kube.Json;
import lavaflow.kube.NodeAffinity;
import lavaflow.kube.PodRequests;
import lavaflow.kube.Taint;
import lavaflow.kube.Toleration;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What the pods of a node have taken of it, and whether another one fits. Thread-safe. */
public final class NodeClaims {
    /** Why a node does not take a pod. */
    public record Refusal(String reason, String message) {}

    /** What a pod has of its node for itself. */
    private record Claim(Map<String, Long> needs, List<HostPort> ports) {
        static Claim of(@Nullable JsonNode spec) {
            Map<String, Long> needs = new LinkedHashMap<>(PodRequests.of(spec));
            needs.put("pods", 1L);
            return new Claim(needs, HostPort.of(spec));
        }
    }

    /** By uid. */
    private final Map<String, Claim> admitted = new LinkedHashMap<>();

    /** Takes a pod in, or says why not. */
    public synchronized @Nullable Refusal admit(ObjectNode node, ObjectNode pod) {
        JsonNode spec = Json.at(pod, "spec");
        NodeAffinity affinity = NodeAffinity.of(spec);
        if (!affinity.accepts(Json.textAt(node, "metadata", "name"), Json.at(node, "metadata", "labels"))) {
            return rejected(
                    "NodeAffinity", "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector");
        }
        for (Taint taint : Taint.of(node)) {
            if (taint.effect().equals(Taint.NO_EXECUTE) && !Toleration.anyTolerates(Toleration.of(spec), taint)) {
                return rejected(
                        "TaintToleration", "Predicate TaintToleration failed: node(s) had untolerated taint(s)");
            }
        }
        String uid = Json.textAt(pod, "metadata", "uid");
        Claim claim = Claim.of(spec);
        Refusal refusal = refusal(uid, claim, PodRequests.amounts(Json.at(node, "status", "allocatable")));
        if (refusal == null) {
            admitted.put(uid, claim);
        }
        return refusal;
    }

    private @Nullable Refusal refusal(String uid, Claim claim, Map<String, Long> allocatable) {
        for (Map.Entry<String, Long> need : claim.needs().entrySet()) {
            long capacity = allocatable.getOrDefault(need.getKey(), 0L);
            long used = used(uid, need.getKey());
            if (need.getValue() > 0 && need.getValue() > capacity - used) {
                return rejected(
                        "OutOf" + need.getKey(),
                        "Node didn't have enough resource: " + need.getKey() + ", requested: " + need.getValue()
                                + ", used: " + used + ", capacity: " + capacity);
            }
        }
        boolean portTaken = admitted.entrySet().stream()
                .filter(each -> !each.getKey().equals(uid))
                .flatMap(each -> each.getValue().ports().stream())
                .anyMatch(port -> claim.ports().stream().anyMatch(port::conflicts));
        return portTaken
                ? rejected(
                        "NodePorts",
                        "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports")
                : null;
    }

    private long used(String except, String resource) {
        return admitted.entrySet().stream()
                .filter(each -> !each.getKey().equals(except))
                .mapToLong(each -> each.getValue().needs().getOrDefault(resource, 0L))
                .sum();
    }

    /** What all others than a pod have taken of a resource. */
    public synchronized long takenByOthers(String uid, String resource) {
        return used(uid, resource);
    }

    private static Refusal rejected(String reason, String message) {
        return new Refusal(reason, "Pod was rejected: " + message);
    }

    /** A pod that was taken in before this process began, or needs something else now. */
    public synchronized void readmit(ObjectNode pod) {
        admitted.put(Json.textAt(pod, "metadata", "uid"), Claim.of(Json.at(pod, "spec")));
    }

    /** A pod has ended: what it needed is free again. */
    public synchronized void release(String uid) {
        admitted.remove(uid);
    }
}
