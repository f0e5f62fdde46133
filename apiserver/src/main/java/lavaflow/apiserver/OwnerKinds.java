package lavaflow.apiserver;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** The kinds there are, here and at other API servers. */
record OwnerKinds(ResourceTable table, Aggregation aggregation) implements OwnerPermissions.Kinds {
    @Override
    public List<OwnerPermissions.Served> served(String group, String version, String kind) {
        List<OwnerPermissions.Served> served = new ArrayList<>();
        List<Resource> own = table.catalogue().version(group, version);
        for (Resource resource : own == null ? List.<Resource>of() : own) {
            if (resource.info().kind().equals(kind)) {
                served.add(new OwnerPermissions.Served(
                        resource.name(), resource.info().namespaced()));
            }
        }
        ObjectNode others = aggregation.resources(group, version);
        for (JsonNode each : others == null ? Json.array() : Json.listAt(others, "resources")) {
            String name = Json.textAt(each, "name");
            if (Json.textAt(each, "kind").equals(kind) && !name.contains("/")) {
                served.add(new OwnerPermissions.Served(name, Json.flagAt(each, "namespaced")));
            }
        }
        return served;
    }
}
