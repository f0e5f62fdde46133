package lavaflow.batch;

import java.time.Instant;
import java.util.List;
import java.util.Map;

import lavaflow.kinds.QuotaUsage;
import lavaflow.kube.Json;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** The PodGroup that is made for a pod that has none, as a function of the pod and of what made the pod. */
final class PodGroupForm {
    private static final String PREFIX = "podgroup-";
    private static final String REQUESTS = "requests.";
    private static final String VOLCANO = "volcano.sh/";
    private static final String TOPOLOGY_MODE = "volcano.sh/network-topology-mode";
    private static final String HIGHEST_TIER = "volcano.sh/network-topology-highest-tier";

    /** What a pod says of the whole it belongs to. */
    private static final List<String> OF_THE_POD = List.of(
            "volcano.sh/preemptable",
            "volcano.sh/cooldown-time",
            "volcano.sh/revocable-zone",
            "volcano.sh/jdb-min-available",
            "volcano.sh/jdb-max-unavailable");

    private static final List<String> LABELS_OF_THE_POD = List.of("volcano.sh/preemptable", "volcano.sh/cooldown-time");

    private PodGroupForm() {}

    /** The name of the group of everything an owner makes, or of one pod. */
    static String name(String uid) {
        return PREFIX + uid;
    }

    static String nameFor(ObjectNode pod) {
        JsonNode controller = controller(pod);
        return name(controller == null ? Batch.uid(pod) : Json.textAt(controller, "uid"));
    }

    /** The reference to what made an object; null if nothing did. */
    static @Nullable JsonNode controller(ObjectNode object) {
        for (JsonNode reference : Json.listAt(object, "metadata", "ownerReferences")) {
            if (reference.path("controller").asBoolean()) {
                return reference;
            }
        }
        return null;
    }

    /** @param owner what made the pod, where its annotations count; null otherwise */
    static ObjectNode of(ObjectNode pod, @Nullable ObjectNode owner, Instant now) {
        ObjectNode group = Batch.named(Batch.POD_GROUPS, "PodGroup", nameFor(pod));
        ObjectNode metadata = Json.ensureObject(group, "metadata");
        metadata.put("namespace", Batch.namespace(pod));
        metadata.putArray("ownerReferences").add(ownerReference(pod));
        ObjectNode annotations = annotations(pod, owner);
        if (!annotations.isEmpty()) {
            metadata.set("annotations", annotations);
        }
        ObjectNode labels = labels(pod);
        if (!labels.isEmpty()) {
            metadata.set("labels", labels);
        }
        long minMember = minMember(owner);
        ObjectNode spec = group.putObject("spec");
        spec.put("minMember", minMember);
        String queue = Batch.annotation(pod, Batch.QUEUE_NAME);
        if (!queue.isEmpty()) {
            spec.put("queue", queue);
        }
        String priority = Json.textAt(pod, "spec", "priorityClassName");
        if (!priority.isEmpty()) {
            spec.put("priorityClassName", priority);
        }
        spec.set("minResources", minResources(pod, minMember, now));
        ObjectNode topology = topology(pod);
        if (topology != null) {
            spec.set("networkTopology", topology);
        }
        group.putObject("status").put("phase", "Pending");
        return group;
    }

    /** What makes the group go with what it was made for. */
    private static JsonNode ownerReference(ObjectNode pod) {
        JsonNode controller = controller(pod);
        if (controller != null) {
            return controller.deepCopy();
        }
        return Json.object()
                .put("apiVersion", "v1")
                .put("kind", "Pod")
                .put("name", Batch.name(pod))
                .put("uid", Batch.uid(pod))
                .put("controller", true)
                .put("blockOwnerDeletion", true);
    }

    private static ObjectNode annotations(ObjectNode pod, @Nullable ObjectNode owner) {
        ObjectNode annotations = Json.object();
        JsonNode inherited = Json.at(owner, "metadata", "annotations");
        if (inherited != null) {
            inherited.properties().forEach(each -> {
                if (each.getKey().startsWith(VOLCANO)) {
                    annotations.set(each.getKey(), each.getValue());
                }
            });
        }
        for (String key : OF_THE_POD) {
            JsonNode said = Json.at(pod, "metadata", "annotations", key);
            if (said != null) {
                annotations.set(key, said);
            }
        }
        return annotations;
    }

    private static ObjectNode labels(ObjectNode pod) {
        ObjectNode labels = Json.object();
        for (String key : LABELS_OF_THE_POD) {
            JsonNode said = Json.at(pod, "metadata", "labels", key);
            if (said != null) {
                labels.set(key, said);
            }
        }
        return labels;
    }

    /** How many pods must run at once; one where nobody says so, or says nonsense. */
    static long minMember(@Nullable ObjectNode owner) {
        String said = owner == null ? "" : Batch.annotation(owner, Batch.GROUP_MIN_MEMBER);
        try {
            int number = Integer.parseInt(said);
            return number < 0 ? 1 : number;
        } catch (NumberFormatException _) {
            return 1;
        }
    }

    /** What the size of a set of pods means for its group. */
    static ObjectNode sized(ObjectNode set, Instant now) {
        long minMember = minMember(set);
        ObjectNode pod = Json.object();
        JsonNode spec = Json.at(set, "spec", "template", "spec");
        pod.set("spec", spec == null ? Json.object() : spec);
        ObjectNode sized = Json.object();
        sized.put("minMember", minMember);
        sized.set("minResources", minResources(pod, minMember, now));
        return sized;
    }

    private static ObjectNode minResources(ObjectNode pod, long minMember, Instant now) {
        ObjectNode resources = Json.object();
        Map<String, Quantity> usage = QuotaUsage.of("", "pods", pod, now);
        // Devices have no name of their own among quotas, and here they do.
        for (String name : List.copyOf(usage.keySet())) {
            if (name.startsWith(REQUESTS)) {
                usage.putIfAbsent(name.substring(REQUESTS.length()), usage.getOrDefault(name, Quantity.ZERO));
            }
        }
        usage.forEach(
                (name, amount) -> resources.put(name, times(amount, minMember).toString()));
        return resources;
    }

    private static Quantity times(Quantity amount, long count) {
        Quantity product = Quantity.of(0, amount.format());
        Quantity doubled = amount;
        for (long rest = count; rest > 0; rest >>= 1) {
            if ((rest & 1) == 1) {
                product = product.plus(doubled);
            }
            doubled = doubled.plus(doubled);
        }
        return product;
    }

    /** Where in the network the pods may be, as the pod says; null if anywhere. */
    private static @Nullable ObjectNode topology(ObjectNode pod) {
        String mode = Batch.annotation(pod, TOPOLOGY_MODE);
        String tier = Batch.annotation(pod, HIGHEST_TIER);
        if (mode.isEmpty() && tier.isEmpty()) {
            return null;
        }
        ObjectNode topology = Json.object();
        topology.put("mode", mode.isEmpty() ? "hard" : mode);
        try {
            topology.put("highestTierAllowed", Integer.parseInt(tier));
        } catch (NumberFormatException _) {
            // Without a tier every one is allowed.
        }
        return topology;
    }
}
