package lavaflow.cluster;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;

import lavaflow.controller.KubeApi;
import lavaflow.kube.GoText;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * One version of the pod template of a StatefulSet or DaemonSet, as a ControllerRevision keeps it.
 *
 * @param labels {@code metadata.labels}, maybe empty
 * @param owner the controlling owner, null for an orphan
 * @param number where it stands in history; going back to a version gives it a new number
 * @param data the patch that brings the template back, as upstream writes it: versions are told apart by this text
 */
record TemplateRevision(
        String namespace,
        String name,
        String uid,
        ObjectNode labels,
        PodState.@Nullable OwnerRef owner,
        long number,
        Instant created,
        String data) {
    static final KubeApi.Kind KIND = new KubeApi.Kind("apps", "v1", "controllerrevisions", true);

    /** On pods: which version they are of. */
    static final String POD_LABEL = "controller-revision-hash";

    static final Comparator<TemplateRevision> OLDEST_FIRST = Comparator.comparingLong(TemplateRevision::number)
            .thenComparing(TemplateRevision::created)
            .thenComparing(TemplateRevision::name);

    private static final int MAX_PREFIX = 223;

    static TemplateRevision of(ObjectNode revision) {
        ObjectNode labels = Json.objectAt(revision, "metadata", "labels");
        JsonNode data = Json.at(revision, "data");
        return new TemplateRevision(
                Objects.namespace(revision),
                Objects.name(revision),
                Objects.uid(revision),
                labels == null ? Json.object() : labels,
                PodState.OwnerRef.of(revision),
                Json.longAt(revision, 0, "revision"),
                PodState.time(Json.textAt(revision, "metadata", "creationTimestamp")),
                data == null ? "" : GoText.json(data));
    }

    /** Words under which a mirror finds revisions: those of an owner, and the orphans of a namespace. */
    List<String> words() {
        return List.of(owner == null ? PodState.orphansOf(namespace) : owner.uid());
    }

    /** The template that was. */
    ObjectNode template() {
        ObjectNode template = Json.objectAt(Json.parse(data), "spec", "template");
        ObjectNode copy = template == null ? Json.object() : template.deepCopy();
        copy.remove("$patch");
        return copy;
    }

    /** The patch that would bring the template of a set back. */
    static ObjectNode dataOf(ObjectNode set) {
        ObjectNode data = Json.object();
        ObjectNode template = Json.ensureObject(data, "spec", "template");
        template.put("$patch", "replace");
        ObjectNode present = Json.objectAt(set, "spec", "template");
        if (present != null) {
            template.setAll(present.deepCopy());
        }
        // Canonical: names in the order of the alphabet.
        return (ObjectNode) Json.parse(GoText.json(data));
    }

    /**
     * Upstream's short name for a version: the hash of the patch as it is written.
     *
     * @param collisions how often the name was taken by something else
     */
    static String hash(String data, long collisions) {
        int hash = 0x811c9dc5;
        for (byte each : (data + collisions).getBytes(StandardCharsets.UTF_8)) {
            hash = (hash * 0x01000193) ^ (each & 0xff);
        }
        return TemplateHash.spell(hash);
    }

    /** The name of a version of a set. */
    static String nameOf(String set, String hash) {
        return set.substring(0, Math.min(set.length(), MAX_PREFIX)) + "-" + hash;
    }
}
