package lavaflow.apiserver;

import java.util.LinkedHashMap;
import java.util.Map;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Turns another server's list of resources into the aggregated form. */
final class RemoteDiscovery {
    private RemoteDiscovery() {}

    static void addResources(ArrayNode to, ObjectNode resourceList) {
        Map<String, ObjectNode> known = new LinkedHashMap<>();
        for (JsonNode resource : Json.listAt(resourceList, "resources")) {
            String name = Json.textAt(resource, "name");
            int slash = name.indexOf('/');
            if (slash < 0) {
                known.put(name, whole(to.addObject(), name, resource));
                continue;
            }
            ObjectNode parent = known.get(name.substring(0, slash));
            if (parent != null) {
                ArrayNode subresources = parent.withArray("subresources");
                ObjectNode sub = subresources.addObject();
                sub.put("subresource", name.substring(slash + 1));
                kind(sub, resource);
                sub.set("verbs", Json.listAt(resource, "verbs").deepCopy());
            }
        }
    }

    private static ObjectNode whole(ObjectNode entry, String name, JsonNode resource) {
        entry.put("resource", name);
        kind(entry, resource);
        entry.put("scope", Json.flagAt(resource, "namespaced") ? "Namespaced" : "Cluster");
        entry.put("singularResource", Json.textAt(resource, "singularName"));
        entry.set("verbs", Json.listAt(resource, "verbs").deepCopy());
        for (String field : new String[] {"shortNames", "categories"}) {
            if (!Json.listAt(resource, field).isEmpty()) {
                entry.set(field, Json.listAt(resource, field).deepCopy());
            }
        }
        return entry;
    }

    private static void kind(ObjectNode entry, JsonNode resource) {
        entry.putObject("responseKind")
                .put("group", Json.textAt(resource, "group"))
                .put("version", Json.textAt(resource, "version"))
                .put("kind", Json.textAt(resource, "kind"));
    }
}
