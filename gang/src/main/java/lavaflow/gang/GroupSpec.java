package lavaflow.gang;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import lavaflow.kube.GoTime;
import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;
import lavaflow.kube.PodRequests;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What scheduling needs to know of a PodGroup.
 *
 * @param queue the usual one where it names none
 * @param minTaskMember the least number of pods by role
 * @param minResources null where nothing is said, which lets it in at once
 * @param phase empty for a new one
 * @param topology where it may be in the network, as it is written; null if anywhere
 * @param subGroups its parts, as they are written
 */
public record GroupSpec(
        String namespace,
        String name,
        String uid,
        Instant created,
        String queue,
        int minMember,
        Map<String, Integer> minTaskMember,
        @Nullable Map<String, Long> minResources,
        String priorityClass,
        String phase,
        @Nullable ObjectNode topology,
        List<JsonNode> subGroups,
        ObjectNode annotations,
        ObjectNode labels,
        boolean deleting) {
    public static final String USUAL_QUEUE = "default";

    /** Reads an object of the API. */
    public static GroupSpec of(ObjectNode group) {
        JsonNode metadata = Json.at(group, "metadata");
        JsonNode spec = Json.at(group, "spec");
        Map<String, Integer> minTaskMember = new LinkedHashMap<>();
        ObjectNode byRole = Json.objectAt(spec, "minTaskMember");
        if (byRole != null) {
            byRole.properties()
                    .forEach(each ->
                            minTaskMember.put(each.getKey(), each.getValue().asInt()));
        }
        JsonNode minResources = Json.at(spec, "minResources");
        String queue = Json.textAt(spec, "queue");
        return new GroupSpec(
                Json.textAt(metadata, "namespace"),
                Json.textAt(metadata, "name"),
                Json.textAt(metadata, "uid"),
                time(Json.textAt(metadata, "creationTimestamp")),
                queue.isEmpty() ? USUAL_QUEUE : queue,
                (int) Json.longAt(spec, 0, "minMember"),
                minTaskMember,
                minResources == null ? null : PodRequests.amounts(minResources),
                Json.textAt(spec, "priorityClassName"),
                Json.textAt(group, "status", "phase"),
                Json.objectAt(spec, "networkTopology"),
                List.copyOf(Json.listAt(spec, "subGroupPolicy").valueStream().toList()),
                orEmpty(Json.objectAt(metadata, "annotations")),
                orEmpty(Json.objectAt(metadata, "labels")),
                Json.at(metadata, "deletionTimestamp") != null);
    }

    static ObjectNode orEmpty(@Nullable ObjectNode object) {
        return object == null ? Json.object() : object;
    }

    static Instant time(String text) {
        try {
            return GoTime.parseSeconds(text);
        } catch (MalformedException e) {
            return Instant.EPOCH;
        }
    }

    /** Whether another differs in nothing but how far it is. */
    boolean saysTheSame(GroupSpec other) {
        return in(other.phase).equals(other);
    }

    /** The same in another phase. */
    GroupSpec in(String other) {
        return with(minMember, minTaskMember, other);
    }

    /** The same with other minima. */
    public GroupSpec needing(int pods, Map<String, Integer> byRole) {
        return with(pods, byRole, phase);
    }

    private GroupSpec with(int itsMinMember, Map<String, Integer> itsMinTaskMember, String itsPhase) {
        return new GroupSpec(
                namespace,
                name,
                uid,
                created,
                queue,
                itsMinMember,
                itsMinTaskMember,
                minResources,
                priorityClass,
                itsPhase,
                topology,
                subGroups,
                annotations,
                labels,
                deleting);
    }

    public String key() {
        return namespace + "/" + name;
    }

    /** An annotation or, where there is none, the label of that name; empty if neither. */
    public String mark(String key) {
        String annotation = Json.textAt(annotations, key);
        return annotation.isEmpty() ? Json.textAt(labels, key) : annotation;
    }
}
