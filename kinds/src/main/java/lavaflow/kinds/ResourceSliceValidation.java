package lavaflow.kinds;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Checks of resource slices. */
final class ResourceSliceValidation {
    private static final FieldPath SPEC = FieldPath.of("spec");
    private static final int MOST_DEVICES = 128;
    private static final String[] PLACES = {"nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection"};

    private ResourceSliceValidation() {}

    static void validate(ObjectNode object, FieldErrors errors) {
        ObjectNode spec = Json.ensureObject(object, "spec");
        CsiValidation.driverName(Json.textAt(spec, "driver"), SPEC.child("driver"), errors);
        pool(spec, errors);
        place(spec, errors);
        devices(spec, errors);
    }

    private static void pool(ObjectNode spec, FieldErrors errors) {
        FieldPath path = SPEC.child("pool");
        String name = Json.textAt(spec, "pool", "name");
        if (name.isEmpty()) {
            errors.required(path.child("name"));
        } else {
            for (String part : name.split("/", -1)) {
                FieldChecks.invalid(path.child("name"), part, Names.dns1123Subdomain(part), errors);
            }
        }
        long count = Json.longAt(spec, 0, "pool", "resourceSliceCount");
        if (count <= 0) {
            errors.invalid(path.child("resourceSliceCount"), count, "must be greater than zero");
        }
        long generation = Json.longAt(spec, 0, "pool", "generation");
        if (generation < 0) {
            errors.invalid(path.child("generation"), generation, "must be greater than or equal to zero");
        }
    }

    private static void place(ObjectNode spec, FieldErrors errors) {
        List<String> set = new ArrayList<>();
        for (String field : PLACES) {
            JsonNode value = Json.at(spec, field);
            if (value != null && !(value.isBoolean() && !value.asBoolean())) {
                set.add("`" + field + "`");
            }
        }
        if (Nodes.has(spec, "nodeName")) {
            String node = Json.textAt(spec, "nodeName");
            FieldChecks.invalid(SPEC.child("nodeName"), node, Names.dns1123Subdomain(node), errors);
        }
        if (Nodes.has(spec, "nodeSelector")) {
            AffinityRules.nodeSelector(spec.get("nodeSelector"), SPEC.child("nodeSelector"), errors);
        }
        String one = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";
        if (set.isEmpty()) {
            errors.required(SPEC, one);
        } else if (set.size() > 1) {
            errors.invalid(SPEC, "{" + String.join(", ", set) + "}", one + ", but multiple fields are set");
        }
    }

    private static void devices(ObjectNode spec, FieldErrors errors) {
        List<ObjectNode> devices = Nodes.objects(spec, "devices");
        if (devices.size() > MOST_DEVICES) {
            errors.tooMany(SPEC.child("devices"), devices.size(), MOST_DEVICES);
        }
        Set<String> names = new HashSet<>();
        for (int i = 0; i < devices.size(); i++) {
            FieldPath path = SPEC.child("devices").index(i);
            String name = Json.textAt(devices.get(i), "name");
            FieldChecks.invalid(path.child("name"), name, Names.dns1123Label(name), errors);
            for (Map.Entry<String, JsonNode> entry :
                    Nodes.entries(devices.get(i), "attributes").entrySet()) {
                DeviceClaimValidation.qualified(entry.getKey(), path.child("attributes"), false, errors);
                if (entry.getValue().isEmpty()) {
                    errors.invalid(
                            path.child("attributes").key(entry.getKey()), "", "exactly one value must be specified");
                }
            }
            for (String capacity : Nodes.entries(devices.get(i), "capacity").keySet()) {
                DeviceClaimValidation.qualified(capacity, path.child("capacity"), false, errors);
            }
            if (!names.add(name)) {
                errors.duplicate(path, name);
            }
        }
    }

    static void update(ObjectNode object, ObjectNode old, FieldErrors errors) {
        validate(object, errors);
        keep(object, old, errors, "pool", "name");
        keep(object, old, errors, "driver");
        keep(object, old, errors, "nodeName");
    }

    private static void keep(ObjectNode object, ObjectNode old, FieldErrors errors, String... field) {
        JsonNode now = Json.at(Json.at(object, "spec"), field);
        if (!Objects.equals(now, Json.at(Json.at(old, "spec"), field))) {
            errors.invalid(SPEC.child(field), now, FieldChecks.IMMUTABLE);
        }
    }
}
