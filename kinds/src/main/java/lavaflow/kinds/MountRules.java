package lavaflow.kinds;

import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Where containers see the pod's volumes: as directories or as block devices. */
final class MountRules {
    private static final List<String> PROPAGATIONS = List.of("Bidirectional", "HostToContainer", "None");
    private static final List<String> RECURSIVE = List.of("Disabled", "Enabled", "IfPossible");

    private MountRules() {}

    private static Map<String, String> paths(ObjectNode container, String list, String pathField) {
        Map<String, String> paths = new LinkedHashMap<>();
        for (ObjectNode entry : Nodes.objects(container, list)) {
            paths.put(Json.textAt(entry, "name"), Json.textAt(entry, pathField));
        }
        return paths;
    }

    static void mounts(ObjectNode container, PodScope scope, FieldPath path, FieldErrors errors) {
        Map<String, String> devices = paths(container, "volumeDevices", "devicePath");
        Set<String> seen = new HashSet<>();
        List<ObjectNode> mounts = Nodes.objects(container, "volumeMounts");
        for (int i = 0; i < mounts.size(); i++) {
            ObjectNode mount = mounts.get(i);
            FieldPath place = path.index(i);
            String name = Json.textAt(mount, "name");
            String target = Json.textAt(mount, "mountPath");
            FieldChecks.requireText(mount, "name", place, errors);
            if (!scope.volumes().containsKey(name)) {
                errors.notFound(place.child("name"), name);
            }
            FieldChecks.requireText(mount, "mountPath", place, errors);
            if (!seen.add(target)) {
                errors.invalid(place.child("mountPath"), target, "must be unique");
            }
            if (devices.containsKey(name)) {
                errors.invalid(place.child("name"), name, "must not already exist in volumeDevices");
            }
            if (devices.containsValue(target)) {
                errors.invalid(place.child("mountPath"), target, "must not already exist as a path in volumeDevices");
            }
            subPath(mount, path, place, errors);
            // Upstream forgets the index in these paths; so do we.
            propagation(mount, container, path.child("mountPropagation"), errors);
            recursiveReadOnly(mount, path.child("recursiveReadOnly"), errors);
        }
    }

    private static void subPath(ObjectNode mount, FieldPath path, FieldPath place, FieldErrors errors) {
        String subPath = Json.textAt(mount, "subPath");
        String expression = Json.textAt(mount, "subPathExpr");
        if (!subPath.isEmpty()) {
            FieldChecks.descendingPath(subPath, path.child("subPath"), errors);
        }
        if (!expression.isEmpty()) {
            if (!subPath.isEmpty()) {
                errors.invalid(
                        place.child("subPathExpr"), expression, "subPathExpr and subPath are mutually exclusive");
            }
            FieldChecks.descendingPath(expression, path.child("subPathExpr"), errors);
        }
    }

    private static void propagation(ObjectNode mount, ObjectNode container, FieldPath path, FieldErrors errors) {
        if (!Nodes.has(mount, "mountPropagation")) {
            return;
        }
        String propagation = Json.textAt(mount, "mountPropagation");
        if (!PROPAGATIONS.contains(propagation)) {
            errors.notSupported(path, propagation, PROPAGATIONS);
        }
        if (propagation.equals("Bidirectional") && !Json.flagAt(container, "securityContext", "privileged")) {
            errors.forbidden(path, "Bidirectional mount propagation is available only to privileged containers");
        }
    }

    private static void recursiveReadOnly(ObjectNode mount, FieldPath path, FieldErrors errors) {
        if (!Nodes.has(mount, "recursiveReadOnly")) {
            return;
        }
        String mode = Json.textAt(mount, "recursiveReadOnly");
        if (!RECURSIVE.contains(mode)) {
            errors.notSupported(path, mode, RECURSIVE);
        } else if (!mode.equals("Disabled")) {
            if (!Json.flagAt(mount, "readOnly")) {
                errors.forbidden(path, "may only be specified when readOnly is true");
            }
            if (Nodes.has(mount, "mountPropagation")
                    && !Json.textAt(mount, "mountPropagation").equals("None")) {
                errors.forbidden(path, "may only be specified when mountPropagation is None or not specified");
            }
        }
    }

    static void devices(ObjectNode container, PodScope scope, FieldPath path, FieldErrors errors) {
        Map<String, String> mounts = paths(container, "volumeMounts", "mountPath");
        Set<String> names = new HashSet<>();
        Set<String> targets = new HashSet<>();
        List<ObjectNode> devices = Nodes.objects(container, "volumeDevices");
        for (int i = 0; i < devices.size(); i++) {
            ObjectNode device = devices.get(i);
            FieldPath place = path.index(i);
            String name = Json.textAt(device, "name");
            String target = Json.textAt(device, "devicePath");
            ObjectNode volume = scope.volumes().get(name);
            FieldChecks.requireText(device, "name", place, errors);
            if (!name.isEmpty() && !names.add(name)) {
                errors.invalid(place.child("name"), name, "must be unique");
            }
            if (volume == null) {
                errors.notFound(place.child("name"), name);
            } else if (!Nodes.has(volume, "persistentVolumeClaim") && !Nodes.has(volume, "ephemeral")) {
                errors.invalid(
                        place.child("name"),
                        name,
                        "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode");
            }
            devicePath(device, target, targets, place, errors);
            overlap(name, target, mounts, place, errors);
        }
    }

    private static void devicePath(
            ObjectNode device, String target, Set<String> known, FieldPath place, FieldErrors errors) {
        FieldChecks.requireText(device, "devicePath", place, errors);
        if (known.contains(target)) {
            errors.invalid(place.child("devicePath"), target, "must be unique");
        }
        if (FieldChecks.hasBacksteps(target)) {
            errors.invalid(place.child("devicePath"), target, "can not contain backsteps ('..')");
        } else {
            known.add(target);
        }
    }

    private static void overlap(
            String name, String target, Map<String, String> mounts, FieldPath place, FieldErrors errors) {
        Collection<String> paths = mounts.values();
        if (mounts.containsKey(name)) {
            errors.invalid(place.child("name"), name, "must not already exist in volumeMounts");
        }
        if (paths.contains(target)) {
            errors.invalid(place.child("devicePath"), target, "must not already exist as a path in volumeMounts");
        }
    }
}
