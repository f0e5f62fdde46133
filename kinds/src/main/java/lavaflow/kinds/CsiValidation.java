package lavaflow.kinds;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelectorRules;
import lavaflow.kube.Names;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Checks of drivers of volumes, where they run and how much room they have. */
final class CsiValidation {
    private static final FieldPath SPEC = FieldPath.of("spec");
    private static final long SHORTEST_TOKEN = 600;
    private static final long LONGEST_TOKEN = 1L << 32;
    private static final long SHORTEST_PERIOD = 10;
    private static final int LONGEST_NAME = 63;
    private static final int LONGEST_NODE_ID = 256;
    private static final String SUPPORTED_MODES = "volumeLifecycleModes";

    private CsiValidation() {}

    static void driver(ObjectNode object, FieldErrors errors) {
        ObjectNode spec = Json.ensureObject(object, "spec");
        FieldChecks.optionalOneOf(
                spec, "fsGroupPolicy", List.of("File", "None", "ReadWriteOnceWithFSType"), SPEC, errors);
        tokenRequests(spec, errors);
        List<String> modes = List.of("Persistent", "Ephemeral");
        for (String mode : Nodes.strings(spec, SUPPORTED_MODES)) {
            if (!modes.contains(mode)) {
                errors.notSupported(SPEC.child(SUPPORTED_MODES), mode, modes);
            }
        }
        JsonNode period = Json.at(spec, "nodeAllocatableUpdatePeriodSeconds");
        if (period != null && period.longValue() < SHORTEST_PERIOD) {
            errors.invalid(
                    SPEC.child("nodeAllocatableUpdatePeriodSeconds"),
                    period,
                    "must be greater than or equal to 10 seconds");
        }
        JsonNode inSecrets = Json.at(spec, "serviceAccountTokenInSecrets");
        if (inSecrets != null && Nodes.emptyAt(spec, "tokenRequests")) {
            errors.invalid(
                    SPEC.child("serviceAccountTokenInSecrets"),
                    inSecrets,
                    "serviceAccountTokenInSecrets is set but no tokenRequests are specified");
        }
    }

    static void driverUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        driver(object, errors);
        FieldChecks.immutable(
                Json.at(object, "spec", "attachRequired"),
                Json.at(old, "spec", "attachRequired"),
                SPEC.child("attachedRequired"),
                errors);
        FieldChecks.immutable(
                Json.at(object, "spec", SUPPORTED_MODES),
                Json.at(old, "spec", SUPPORTED_MODES),
                SPEC.child(SUPPORTED_MODES),
                errors);
    }

    private static void tokenRequests(ObjectNode spec, FieldErrors errors) {
        Set<String> audiences = new HashSet<>();
        List<ObjectNode> requests = Nodes.objects(spec, "tokenRequests");
        for (int i = 0; i < requests.size(); i++) {
            FieldPath path = SPEC.child("tokenRequests").index(i);
            String audience = Json.textAt(requests.get(i), "audience");
            if (!audiences.add(audience)) {
                errors.duplicate(path.child("audience"), audience);
                continue;
            }
            JsonNode seconds = Json.at(requests.get(i), "expirationSeconds");
            if (seconds != null && seconds.longValue() < SHORTEST_TOKEN) {
                errors.invalid(
                        path.child("expirationSeconds"), seconds, "may not specify a duration less than 10 minutes");
            }
            if (seconds != null && seconds.longValue() > LONGEST_TOKEN) {
                errors.invalid(
                        path.child("expirationSeconds"),
                        seconds,
                        "may not specify a duration larger than 2^32 seconds");
            }
        }
    }

    /** The name by which a driver registers. */
    static void driverName(String name, FieldPath path, FieldErrors errors) {
        if (name.isEmpty()) {
            errors.required(path);
        }
        if (Names.utf8Length(name) > LONGEST_NAME) {
            errors.tooLong(path, LONGEST_NAME);
        }
        for (String wrong : Names.dns1123Subdomain(name.toLowerCase(Locale.ROOT))) {
            if (!name.isEmpty()) {
                errors.invalid(path, name, wrong);
            }
        }
    }

    static void node(ObjectNode object, FieldErrors errors) {
        Set<String> names = new HashSet<>();
        List<ObjectNode> drivers = Nodes.objects(object, "spec", "drivers");
        for (int i = 0; i < drivers.size(); i++) {
            FieldPath path = SPEC.child("drivers").index(i);
            ObjectNode driver = drivers.get(i);
            String name = Json.textAt(driver, "name");
            driverName(name, path.child("name"), errors);
            String id = Json.textAt(driver, "nodeID");
            if (id.isEmpty()) {
                errors.required(path.child("nodeID"));
            }
            if (Names.utf8Length(id) > LONGEST_NODE_ID) {
                errors.invalid(path.child("nodeID"), id, "must be " + LONGEST_NODE_ID + " characters or less");
            }
            FieldChecks.notNegative(driver.get("allocatable"), "count", path.child("allocatable"), errors);
            if (!names.add(name)) {
                errors.duplicate(path.child("name"), name);
            }
            topologyKeys(driver, path, errors);
        }
    }

    private static void topologyKeys(ObjectNode driver, FieldPath path, FieldErrors errors) {
        Set<String> keys = new HashSet<>();
        for (String key : Nodes.strings(driver, "topologyKeys")) {
            if (key.isEmpty()) {
                errors.required(path);
            }
            if (!keys.add(key)) {
                errors.duplicate(path, key);
            }
            FieldChecks.invalid(path, key, Names.qualifiedName(key), errors);
        }
    }

    /** Of a registered driver only the number of volumes may change; drivers come and go freely. */
    static void nodeUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        node(object, errors);
        for (ObjectNode before : Nodes.objects(old, "spec", "drivers")) {
            for (ObjectNode driver : Nodes.objects(object, "spec", "drivers")) {
                if (Json.textAt(driver, "name").equals(Json.textAt(before, "name"))
                        && !shown(driver).equals(shown(before))) {
                    errors.invalid(SPEC.child("drivers"), shown(driver), FieldChecks.IMMUTABLE);
                }
            }
        }
    }

    private static ObjectNode shown(ObjectNode driver) {
        ObjectNode go = FieldChecks.goStruct(driver, "Name=", "NodeID=", "TopologyKeys");
        go.putNull("Allocatable");
        return go;
    }

    static void capacity(ObjectNode object, boolean oddSelectors, FieldErrors errors) {
        LabelSelectorRules.check(Json.at(object, "nodeTopology"), oddSelectors, FieldPath.of("nodeTopology"), errors);
        String name = Json.textAt(object, "storageClassName");
        FieldChecks.invalid(FieldPath.of("storageClassName"), name, Names.dns1123Subdomain(name), errors);
        if (Nodes.has(object, "capacity") && Quantity.at(object, "capacity").signum() < 0) {
            errors.invalid(FieldPath.of("capacity"), object.get("capacity"), FieldChecks.NOT_NEGATIVE);
        }
    }

    static void capacityUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        capacity(object, LabelSelectorRules.hasOddValues(Json.at(old, "nodeTopology")), errors);
        for (String field : new String[] {"nodeTopology", "storageClassName"}) {
            if (!Objects.equals(Json.at(object, field), Json.at(old, field))) {
                errors.invalid(FieldPath.of(field), Json.at(object, field), FieldChecks.IMMUTABLE);
            }
        }
    }
}
