package lavaflow.scheduler;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import lavaflow.kube.HostPort;
import lavaflow.kube.Json;
import lavaflow.kube.PodRequests;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What pods that cannot be told apart when choosing a node have in common; worked out once for all of them. */
final class PodClass {
    /** What an empty request counts for when nodes are compared: some pods always use something. */
    private static final long USUAL_CPU = 100;

    private static final long USUAL_MEMORY = 200L << 20;

    private static final List<String> OF_SPEC = List.of(
            "nodeSelector",
            "affinity",
            "tolerations",
            "topologySpreadConstraints",
            "overhead",
            "resources",
            "hostNetwork");

    final ObjectNode key;
    final String namespace;
    final ObjectNode labels;
    /** By column; as long as the last column that is asked for. */
    final long[] requests;

    final long comparedCpu;
    final long comparedMemory;
    final NodeChoice choice;
    final List<HostPort> ports;
    final PodTerms terms;
    final List<String> claims;
    /** Of these, the ones that are made for the pod alone. */
    final List<String> ownClaims;

    /** How many pods there are of it. */
    int pods;
    /** What matters of the whole cluster as of some version; see {@link PodCounts}. */
    PodCounts.@Nullable Concern concern;

    private PodClass(
            ObjectNode key, String namespace, ObjectNode labels, JsonNode spec, Columns columns, NodeChoice choice) {
        this.key = key;
        this.namespace = namespace;
        this.labels = labels;
        this.choice = choice;
        Map<String, Long> needs = PodRequests.of(spec);
        int last = 0;
        for (Map.Entry<String, Long> need : needs.entrySet()) {
            if (need.getValue() > 0) {
                last = Math.max(last, columns.place(need.getKey()) + 1);
            }
        }
        this.requests = new long[last];
        needs.forEach((name, amount) -> {
            if (amount > 0) {
                requests[columns.place(name)] = amount;
            }
        });
        this.comparedCpu = needs.getOrDefault(PodRequests.CPU, 0L) == 0 ? USUAL_CPU : requests[Columns.CPU];
        this.comparedMemory = needs.getOrDefault(PodRequests.MEMORY, 0L) == 0 ? USUAL_MEMORY : requests[Columns.MEMORY];
        this.ports = HostPort.of(spec);
        this.terms = PodTerms.of(namespace, labels, spec);
        this.ownClaims = texts(spec, "ownClaims");
        List<String> all = new ArrayList<>(texts(spec, "claims"));
        all.addAll(ownClaims);
        this.claims = List.copyOf(all);
    }

    /** What tells classes apart; refers to parts of the pod. */
    static ObjectNode key(ObjectNode pod) {
        ObjectNode key = Json.object();
        key.put("namespace", Json.textAt(pod, "metadata", "namespace"));
        JsonNode labels = Json.at(pod, "metadata", "labels");
        if (labels != null) {
            key.set("labels", labels);
        }
        JsonNode spec = Json.at(pod, "spec");
        for (String field : OF_SPEC) {
            JsonNode value = Json.at(spec, field);
            if (value != null) {
                key.set(field, value);
            }
        }
        containers(key, pod, "containers", "containerStatuses");
        containers(key, pod, "initContainers", "initContainerStatuses");
        List<JsonNode> claims = new ArrayList<>();
        List<JsonNode> own = new ArrayList<>();
        for (JsonNode volume : Json.listAt(spec, "volumes")) {
            JsonNode claim = Json.at(volume, "persistentVolumeClaim", "claimName");
            if (claim != null) {
                claims.add(claim);
            } else if (Json.at(volume, "ephemeral") != null) {
                // Its claim is named after the pod.
                own.add(Json.text(Json.textAt(pod, "metadata", "name") + "-" + Json.textAt(volume, "name")));
            }
        }
        if (!claims.isEmpty()) {
            key.putArray("claims").addAll(claims);
        }
        if (!own.isEmpty()) {
            key.putArray("ownClaims").addAll(own);
        }
        return key;
    }

    private static void containers(ObjectNode key, ObjectNode pod, String field, String statuses) {
        var list = Json.array();
        for (JsonNode container : Json.listAt(pod, "spec", field)) {
            ObjectNode kept = list.addObject();
            for (String part : List.of("resources", "ports", "restartPolicy")) {
                JsonNode value = part.equals("resources")
                        ? GrantedResources.of(pod, container, statuses)
                        : Json.at(container, part);
                if (value != null) {
                    kept.set(part, value);
                }
            }
        }
        if (!list.isEmpty()) {
            key.set(field, list);
        }
    }

    /** The class behind a key, which has the form of a spec for this purpose. */
    static PodClass of(ObjectNode key, Columns columns, NodeChoice choice) {
        ObjectNode labels = Json.objectAt(key, "labels");
        return new PodClass(
                key, Json.textAt(key, "namespace"), labels == null ? Json.object() : labels, key, columns, choice);
    }

    private static List<String> texts(JsonNode key, String field) {
        List<String> texts = new ArrayList<>();
        Json.listAt(key, field).forEach(each -> texts.add(each.asText()));
        return List.copyOf(texts);
    }
}
