package lavaflow.cluster;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * An endpoint slice as its controllers think of it.
 *
 * @param metadata everything but managedFields; a slice to be has no name yet. Not to be changed.
 * @param ports in the order of slices
 */
record SliceState(ObjectNode metadata, String addressType, List<EndpointPort> ports, List<Endpoint> endpoints) {
    static final String SERVICE_NAME = "kubernetes.io/service-name";
    static final String MANAGED_BY = "endpointslice.kubernetes.io/managed-by";
    static final String HEADLESS = "service.kubernetes.io/headless";

    static SliceState of(ObjectNode slice) {
        List<Endpoint> endpoints = new ArrayList<>();
        Json.listAt(slice, "endpoints").forEach(endpoint -> endpoints.add(Endpoint.of(endpoint)));
        ObjectNode metadata = Json.ensureObject(slice, "metadata");
        if (metadata.has("managedFields")) {
            ObjectNode rest = Json.object();
            metadata.properties().stream()
                    .filter(each -> !each.getKey().equals("managedFields"))
                    .forEach(each -> rest.set(each.getKey(), each.getValue()));
            metadata = rest;
        }
        return new SliceState(
                metadata,
                Json.textAt(slice, "addressType"),
                EndpointPort.list(Json.listAt(slice, "ports")),
                List.copyOf(endpoints));
    }

    /** Under which word a mirror finds the slices that one controller made for one service. */
    static String word(String manager, String namespace, String service) {
        return manager + " " + namespace + "/" + service;
    }

    List<String> words() {
        return List.of(word(label(MANAGED_BY), namespace(), label(SERVICE_NAME)));
    }

    String name() {
        return Json.textAt(metadata, "name");
    }

    String namespace() {
        return Json.textAt(metadata, "namespace");
    }

    String uid() {
        return Json.textAt(metadata, "uid");
    }

    String label(String key) {
        return Json.textAt(metadata, "labels", key);
    }

    boolean isDeleting() {
        return metadata.has("deletionTimestamp");
    }

    boolean isControlledBy(String uid) {
        for (JsonNode owner : Json.listAt(metadata, "ownerReferences")) {
            if (Json.flagAt(owner, "controller") && Json.textAt(owner, "uid").equals(uid)) {
                return true;
            }
        }
        return false;
    }

    SliceState withEndpoints(List<Endpoint> other) {
        return new SliceState(metadata, addressType, ports, List.copyOf(other));
    }

    SliceState with(String field, ObjectNode value) {
        ObjectNode changed = metadata.deepCopy();
        changed.set(field, value);
        return new SliceState(changed, addressType, ports, endpoints);
    }

    SliceState without(String field) {
        ObjectNode changed = metadata.deepCopy();
        changed.remove(field);
        return new SliceState(changed, addressType, ports, endpoints);
    }

    /** The same content in the place of another slice, which need not be there any more. */
    SliceState inPlaceOf(SliceState other) {
        ObjectNode changed = metadata.deepCopy();
        changed.put("name", other.name());
        return new SliceState(changed, addressType, ports, endpoints);
    }

    ObjectNode json() {
        ObjectNode slice = Json.object();
        slice.set("metadata", metadata.deepCopy());
        slice.put("addressType", addressType);
        ArrayNode list = slice.putArray("endpoints");
        endpoints.forEach(endpoint -> list.add(endpoint.json()));
        slice.set("ports", EndpointPort.json(ports));
        return slice;
    }
}
