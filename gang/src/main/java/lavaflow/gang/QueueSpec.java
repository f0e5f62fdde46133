package lavaflow.gang;

import java.time.Instant;
import java.util.Map;

import lavaflow.kube.Json;
import lavaflow.kube.PodRequests;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What scheduling needs to know of a Queue.
 *
 * @param reclaimable whether others may take back what it has above its share
 * @param parent empty where none is named
 * @param state empty for a new one
 * @param affinity node groups, as they are written
 */
public record QueueSpec(
        String name,
        String uid,
        Instant created,
        int weight,
        Map<String, Long> capability,
        Map<String, Long> deserved,
        Map<String, Long> guarantee,
        boolean reclaimable,
        int priority,
        String parent,
        String state,
        ObjectNode affinity,
        ObjectNode annotations) {
    static final String OPEN = "Open";
    static final String ROOT = "root";

    /** Reads an object of the API. */
    public static QueueSpec of(ObjectNode queue) {
        JsonNode metadata = Json.at(queue, "metadata");
        JsonNode spec = Json.at(queue, "spec");
        JsonNode reclaimable = Json.at(spec, "reclaimable");
        return new QueueSpec(
                Json.textAt(metadata, "name"),
                Json.textAt(metadata, "uid"),
                GroupSpec.time(Json.textAt(metadata, "creationTimestamp")),
                (int) Json.longAt(spec, 1, "weight"),
                PodRequests.amounts(Json.at(spec, "capability")),
                PodRequests.amounts(Json.at(spec, "deserved")),
                PodRequests.amounts(Json.at(spec, "guarantee", "resource")),
                reclaimable == null || reclaimable.asBoolean(),
                (int) Json.longAt(spec, 0, "priority"),
                Json.textAt(spec, "parent"),
                Json.textAt(queue, "status", "state"),
                GroupSpec.orEmpty(Json.objectAt(spec, "affinity")),
                GroupSpec.orEmpty(Json.objectAt(metadata, "annotations")));
    }

    /** One that says nothing, open, as if it had just been made. */
    public static QueueSpec plain(String name, Instant created) {
        Map<String, Long> nothing = Map.of();
        return new QueueSpec(
                name, name, created, 1, nothing, nothing, nothing, true, 0, "", OPEN, Json.object(), Json.object());
    }

    public QueueSpec opened() {
        return with(weight, capability, deserved, OPEN);
    }

    public QueueSpec weighing(int other) {
        return with(other, capability, deserved, state);
    }

    public QueueSpec limitedTo(Map<String, Long> other) {
        return with(weight, other, deserved, state);
    }

    public QueueSpec deserving(Map<String, Long> other) {
        return with(weight, capability, other, state);
    }

    private QueueSpec with(
            int itsWeight, Map<String, Long> itsCapability, Map<String, Long> itsDeserved, String itsState) {
        return new QueueSpec(
                name,
                uid,
                created,
                itsWeight,
                itsCapability,
                itsDeserved,
                guarantee,
                reclaimable,
                priority,
                parent,
                itsState,
                affinity,
                annotations);
    }

    public boolean isOpen() {
        return state.isEmpty() || state.equals(OPEN);
    }
}
