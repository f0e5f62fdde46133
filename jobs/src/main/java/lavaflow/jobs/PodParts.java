package lavaflow.jobs;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** What plugins change in pods. */
final class PodParts {
    private PodParts() {}

    static List<ObjectNode> containers(ObjectNode pod) {
        return objects(Json.listAt(pod, "spec", "containers"));
    }

    static List<ObjectNode> initContainers(ObjectNode pod) {
        return objects(Json.listAt(pod, "spec", "initContainers"));
    }

    static List<ObjectNode> allContainers(ObjectNode pod) {
        List<ObjectNode> all = new ArrayList<>(containers(pod));
        all.addAll(initContainers(pod));
        return all;
    }

    private static List<ObjectNode> objects(ArrayNode list) {
        List<ObjectNode> objects = new ArrayList<>();
        for (JsonNode each : list) {
            if (each instanceof ObjectNode object) {
                objects.add(object);
            }
        }
        return objects;
    }

    static void environment(ObjectNode container, String name, String value) {
        list(container, "env").addObject().put("name", name).put("value", value);
    }

    /** Opens a port unless it is open under whatever name. */
    static void port(ObjectNode container, String name, long number) {
        for (JsonNode port : Json.listAt(container, "ports")) {
            if (Json.longAt(port, 0, "containerPort") == number) {
                return;
            }
        }
        list(container, "ports").addObject().put("name", name).put("containerPort", number);
    }

    /** The list in a field, which is there afterwards. */
    static ArrayNode list(ObjectNode owner, String field) {
        return owner.get(field) instanceof ArrayNode list ? list : owner.putArray(field);
    }
}
