package lavaflow.kinds;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Checks of classes of storage and of volume attributes. */
final class StorageValidation {
    private static final int MOST_PARAMETERS = 512;
    private static final int MOST_BYTES = 256 << 10;

    private StorageValidation() {}

    static void storageClass(ObjectNode object, FieldErrors errors) {
        provisioner(object, "provisioner", errors);
        parameters(object, errors);
        String policy = Json.textAt(object, "reclaimPolicy");
        if (!policy.isEmpty()) {
            FieldChecks.requireOneOf(policy, List.of("Delete", "Retain"), FieldPath.of("reclaimPolicy"), errors);
        }
        String mode = Json.textAt(object, "volumeBindingMode");
        List<String> modes = List.of("Immediate", "WaitForFirstConsumer");
        if (!modes.contains(mode)) {
            errors.notSupported(FieldPath.of("volumeBindingMode"), mode, modes);
        }
        topologies(object, errors);
    }

    static void storageClassUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        storageClass(object, errors);
        for (String field : new String[] {"parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"}) {
            boolean bothEmpty = Nodes.emptyAt(object, field) && Nodes.emptyAt(old, field);
            if (!bothEmpty || !field.equals("parameters")) {
                FieldChecks.immutable(Json.at(object, field), Json.at(old, field), FieldPath.of(field), errors);
            }
        }
    }

    static void attributesClass(ObjectNode object, FieldErrors errors) {
        provisioner(object, "driverName", errors);
        parameters(object, errors);
        if (Nodes.emptyAt(object, "parameters")) {
            errors.required(FieldPath.of("parameters"), "must contain at least one key/value pair");
        }
    }

    static void attributesClassUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        for (String field : new String[] {"driverName", "parameters"}) {
            if (!Objects.equals(Json.at(object, field), Json.at(old, field))) {
                errors.forbidden(FieldPath.of(field), "updates to " + field + " are forbidden.");
            }
        }
        attributesClass(object, errors);
    }

    private static void provisioner(ObjectNode object, String field, FieldErrors errors) {
        String name = Json.textAt(object, field).toLowerCase(Locale.ROOT);
        if (name.isEmpty()) {
            errors.required(FieldPath.of(field));
        } else {
            FieldChecks.invalid(FieldPath.of(field), name, Names.qualifiedName(name), errors);
        }
    }

    private static void parameters(ObjectNode object, FieldErrors errors) {
        FieldPath path = FieldPath.of("parameters");
        Map<String, JsonNode> parameters = Nodes.entries(object, "parameters");
        if (parameters.size() > MOST_PARAMETERS) {
            errors.tooLong(path, MOST_PARAMETERS);
            return;
        }
        if (parameters.containsKey("")) {
            errors.invalid(path, "", "field can not be empty.");
        }
        if (size(parameters) > MOST_BYTES) {
            errors.tooLong(path, MOST_BYTES);
        }
    }

    /** Bytes of all keys and values. */
    static long size(Map<String, JsonNode> map) {
        long size = 0;
        for (Map.Entry<String, JsonNode> entry : map.entrySet()) {
            size += Names.utf8Length(entry.getKey())
                    + Names.utf8Length(entry.getValue().asText());
        }
        return size;
    }

    private static void topologies(ObjectNode object, FieldErrors errors) {
        List<ObjectNode> terms = Nodes.objects(object, "allowedTopologies");
        List<Map<String, Set<String>>> seen = new ArrayList<>();
        for (int i = 0; i < terms.size(); i++) {
            // Upstream compares each term with as many empty ones as there are terms; an empty one is a duplicate of
            // each.
            seen.add(Map.of());
        }
        for (int i = 0; i < terms.size(); i++) {
            FieldPath path = FieldPath.of("allowedTopologies").index(i).child("matchLabelExpressions");
            Map<String, Set<String>> term = topology(terms.get(i), path, errors);
            for (Map<String, Set<String>> other : seen) {
                if (term.equals(other)) {
                    errors.duplicate(path, "");
                }
            }
            seen.add(term);
        }
    }

    private static Map<String, Set<String>> topology(ObjectNode term, FieldPath path, FieldErrors errors) {
        Map<String, Set<String>> found = new HashMap<>();
        List<ObjectNode> expressions = Nodes.objects(term, "matchLabelExpressions");
        for (int i = 0; i < expressions.size(); i++) {
            FieldPath place = path.index(i);
            List<String> values = Nodes.strings(expressions.get(i), "values");
            if (values.isEmpty()) {
                errors.required(place.child("values"));
            }
            Set<String> distinct = new HashSet<>();
            for (int j = 0; j < values.size(); j++) {
                if (!distinct.add(values.get(j))) {
                    errors.duplicate(place.child("values").index(j), values.get(j));
                }
            }
            String key = Json.textAt(expressions.get(i), "key");
            LabelRules.key(key, place.child("key"), errors);
            if (found.containsKey(key)) {
                errors.duplicate(place.child("key"), key);
            }
            found.put(key, distinct);
        }
        return found;
    }

    static List<String> topologyWarnings(ObjectNode object) {
        List<String> warnings = new ArrayList<>();
        List<ObjectNode> terms = Nodes.objects(object, "allowedTopologies");
        for (int i = 0; i < terms.size(); i++) {
            List<ObjectNode> expressions = Nodes.objects(terms.get(i), "matchLabelExpressions");
            for (int j = 0; j < expressions.size(); j++) {
                String deprecation = NodeLabels.deprecation(Json.textAt(expressions.get(j), "key"));
                if (deprecation != null) {
                    FieldPath path = FieldPath.of("allowedTopologies")
                            .index(i)
                            .child("matchLabelExpressions")
                            .index(j);
                    warnings.add(path.child("key") + ": " + deprecation);
                }
            }
        }
        return warnings;
    }
}
