package lavaflow.trainer;

import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Where an object is. */
record Place(String namespace, String name) {
    static Place of(ObjectNode object) {
        return new Place(Trainer.namespace(object), Trainer.name(object));
    }

    /** Where the one is that controls an object, if it is of a kind. */
    static List<Place> ofController(ObjectNode object, String apiVersion, String kind) {
        JsonNode controller = Trainer.controller(object);
        return controller != null
                        && Json.textAt(controller, "kind").equals(kind)
                        && Json.textAt(controller, "apiVersion").equals(apiVersion)
                ? List.of(new Place(Trainer.namespace(object), Json.textAt(controller, "name")))
                : List.of();
    }

    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
