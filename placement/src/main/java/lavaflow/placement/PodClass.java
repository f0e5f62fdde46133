package lavaflow.placement;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.kube.HostPort;
import lavaflow.kube.Json;
import lavaflow.kube.PodRequests;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What pods that cannot be told apart when choosing a node have in common; worked out once for all of them. */
public final class PodClass {
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

    private static final Set<String> SPREADING = Set.of("ReplicaSet", "ReplicationController", "StatefulSet");

    final ObjectNode key;
    public final String namespace;
    public final ObjectNode labels;
    /** By column; as long as the last column that is asked for. */
    public final long[] requests;

    /** The same as something that can be compared. */
    public final List<Long> demand;

    final long comparedCpu;
    final long comparedMemory;
    public final NodeChoice choice;
    final List<HostPort> ports;
    public final PodTerms terms;
    /** The uid of who has it spread unless it says how; empty if nobody does. */
    final String owner;

    public final List<String> claims;
    /** What its containers run, with a tag each. */
    public final List<String> images;

    /** Of these claims, the ones that are made for the pod alone. */
    final List<String> ownClaims;

    /** Claims of devices. */
    final List<PodClaim> devices;

    /** Resources that devices may stand for. */
    final List<String> extended;

    /** What whoever decides keeps for all pods of it; null as long as nothing. */
    public @Nullable Object kept;

    /** How many pods there are of it. */
    public int pods;
    /** What matters of the whole cluster as of some version; see {@link PodCounts}. */
    PodCounts.@Nullable Concern concern;
    /** Which services it has, likewise; see {@link Crowds}. */
    @Nullable
    Service service;

    /**
     * What services of a pod select.
     *
     * @param pods null where there are none
     */
    record Service(int generation, @Nullable PodSet pods) {}

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
        this.extended = needs.entrySet().stream()
                .filter(need -> need.getValue() > 0 && isExtended(need.getKey()))
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
        this.demand = Arrays.stream(requests).boxed().toList();
        this.comparedCpu = needs.getOrDefault(PodRequests.CPU, 0L) == 0 ? USUAL_CPU : requests[Columns.CPU];
        this.comparedMemory = needs.getOrDefault(PodRequests.MEMORY, 0L) == 0 ? USUAL_MEMORY : requests[Columns.MEMORY];
        this.ports = HostPort.of(spec);
        this.terms = PodTerms.of(namespace, labels, spec);
        this.owner = Json.textAt(spec, "owner");
        this.ownClaims = texts(spec, "ownClaims");
        List<String> all = new ArrayList<>(texts(spec, "claims"));
        all.addAll(ownClaims);
        this.claims = List.copyOf(all);
        this.devices = PodClaim.listOf(Json.listAt(spec, "devices"));
        List<String> run = new ArrayList<>();
        for (String field : List.of("initContainers", "containers")) {
            for (JsonNode container : Json.listAt(spec, field)) {
                String image = Json.textAt(container, "image");
                run.add(image.isEmpty() ? "" : ImageTable.complete(image).intern());
            }
        }
        this.images = List.copyOf(run);
    }

    /** Whether it asks nothing of its neighbours, for no port, no volume and no device. */
    public boolean asksOnlyForRoom() {
        return ports.isEmpty() && terms.isEmpty() && claims.isEmpty() && devices.isEmpty();
    }

    /** Whether it has claims of devices, or asks for something that devices may stand for. */
    public boolean mayNeedDevices() {
        return !devices.isEmpty() || !extended.isEmpty();
    }

    private static boolean isExtended(String resource) {
        return resource.indexOf('/') >= 0;
    }

    /** Whether it uses a claim of devices, by namespace and name. */
    public boolean usesDevicesOf(String claim) {
        return devices.stream().anyMatch(each -> claim.equals(namespace + "/" + each.name()));
    }

    /** Containers and what else its pods have in common, in the form of a spec; not to be changed. */
    public ObjectNode spec() {
        return key;
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
        String owner = owner(pod);
        if (!owner.isEmpty()) {
            key.put("owner", owner);
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
        ArrayNode devices = PodClaim.key(pod);
        if (!devices.isEmpty()) {
            key.set("devices", devices);
        }
        return key;
    }

    private static String owner(ObjectNode pod) {
        if (!Json.listAt(pod, "spec", "topologySpreadConstraints").isEmpty()) {
            return "";
        }
        for (JsonNode reference : Json.listAt(pod, "metadata", "ownerReferences")) {
            if (Json.flagAt(reference, "controller")) {
                return SPREADING.contains(Json.textAt(reference, "kind")) ? Json.textAt(reference, "uid") : "";
            }
        }
        return "";
    }

    private static void containers(ObjectNode key, ObjectNode pod, String field, String statuses) {
        var list = Json.array();
        for (JsonNode container : Json.listAt(pod, "spec", field)) {
            ObjectNode kept = list.addObject();
            for (String part : List.of("resources", "ports", "restartPolicy", "image")) {
                JsonNode value = part.equals("resources")
                        ? GrantedResources.of(pod, container, statuses)
                        : Json.at(container, part);
                if (value != null) {
                    kept.set(part, value);
                }
            }
            ObjectNode requests = Json.objectAt(container, "resources", "requests");
            if (requests != null && requests.propertyStream().anyMatch(each -> isExtended(each.getKey()))) {
                // Who uses which devices is told by name.
                kept.put("name", Json.textAt(container, "name"));
            }
        }
        if (!list.isEmpty()) {
            key.set(field, list);
        }
    }

    /** The most that its containers may use of a resource together, as far as they say. */
    public long limit(String resource) {
        long sum = 0;
        for (JsonNode container : Json.listAt(key, "containers")) {
            sum += PodRequests.amounts(Json.at(container, "resources", "limits"))
                    .getOrDefault(resource, 0L);
        }
        return sum;
    }

    /** What pods of it are labelled with. */
    public ObjectNode labels() {
        return labels;
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
