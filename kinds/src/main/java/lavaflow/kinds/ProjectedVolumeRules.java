package lavaflow.kinds;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Volumes made of files that the kubelet writes: from secrets, config maps, the pod's own fields and tokens. */
final class ProjectedVolumeRules {
    private static final long SHORTEST_TOKEN_SECONDS = 600;
    private static final long LONGEST_TOKEN_SECONDS = 1L << 32;

    private ProjectedVolumeRules() {}

    /** A volume of one secret or config map. */
    static void files(ObjectNode source, String nameField, FieldPath path, FieldErrors errors) {
        FieldChecks.requireText(source, nameField, path, errors);
        FieldChecks.mode(source, "defaultMode", path, errors);
        items(source, path.child("items"), errors);
    }

    private static void items(ObjectNode source, FieldPath path, FieldErrors errors) {
        List<ObjectNode> items = Nodes.objects(source, "items");
        for (int i = 0; i < items.size(); i++) {
            item(items.get(i), path.index(i), errors);
        }
    }

    private static void item(ObjectNode item, FieldPath path, FieldErrors errors) {
        FieldChecks.requireText(item, "key", path, errors);
        FieldChecks.requireText(item, "path", path, errors);
        FieldChecks.unreservedPath(Json.textAt(item, "path"), path.child("path"), errors);
        FieldChecks.mode(item, "mode", path, errors);
    }

    /** A volume of the pod's own fields; upstream does not say which item is wrong. */
    static void downward(ObjectNode source, FieldPath path, FieldErrors errors) {
        FieldChecks.mode(source, "defaultMode", path, errors);
        for (ObjectNode item : Nodes.objects(source, "items")) {
            downwardItem(item, path, errors);
        }
    }

    private static void downwardItem(ObjectNode item, FieldPath path, FieldErrors errors) {
        FieldChecks.requireText(item, "path", path, errors);
        FieldChecks.unreservedPath(Json.textAt(item, "path"), path.child("path"), errors);
        ObjectNode field = Json.objectAt(item, "fieldRef");
        ObjectNode resource = Json.objectAt(item, "resourceFieldRef");
        if (field != null) {
            EnvironmentRules.fieldRef(field, EnvironmentRules.VOLUME_FIELDS, path.child("fieldRef"), errors);
            if (resource != null) {
                errors.invalid(path, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously");
            }
        } else if (resource != null) {
            EnvironmentRules.resourceFieldRef(resource, true, path.child("resourceFieldRef"), errors);
        } else {
            errors.required(path, "one of fieldRef and resourceFieldRef is required");
        }
        FieldChecks.mode(item, "mode", path, errors);
    }

    /** A volume of several sources. */
    static void projected(ObjectNode source, FieldPath path, FieldErrors errors) {
        FieldChecks.mode(source, "defaultMode", path, errors);
        Set<String> files = new HashSet<>();
        List<ObjectNode> sources = Nodes.objects(source, "sources");
        for (int i = 0; i < sources.size(); i++) {
            FieldPath place = path.child("sources").index(i);
            if (part(sources.get(i), files, path, place, errors) > 1) {
                errors.forbidden(place, "may not specify more than 1 volume type per source");
            }
        }
    }

    /** Checks one source and returns how many kinds it mixes. */
    private static int part(ObjectNode part, Set<String> files, FieldPath path, FieldPath place, FieldErrors errors) {
        int kinds = 0;
        for (String kind : List.of("secret", "configMap")) {
            ObjectNode source = Json.objectAt(part, kind);
            if (source != null) {
                kinds++;
                FieldChecks.requireText(source, "name", place.child(kind), errors);
                List<ObjectNode> items = Nodes.objects(source, "items");
                for (int i = 0; i < items.size(); i++) {
                    item(items.get(i), place.child(kind, "items").index(i), errors);
                    String file = Json.textAt(items.get(i), "path");
                    claim(file, Json.textAt(source, "name"), files, path, errors);
                }
            }
        }
        ObjectNode downward = Json.objectAt(part, "downwardAPI");
        if (downward != null) {
            kinds++;
            for (ObjectNode item : Nodes.objects(downward, "items")) {
                downwardItem(item, place.child("downwardAPI"), errors);
                String file = Json.textAt(item, "path");
                claim(file, file, files, path, errors);
            }
        }
        ObjectNode token = Json.objectAt(part, "serviceAccountToken");
        if (token != null) {
            kinds++;
            token(token, path, place.child("serviceAccountToken"), errors);
        }
        return kinds;
    }

    private static void claim(String file, String shown, Set<String> files, FieldPath path, FieldErrors errors) {
        if (!file.isEmpty() && !files.add(file)) {
            errors.invalid(path, shown, "conflicting duplicate paths");
        }
    }

    private static void token(ObjectNode token, FieldPath path, FieldPath place, FieldErrors errors) {
        long seconds = Json.longAt(token, 0, "expirationSeconds");
        if (seconds < SHORTEST_TOKEN_SECONDS) {
            errors.invalid(
                    place.child("expirationSeconds"), seconds, "may not specify a duration less than 10 minutes");
        }
        if (seconds > LONGEST_TOKEN_SECONDS) {
            errors.invalid(
                    place.child("expirationSeconds"), seconds, "may not specify a duration larger than 2^32 seconds");
        }
        if (FieldChecks.requireText(token, "path", path, errors)) {
            FieldChecks.unreservedPath(Json.textAt(token, "path"), path.child("path"), errors);
        }
    }
}
