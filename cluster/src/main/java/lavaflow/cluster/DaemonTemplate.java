package lavaflow.cluster;

import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** What pods of a DaemonSet look like. Pure. */
final class DaemonTemplate {
    /** On pods: how often the template had changed. Older than the hash, and still there. */
    static final String GENERATION_LABEL = "pod-template-generation";

    private static final String GENERATION = "deprecated.daemonset.template.generation";

    private static final List<String[]> TOLERATED = List.of(
            new String[] {"node.kubernetes.io/not-ready", "NoExecute"},
            new String[] {"node.kubernetes.io/unreachable", "NoExecute"},
            new String[] {"node.kubernetes.io/disk-pressure", "NoSchedule"},
            new String[] {"node.kubernetes.io/memory-pressure", "NoSchedule"},
            new String[] {"node.kubernetes.io/pid-pressure", "NoSchedule"},
            new String[] {"node.kubernetes.io/unschedulable", "NoSchedule"});

    private DaemonTemplate() {}

    /** How often the template of a set has changed, empty if that is not known. */
    static String generation(ObjectNode set) {
        String text = Json.textAt(set, "metadata", "annotations", GENERATION);
        return text.chars().allMatch(c -> c >= '0' && c <= '9') ? text : "";
    }

    /** A pod as it would be on any node. */
    static ObjectNode pod(ObjectNode set, String hash) {
        ObjectNode pod = ReplicaDecisions.pod(set);
        ObjectNode labels = Json.ensureObject(pod, "metadata", "labels");
        String generation = generation(set);
        if (!generation.isEmpty()) {
            labels.put(GENERATION_LABEL, generation);
        }
        labels.put(TemplateRevision.POD_LABEL, hash);
        addTolerations(Json.ensureObject(pod, "spec"));
        return pod;
    }

    /** The same pod for one node; the scheduler does the rest. What the template required of nodes was asked before. */
    static ObjectNode podFor(ObjectNode pod, String node) {
        ObjectNode placed = pod.deepCopy();
        ObjectNode required = Json.ensureObject(
                placed, "spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution");
        required.putArray("nodeSelectorTerms")
                .addObject()
                .putArray("matchFields")
                .addObject()
                .put("key", "metadata.name")
                .put("operator", "In")
                .putArray("values")
                .add(node);
        return placed;
    }

    /** Daemons are there before a node is ready and stay while it is in trouble. */
    static void addTolerations(ObjectNode spec) {
        ArrayNode tolerations = Json.listAt(spec, "tolerations").deepCopy();
        for (String[] each : TOLERATED) {
            add(tolerations, each[0], each[1]);
        }
        if (Json.flagAt(spec, "hostNetwork")) {
            add(tolerations, "node.kubernetes.io/network-unavailable", "NoSchedule");
        }
        spec.set("tolerations", tolerations);
    }

    /** Instead of one for the same taint, which may have set a limit. */
    private static void add(ArrayNode tolerations, String key, String effect) {
        ObjectNode added =
                Json.object().put("key", key).put("operator", "Exists").put("effect", effect);
        for (int i = 0; i < tolerations.size(); i++) {
            JsonNode present = tolerations.get(i);
            if (Json.textAt(present, "key").equals(key)
                    && Json.textAt(present, "operator").equals("Exists")
                    && Json.textAt(present, "effect").equals(effect)
                    && Json.textAt(present, "value").isEmpty()) {
                tolerations.set(i, added);
                return;
            }
        }
        tolerations.add(added);
    }
}
