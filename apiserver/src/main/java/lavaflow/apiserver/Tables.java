package lavaflow.apiserver;

import java.time.Instant;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

final class Tables {
    private Tables() {}

    record Layout(List<TableColumn> columns) {
        ArrayNode cells(ObjectNode object, Instant now) {
            return Json.array().add(Metadata.name(object)).add(Json.textAt(object, "metadata", "creationTimestamp"));
        }

        ArrayNode conditions(ObjectNode object) {
            return Json.array();
        }
    }

    static Layout layout(String group, String resource) {
        return new Layout(List.of(
                new TableColumn("Name", "string", "name", "", 0), new TableColumn("Created At", "date", "", "", 0)));
    }
}
