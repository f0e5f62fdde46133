package lavaflow.kinds;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import lavaflow.kube.Json;
import lavaflow.schema.Formats;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** What the schemas of a definition say that the server keeps but does not understand. */
final class DefinitionSchema {
    private DefinitionSchema() {}

    /** Formats that are kept but mean nothing to the server. */
    static List<String> unknownFormats(ObjectNode definition) {
        Set<String> found = new LinkedHashSet<>();
        for (ObjectNode version : Nodes.objects(definition, "spec", "versions")) {
            ObjectNode schema = Json.objectAt(version, "schema", "openAPIV3Schema");
            if (schema != null) {
                collectFormats(schema, found);
            }
        }
        return new ArrayList<>(found);
    }

    private static void collectFormats(JsonNode schema, Set<String> found) {
        String format = Json.textAt(schema, "format");
        if (!format.isEmpty() && !Formats.isKnown(format, Json.textAt(schema, "type"))) {
            found.add(format);
        }
        Nodes.entries(schema, "properties").values().forEach(value -> collectFormats(value, found));
        for (String field : new String[] {"items", "additionalProperties"}) {
            if (schema.get(field) instanceof ObjectNode inner) {
                collectFormats(inner, found);
            }
        }
        for (String field : new String[] {"allOf", "anyOf", "oneOf"}) {
            Nodes.objects(schema, field).forEach(choice -> collectFormats(choice, found));
        }
    }
}
