package lavaflow.cli;

import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Empty fields that upstream's programs write because their types cannot leave them out; objects of ours have them, too. */
final class WrittenOut {
    private static final List<String> CONTAINERS = List.of("containers", "initContainers", "ephemeralContainers");

    private WrittenOut() {}

    /** A Job or JobTemplate, changed in place. */
    static ObjectNode job(ObjectNode job) {
        for (JsonNode task : Json.listAt(job, "spec", "tasks")) {
            if (task.get("template") instanceof ObjectNode template) {
                empty(template, "metadata");
                CONTAINERS.forEach(list -> each(Json.listAt(template, "spec", list), "resources"));
            }
        }
        for (JsonNode volume : Json.listAt(job, "spec", "volumes")) {
            if (volume.get("volumeClaim") instanceof ObjectNode claim) {
                empty(claim, "resources");
            }
        }
        return job;
    }

    static void empty(ObjectNode object, String field) {
        if (!object.hasNonNull(field)) {
            object.putObject(field);
        }
    }

    private static void each(Iterable<JsonNode> objects, String field) {
        for (JsonNode each : objects) {
            if (each instanceof ObjectNode object) {
                empty(object, field);
            }
        }
    }
}
