package lavaflow.gang;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import lavaflow.kube.Json;
import lavaflow.kube.PodRequests;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What plugins look at besides nodes, queues and pods: quotas of namespaces, and how much of nodes is really used. */
public final class Surroundings {
    /** How much a namespace may have, by the names of resources, and how much of that it has. */
    public record Quota(String namespace, String name, Map<String, Long> hard, Map<String, Long> used) {
        /** Reads a ResourceQuota as the API tells it. */
        public static Quota of(ObjectNode object) {
            return new Quota(
                    Json.textAt(object, "metadata", "namespace"),
                    Json.textAt(object, "metadata", "name"),
                    PodRequests.amounts(Json.at(object, "status", "hard")),
                    PodRequests.amounts(Json.at(object, "status", "used")));
        }
    }

    /**
     * How much of a node was in use on average over the last ten minutes.
     *
     * @param processors in percent of what it has
     * @param memory likewise
     */
    public record Usage(Instant measured, double processors, double memory) {}

    private final Map<String, Map<String, Quota>> quotas = new HashMap<>();
    private final Map<String, Usage> usages = new HashMap<>();
    private final Map<String, Integer> priorities = new LinkedHashMap<>();

    public void put(Quota quota) {
        quotas.computeIfAbsent(quota.namespace, _ -> new TreeMap<>()).put(quota.name, quota);
    }

    public void removeQuota(String namespace, String name) {
        Map<String, Quota> own = quotas.get(namespace);
        if (own != null && own.remove(name) != null && own.isEmpty()) {
            quotas.remove(namespace);
        }
    }

    /** Those of a namespace, by name. */
    public List<Quota> quotas(String namespace) {
        return new ArrayList<>(quotas.getOrDefault(namespace, Map.of()).values());
    }

    /** All of them. */
    List<Quota> quotas() {
        return quotas.values().stream().flatMap(own -> own.values().stream()).toList();
    }

    Map<String, Usage> usages() {
        return new HashMap<>(usages);
    }

    /** How much of a node is in use; null if nobody knows any more. */
    public void put(String node, @Nullable Usage usage) {
        if (usage == null) {
            usages.remove(node);
        } else {
            usages.put(node, usage);
        }
    }

    /** Null where nobody has measured. */
    public @Nullable Usage usage(String node) {
        return usages.get(node);
    }

    void putPriority(String name, int value) {
        priorities.put(name, value);
    }

    void removePriority(String name) {
        priorities.remove(name);
    }

    /** The values of priority classes, by name. */
    public Map<String, Integer> priorities() {
        return Collections.unmodifiableMap(priorities);
    }
}
