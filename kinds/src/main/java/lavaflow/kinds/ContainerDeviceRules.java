package lavaflow.kinds;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** The health of devices that containers were given ({@code allocatedResourcesStatus}). */
final class ContainerDeviceRules {
    private static final List<String> HEALTH = List.of("Healthy", "Unhealthy", "Unknown");
    private static final int LONGEST_MESSAGE = 1024;

    private ContainerDeviceRules() {}

    static void validate(ObjectNode status, @Nullable JsonNode spec, FieldPath path, FieldErrors errors) {
        list(status, "containerStatuses", Nodes.objects(spec, "containers"), path, errors);
        list(status, "initContainerStatuses", Nodes.objects(spec, "initContainers"), path, errors);
        List<ObjectNode> ephemeral = Nodes.objects(status, "ephemeralContainerStatuses");
        for (int i = 0; i < ephemeral.size(); i++) {
            if (!Nodes.emptyAt(ephemeral.get(i), "allocatedResourcesStatus")) {
                errors.forbidden(
                        path.child("ephemeralContainerStatuses").index(i).child("allocatedResourcesStatus"),
                        "must not be specified in container status");
            }
        }
    }

    private static void list(
            ObjectNode status, String list, List<ObjectNode> containers, FieldPath path, FieldErrors errors) {
        List<ObjectNode> statuses = Nodes.objects(status, list);
        for (int i = 0; i < statuses.size(); i++) {
            String name = Json.textAt(statuses.get(i), "name");
            ObjectNode container = containers.stream()
                    .filter(found -> Json.textAt(found, "name").equals(name))
                    .findFirst()
                    .orElse(null);
            List<ObjectNode> resources = Nodes.objects(statuses.get(i), "allocatedResourcesStatus");
            for (int j = 0; j < resources.size(); j++) {
                FieldPath place = path.child(list)
                        .index(i)
                        .child("allocatedResourcesStatus")
                        .index(j);
                if (container != null) {
                    known(resources.get(j), container, place.child("name"), errors);
                }
                devices(resources.get(j), place.child("resources"), errors);
            }
        }
    }

    private static void known(ObjectNode resource, ObjectNode container, FieldPath path, FieldErrors errors) {
        String name = Json.textAt(resource, "name");
        if (!name.startsWith("claim:")) {
            if (!Nodes.has(container, "resources", "requests", name)) {
                errors.invalid(path, name, "must match one of the container's resource requests");
            }
            return;
        }
        boolean claimed = Nodes.objects(container, "resources", "claims").stream()
                .anyMatch(claim -> {
                    String request = Json.textAt(claim, "request");
                    String full = "claim:" + Json.textAt(claim, "name") + (request.isEmpty() ? "" : "/" + request);
                    return full.equals(name);
                });
        if (!claimed) {
            errors.invalid(
                    path,
                    name,
                    "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or"
                            + " 'claim:<claimName>' if request is empty");
        }
    }

    private static void devices(ObjectNode resource, FieldPath path, FieldErrors errors) {
        Set<String> seen = new HashSet<>();
        List<ObjectNode> devices = Nodes.objects(resource, "resources");
        for (int i = 0; i < devices.size(); i++) {
            String health = Json.textAt(devices.get(i), "health");
            if (!HEALTH.contains(health)) {
                errors.notSupported(path.index(i).child("health"), health, HEALTH);
            }
            if (Nodes.has(devices.get(i), "message")) {
                int length = Names.utf8Length(Json.textAt(devices.get(i), "message"));
                if (length == 0) {
                    errors.required(path.index(i).child("message"), "must be non-empty if specified");
                } else if (length > LONGEST_MESSAGE) {
                    errors.tooLong(path.index(i).child("message"), LONGEST_MESSAGE);
                }
            }
            String id = Json.textAt(devices.get(i), "resourceID");
            if (!seen.add(id)) {
                errors.duplicate(path.index(i).child("resourceID"), id);
            }
        }
    }
}
