package lavaflow.cluster;

import java.util.LinkedHashMap;
import java.util.Map;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** What pods of a StatefulSet and their claims look like, and what keeps their identity. Pure. */
final class StatefulTemplate {
    private final ObjectNode set;

    StatefulTemplate(ObjectNode set) {
        this.set = set;
    }

    String podName(int ordinal) {
        return Objects.name(set) + "-" + ordinal;
    }

    /** A new pod of one version of the template. */
    ObjectNode pod(int ordinal, ObjectNode template, String revision) {
        ObjectNode versioned = set.deepCopy();
        Json.ensureObject(versioned, "spec").set("template", template);
        ObjectNode pod = ReplicaDecisions.pod(versioned);
        ObjectNode metadata = Json.ensureObject(pod, "metadata");
        metadata.put("name", podName(ordinal));
        ObjectNode labels = Json.ensureObject(metadata, "labels");
        labels.setAll(identity(ordinal));
        labels.put(TemplateRevision.POD_LABEL, revision);
        ObjectNode spec = Json.ensureObject(pod, "spec");
        spec.put("hostname", podName(ordinal));
        String service = Json.textAt(set, "spec", "serviceName");
        if (service.isEmpty()) {
            spec.remove("subdomain");
        } else {
            spec.put("subdomain", service);
        }
        ArrayNode volumes = volumes(ordinal, Json.listAt(spec, "volumes"));
        if (!volumes.isEmpty()) {
            spec.set("volumes", volumes);
        }
        return pod;
    }

    /** Labels that say which pod of the set it is. */
    ObjectNode identity(int ordinal) {
        return Json.object()
                .put(StatefulPod.NAME_LABEL, podName(ordinal))
                .put(StatefulPod.INDEX_LABEL, Integer.toString(ordinal));
    }

    boolean identityMatches(StatefulPod pod) {
        // Upstream looks at one label, and writes both once that one is wrong.
        return Json.textAt(pod.state().labels(), StatefulPod.NAME_LABEL).equals(pod.name());
    }

    boolean storageMatches(StatefulPod pod) {
        Map<String, String> wanted = claimNames(pod.ordinal());
        return wanted.entrySet().stream()
                .allMatch(each -> each.getValue().equals(pod.claims().get(each.getKey())));
    }

    /** The volumes of a pod with those of the set's claims, which come before others and instead of their namesakes. */
    ArrayNode volumes(int ordinal, ArrayNode others) {
        Map<String, String> claims = claimNames(ordinal);
        ArrayNode volumes = Json.array();
        claims.forEach((volume, claim) -> volumes.addObject()
                .put("name", volume)
                .putObject("persistentVolumeClaim")
                .put("claimName", claim));
        for (JsonNode other : others) {
            if (!claims.containsKey(Json.textAt(other, "name"))) {
                volumes.add(other.deepCopy());
            }
        }
        return volumes;
    }

    /** Names of a pod's claims by the names of its volumes. */
    Map<String, String> claimNames(int ordinal) {
        Map<String, String> names = new LinkedHashMap<>();
        for (JsonNode template : Json.listAt(set, "spec", "volumeClaimTemplates")) {
            String volume = Json.textAt(template, "metadata", "name");
            names.put(volume, volume + "-" + podName(ordinal));
        }
        return names;
    }

    /** The claim of a volume as it is made when missing. */
    ObjectNode claim(int ordinal, String volume) {
        ObjectNode claim = Json.object();
        for (JsonNode template : Json.listAt(set, "spec", "volumeClaimTemplates")) {
            if (Json.textAt(template, "metadata", "name").equals(volume)) {
                claim = template.deepCopy();
            }
        }
        claim.remove("status");
        ObjectNode metadata = Json.ensureObject(claim, "metadata");
        metadata.put("name", volume + "-" + podName(ordinal));
        metadata.put("namespace", Objects.namespace(set));
        ObjectNode shared = Json.objectAt(set, "spec", "selector", "matchLabels");
        if (shared != null) {
            Json.ensureObject(metadata, "labels").setAll(shared.deepCopy());
        }
        return claim;
    }
}
