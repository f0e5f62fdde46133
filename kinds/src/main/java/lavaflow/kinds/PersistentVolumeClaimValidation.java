package lavaflow.kinds;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Names;
import lavaflow.kube.Quantity;
import lavaflow.kube.TextDiff;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Checks of claims on persistent volumes; the spec itself is checked by {@link ClaimSpecRules}. */
final class PersistentVolumeClaimValidation {
    static final String OLD_CLASS = "volume.beta.kubernetes.io/storage-class";

    private static final FieldPath SPEC = FieldPath.of("spec");
    private static final Set<String> RESIZE_STATES = new TreeSet<>(Set.of(
            "ControllerResizeInProgress",
            "ControllerResizeInfeasible",
            "NodeResizePending",
            "NodeResizeInProgress",
            "NodeResizeInfeasible"));

    private PersistentVolumeClaimValidation() {}

    static void create(ObjectNode object, FieldErrors errors) {
        ClaimSpecRules.spec(Json.ensureObject(object, "spec"), SPEC, errors);
    }

    /** All is fixed but what binding fills in, and the size and attributes of a bound claim. */
    static void update(ObjectNode object, ObjectNode old, FieldErrors errors) {
        create(object, errors);
        ObjectNode spec = Json.ensureObject(object, "spec");
        ObjectNode before = Json.ensureObject(old.deepCopy(), "spec");
        PersistentVolumeClaimRules.pairSources(before);
        boolean mayDiffer = classFromAnnotation(object, old) || classAppears(object, old);
        if (!classFromAnnotation(object, old) && !oldClass(object).equals(oldClass(old))) {
            errors.invalid(
                    FieldPath.of("metadata", "annotations").key(OLD_CLASS), oldClass(object), FieldChecks.IMMUTABLE);
        }
        ObjectNode compared = comparable(spec, before, mayDiffer, Json.textAt(object, "status", "phase"));
        ObjectNode comparedOld = before.deepCopy();
        if (Json.textAt(before, "volumeName").isEmpty()) {
            KindRules.keep(comparedOld, compared, "volumeName");
        }
        JsonNode shown = GoShapes.claimSpec(compared);
        JsonNode shownOld = GoShapes.claimSpec(comparedOld);
        if (!shown.equals(shownOld)) {
            errors.forbidden(
                    SPEC,
                    "spec is immutable after creation except resources.requests and volumeAttributesClassName for"
                            + " bound claims\n" + TextDiff.ofJson(shownOld, shown));
        }
        size(spec, before, old, errors);
        FieldChecks.immutable(
                Json.at(spec, "volumeMode"), Json.at(before, "volumeMode"), FieldPath.of("volumeMode"), errors);
        attributesClass(spec, before, old, errors);
    }

    private static ObjectNode comparable(ObjectNode spec, ObjectNode before, boolean anyClass, String phase) {
        ObjectNode compared = spec.deepCopy();
        if (anyClass) {
            KindRules.keep(compared, before, "storageClassName");
        }
        if (phase.equals("Bound")) {
            if (Nodes.has(compared, "resources", "requests")) {
                KindRules.keep(
                        Json.ensureObject(compared, "resources", "requests"),
                        Json.ensureObject(before, "resources", "requests"),
                        "storage");
            }
            KindRules.keep(compared, before, "volumeAttributesClassName");
        }
        return compared;
    }

    private static String oldClass(ObjectNode claim) {
        return Json.textAt(claim, "metadata", "annotations", OLD_CLASS);
    }

    private static boolean hasOldClass(ObjectNode claim) {
        return Nodes.has(claim, "metadata", "annotations", OLD_CLASS);
    }

    /** The class moves from the annotation to the field. */
    private static boolean classFromAnnotation(ObjectNode object, ObjectNode old) {
        return hasOldClass(old)
                && !Nodes.has(old, "spec", "storageClassName")
                && Nodes.has(object, "spec", "storageClassName")
                && Json.textAt(object, "spec", "storageClassName").equals(oldClass(old))
                && (!hasOldClass(object) || oldClass(object).equals(oldClass(old)));
    }

    /** A default class is set once there is one. */
    private static boolean classAppears(ObjectNode object, ObjectNode old) {
        return Nodes.has(object, "spec", "storageClassName")
                && !Nodes.has(old, "spec", "storageClassName")
                && (!hasOldClass(old)
                        || Json.textAt(object, "spec", "storageClassName").equals(oldClass(old)));
    }

    private static void size(ObjectNode spec, ObjectNode before, ObjectNode old, FieldErrors errors) {
        Quantity size = Quantity.at(Json.at(spec, "resources", "requests"), "storage");
        Quantity oldSize = Quantity.at(Json.at(before, "resources", "requests"), "storage");
        Quantity capacity = Quantity.at(Json.at(old, "status", "capacity"), "storage");
        if (size.compareTo(oldSize) < 0 && size.compareTo(capacity) <= 0) {
            errors.forbidden(
                    SPEC.child("resources", "requests", "storage"), "field can not be less than status.capacity");
        }
    }

    private static void attributesClass(ObjectNode spec, ObjectNode before, ObjectNode old, FieldErrors errors) {
        JsonNode now = Json.at(spec, "volumeAttributesClassName");
        if (Objects.equals(now, Json.at(before, "volumeAttributesClassName"))
                || !Nodes.has(old, "status", "currentVolumeAttributesClassName")) {
            return;
        }
        FieldPath path = SPEC.child("volumeAttributesClassName");
        String tail = " is forbidden when status.currentVolumeAttributesClassName is not nil";
        if (now == null) {
            errors.forbidden(path, "update to nil" + tail);
        } else if (now.asText().isEmpty()) {
            errors.forbidden(path, "update to empty string" + tail);
        }
    }

    static void status(ObjectNode object, FieldErrors errors) {
        if (Nodes.emptyAt(object, "spec", "accessModes")) {
            errors.required(FieldPath.of("Spec", "accessModes"));
        }
        FieldPath capacity = FieldPath.of("status", "capacity");
        for (Map.Entry<String, JsonNode> entry :
                Nodes.entries(object, "status", "capacity").entrySet()) {
            basicAmount(Quantity.fromJson(entry.getValue()), capacity.key(entry.getKey()), errors);
        }
        FieldPath states = FieldPath.of("status", "allocatedResourceStatuses");
        for (Map.Entry<String, JsonNode> entry :
                Nodes.entries(object, "status", "allocatedResourceStatuses").entrySet()) {
            resource(entry.getKey(), states, errors);
            if (!RESIZE_STATES.contains(entry.getValue().asText())) {
                errors.notSupported(states, entry.getKey(), RESIZE_STATES);
            }
        }
        FieldPath allocated = FieldPath.of("status", "allocatedResources");
        for (Map.Entry<String, JsonNode> entry :
                Nodes.entries(object, "status", "allocatedResources").entrySet()) {
            if (resource(entry.getKey(), allocated, errors)) {
                basicAmount(Quantity.fromJson(entry.getValue()), allocated.key(entry.getKey()), errors);
            }
        }
    }

    /** An amount that is not negative once rounded; shown as a number. */
    static void basicAmount(Quantity amount, FieldPath path, FieldErrors errors) {
        if (amount.value() < 0) {
            errors.invalid(path, amount.value(), "must be a valid resource quantity");
        }
    }

    private static boolean resource(String name, FieldPath path, FieldErrors errors) {
        List<String> wrong = Names.qualifiedName(name);
        FieldChecks.invalid(path, name, wrong, errors);
        if (wrong.isEmpty() && ResourceNames.isNative(name) && !name.equals("storage")) {
            errors.notSupported(path, name, List.of("storage"));
            return false;
        }
        return wrong.isEmpty();
    }

    static List<String> warnings(ObjectNode object) {
        List<String> warnings = new ArrayList<>();
        if (hasOldClass(object)) {
            warnings.add("metadata.annotations[" + OLD_CLASS
                    + "]: deprecated since v1.8; use \"storageClassName\" attribute instead");
        }
        JsonNode resources = Json.at(object, "spec", "resources");
        for (String list : new String[] {"requests", "limits"}) {
            ResourceLists.warnFraction(resources, list, "storage", SPEC.child("resources"), warnings);
        }
        return warnings;
    }
}
