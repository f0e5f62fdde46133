package lavaflow.kinds;

import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Claims on devices: the spec is fixed, the status says what was allocated and for whom. */
final class ResourceClaimRules implements KindRules {
    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.RETURNS_DELETED);
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        applyDefaults(Json.ensureObject(object, "spec"), "devices");
    }

    /** Defaults of the requests for devices in the spec of a claim or of a template. */
    static void applyDefaults(ObjectNode spec, String devices) {
        Json.ensureObject(spec, devices);
        for (ObjectNode request : Nodes.objects(spec, devices, "requests")) {
            if (request.get("exactly") instanceof ObjectNode exactly) {
                defaultCount(exactly);
            }
            Nodes.objects(request, "firstAvailable").forEach(ResourceClaimRules::defaultCount);
        }
    }

    private static void defaultCount(ObjectNode request) {
        Nodes.defaultText(request, "allocationMode", "ExactCount");
        if (Json.textAt(request, "allocationMode").equals("ExactCount")) {
            Nodes.defaultNonZero(request, "count", 1);
        }
    }

    @Override
    public void prepareForCreate(ObjectNode object) {
        object.putObject("status");
    }

    @Override
    public void prepareForStatusUpdate(ObjectNode object, ObjectNode old) {
        KindRules.keep(object, old, "spec");
        KindRules.keepMetadata(object, old);
        dropDeallocated(object, old);
    }

    /** Drivers report on devices; once a device is no longer allocated its report goes too. */
    private static void dropDeallocated(ObjectNode object, ObjectNode old) {
        Set<ObjectNode> gone = new java.util.LinkedHashSet<>();
        Nodes.objects(old, "status", "allocation", "devices", "results").forEach(result -> gone.add(identity(result)));
        Nodes.objects(object, "status", "allocation", "devices", "results")
                .forEach(result -> gone.remove(identity(result)));
        if (gone.isEmpty() || Nodes.emptyAt(object, "status", "devices")) {
            return;
        }
        ObjectNode status = Json.ensureObject(object, "status");
        ArrayNode kept = Json.array();
        for (ObjectNode device : Nodes.objects(status, "devices")) {
            if (!gone.contains(identity(device))) {
                kept.add(device);
            }
        }
        if (kept.isEmpty()) {
            status.remove("devices");
        } else {
            status.set("devices", kept);
        }
    }

    private static ObjectNode identity(ObjectNode device) {
        ObjectNode identity = Json.object();
        for (String field : new String[] {"driver", "pool", "device", "shareID"}) {
            identity.put(field, Json.textAt(device, field));
        }
        return identity;
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        DeviceClaimValidation.claim(Json.objectAt(object, "spec"), FieldPath.of("spec"), errors);
    }

    @Override
    public void validateUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        DeviceClaimValidation.frozen(object, old, false, errors);
    }

    @Override
    public void validateStatusUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        boolean reserved = !Json.listAt(object, "status", "reservedFor").isEmpty();
        if (reserved && Json.at(object, "status", "allocation") == null) {
            errors.forbidden(FieldPath.of("status", "reservedFor"), "may not be specified when `allocated` is not set");
        }
    }
}
