package lavaflow.kinds;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Identifiers;
import lavaflow.kube.Json;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Checks of claims on devices and of classes of devices; whether expressions compile is checked elsewhere. */
final class DeviceClaimValidation {
    private static final int MOST = 32;
    private static final int MOST_ALTERNATIVES = 8;

    private DeviceClaimValidation() {}

    static void claim(@Nullable ObjectNode spec, FieldPath path, FieldErrors errors) {
        FieldPath devices = path.child("devices");
        List<ObjectNode> requests = Nodes.objects(spec, "devices", "requests");
        tooMany(requests.size(), MOST, devices.child("requests"), errors);
        Map<String, Set<String>> names = new HashMap<>();
        for (int i = 0; i < requests.size(); i++) {
            FieldPath place = devices.child("requests").index(i);
            request(requests.get(i), place, errors);
            String name = Json.textAt(requests.get(i), "name");
            if (names.containsKey(name)) {
                errors.duplicate(place, name);
            }
            Set<String> inner = new HashSet<>();
            Nodes.objects(requests.get(i), "firstAvailable").forEach(sub -> inner.add(Json.textAt(sub, "name")));
            names.put(name, inner);
        }
        List<ObjectNode> constraints = Nodes.objects(spec, "devices", "constraints");
        tooMany(constraints.size(), MOST, devices.child("constraints"), errors);
        for (int i = 0; i < constraints.size(); i++) {
            constraint(constraints.get(i), names, devices.child("constraints").index(i), errors);
        }
        List<ObjectNode> configs = Nodes.objects(spec, "devices", "config");
        tooMany(configs.size(), MOST, devices.child("config"), errors);
        for (int i = 0; i < configs.size(); i++) {
            FieldPath place = devices.child("config").index(i);
            requestNames(configs.get(i), names, place.child("requests"), errors);
            configuration(configs.get(i), place, errors);
        }
    }

    private static void tooMany(int size, int most, FieldPath path, FieldErrors errors) {
        if (size > most) {
            errors.tooMany(path, size, most);
        }
    }

    private static void request(ObjectNode request, FieldPath path, FieldErrors errors) {
        label(request, path, errors);
        List<ObjectNode> alternatives = Nodes.objects(request, "firstAvailable");
        ObjectNode exactly = Json.objectAt(request, "exactly");
        String one = "exactly one of `exactly` or `firstAvailable` is required";
        if (alternatives.isEmpty() && exactly == null) {
            errors.required(path, one);
        } else if (exactly != null && !alternatives.isEmpty()) {
            errors.invalid(path, (JsonNode) null, one + ", but multiple fields are set");
        } else if (exactly != null) {
            devices(exactly, path.child("exactly"), errors);
        } else {
            tooMany(alternatives.size(), MOST_ALTERNATIVES, path.child("firstAvailable"), errors);
            Set<String> names = new HashSet<>();
            for (int i = 0; i < alternatives.size(); i++) {
                FieldPath place = path.child("firstAvailable").index(i);
                label(alternatives.get(i), place, errors);
                devices(alternatives.get(i), place, errors);
                if (!names.add(Json.textAt(alternatives.get(i), "name"))) {
                    errors.duplicate(place, Json.textAt(alternatives.get(i), "name"));
                }
            }
        }
    }

    private static void label(ObjectNode named, FieldPath path, FieldErrors errors) {
        String name = Json.textAt(named, "name");
        FieldChecks.invalid(path.child("name"), name, Names.dns1123Label(name), errors);
    }

    private static void devices(ObjectNode request, FieldPath path, FieldErrors errors) {
        if (FieldChecks.requireText(request, "deviceClassName", path, errors)) {
            FieldChecks.optionalSubdomain(request, "deviceClassName", path, errors);
        }
        selectors(request, path.child("selectors"), errors);
        String mode = Json.textAt(request, "allocationMode");
        long count = Json.longAt(request, 0, "count");
        switch (mode) {
            case "All" -> {
                if (count != 0) {
                    errors.invalid(path.child("count"), count, "must not be specified when allocationMode is 'All'");
                }
            }
            case "ExactCount" -> {
                if (count <= 0) {
                    errors.invalid(path.child("count"), count, "must be greater than zero");
                }
            }
            default -> errors.notSupported(path.child("allocationMode"), mode, List.of("All", "ExactCount"));
        }
        List<ObjectNode> tolerations = Nodes.objects(request, "tolerations");
        for (int i = 0; i < tolerations.size(); i++) {
            toleration(tolerations.get(i), path.child("tolerations").index(i), errors);
        }
    }

    static void selectors(JsonNode holder, FieldPath path, FieldErrors errors) {
        List<ObjectNode> selectors = Nodes.objects(holder, "selectors");
        tooMany(selectors.size(), MOST, path, errors);
        for (int i = 0; i < selectors.size(); i++) {
            if (!Nodes.has(selectors.get(i), "cel")) {
                errors.required(path.index(i).child("cel"));
            }
        }
    }

    private static void toleration(ObjectNode toleration, FieldPath path, FieldErrors errors) {
        String key = Json.textAt(toleration, "key");
        if (!key.isEmpty()) {
            LabelRules.key(key, path.child("key"), errors);
        }
        String operator = Json.textAt(toleration, "operator");
        String value = Json.textAt(toleration, "value");
        switch (operator) {
            case "Exists" -> {
                if (!value.isEmpty()) {
                    errors.invalid(path.child("value"), value, "must be empty for operator `Exists`");
                }
            }
            case "Equal", "" -> FieldChecks.invalid(path.child("value"), value, Names.labelValue(value), errors);
            default -> errors.notSupported(path.child("operator"), operator, List.of("Equal", "Exists"));
        }
        String effect = Json.textAt(toleration, "effect");
        List<String> effects = List.of("NoExecute", "NoSchedule", "None");
        if (!effect.isEmpty() && !effects.contains(effect)) {
            errors.notSupported(path.child("effect"), effect, effects);
        }
    }

    private static void requestNames(
            ObjectNode holder, Map<String, Set<String>> names, FieldPath path, FieldErrors errors) {
        Set<String> seen = new HashSet<>();
        List<String> requests = Nodes.strings(holder, "requests");
        for (int i = 0; i < requests.size(); i++) {
            String name = requests.get(i);
            int slash = name.indexOf('/');
            Set<String> inner = names.get(slash < 0 ? name : name.substring(0, slash));
            if (inner == null || (slash >= 0 && !inner.contains(name.substring(slash + 1)))) {
                errors.invalid(
                        path.index(i),
                        name,
                        "must be the name of a request in the claim or the name of a request and a subrequest"
                                + " separated by '/'");
            }
            if (!seen.add(name)) {
                errors.duplicate(path.index(i), name);
            }
        }
    }

    private static void constraint(
            ObjectNode constraint, Map<String, Set<String>> names, FieldPath path, FieldErrors errors) {
        requestNames(constraint, names, path.child("requests"), errors);
        boolean match = Nodes.has(constraint, "matchAttribute");
        boolean distinct = Nodes.has(constraint, "distinctAttribute");
        if (match == distinct) {
            errors.required(
                    path,
                    "exactly one of \"matchAttribute\" or \"distinctAttribute\" is required, but multiple fields are"
                            + " set");
        }
        for (String field : new String[] {"matchAttribute", "distinctAttribute"}) {
            if (Nodes.has(constraint, field)) {
                qualified(Json.textAt(constraint, field), path.child(field), true, errors);
            }
        }
    }

    /** A name of an attribute or capacity: a C identifier, usually with a domain before it. */
    static void qualified(String name, FieldPath path, boolean domainRequired, FieldErrors errors) {
        int slash = name.indexOf('/');
        String bare = slash < 0 ? name : name.substring(slash + 1);
        if (slash >= 0) {
            String domain = name.substring(0, slash);
            FieldChecks.invalid(path, domain, Names.dns1123Subdomain(domain.toLowerCase(Locale.ROOT)), errors);
        }
        FieldChecks.invalid(path, bare, Identifiers.cIdentifier(bare), errors);
        if (slash < 0 && domainRequired) {
            errors.invalid(path, name, "a fully qualified name must be a domain and a name separated by a slash");
        }
    }

    static void configuration(ObjectNode config, FieldPath path, FieldErrors errors) {
        FieldPath place = path.child("opaque");
        if (!Nodes.has(config, "opaque")) {
            errors.required(place);
            return;
        }
        CsiValidation.driverName(Json.textAt(config, "opaque", "driver"), place.child("driver"), errors);
        JsonNode parameters = Json.at(config, "opaque", "parameters");
        if (parameters == null) {
            errors.required(place.child("parameters"));
        } else if (!parameters.isObject()) {
            errors.invalid(place.child("parameters"), "<value omitted>", "must be a valid JSON object");
        }
    }

    static void deviceClass(ObjectNode object, FieldErrors errors) {
        FieldPath path = FieldPath.of("spec");
        ObjectNode spec = Json.ensureObject(object, "spec");
        selectors(spec, path.child("selectors"), errors);
        List<ObjectNode> configs = Nodes.objects(spec, "config");
        tooMany(configs.size(), MOST, path.child("config"), errors);
        for (int i = 0; i < configs.size(); i++) {
            configuration(configs.get(i), path.child("config").index(i), errors);
        }
        if (Nodes.has(spec, "extendedResourceName")) {
            String name = Json.textAt(spec, "extendedResourceName");
            if (!ResourceNames.isExtended(name)) {
                errors.invalid(path.child("extendedResourceName"), name, "must be a valid extended resource name");
            }
        }
    }

    static void template(ObjectNode object, FieldErrors errors) {
        FieldPath path = FieldPath.of("spec");
        LabelRules.labels(Json.at(object, "spec", "metadata", "labels"), path.child("metadata", "labels"), errors);
        claim(Json.objectAt(object, "spec", "spec"), path.child("spec"), errors);
    }

    /** Claims and templates never change; messages show the whole spec in Go's form. */
    static void frozen(ObjectNode object, ObjectNode old, boolean template, FieldErrors errors) {
        if (!Objects.equals(Json.at(object, "spec"), Json.at(old, "spec"))) {
            JsonNode claim = template ? Json.at(object, "spec", "spec") : Json.at(object, "spec");
            ObjectNode shown = shown(claim);
            if (template) {
                ObjectNode whole = Json.object();
                JsonNode metadata = Json.at(object, "spec", "metadata");
                if (metadata instanceof ObjectNode given) {
                    whole.setAll(given);
                }
                whole.set("Spec", shown);
                shown = whole;
            }
            errors.invalid(FieldPath.of("spec"), shown, FieldChecks.IMMUTABLE);
        }
    }

    private static ObjectNode shown(@Nullable JsonNode claim) {
        ObjectNode devices = Json.object();
        ArrayNode requests = Json.array();
        for (ObjectNode request : Nodes.objects(claim, "devices", "requests")) {
            ObjectNode go = requests.addObject().put("Name", Json.textAt(request, "name"));
            ObjectNode exactly = Json.objectAt(request, "exactly");
            go.set("Exactly", exactly == null ? null : exact(exactly));
            go.set("FirstAvailable", Json.at(request, "firstAvailable"));
        }
        devices.set("Requests", requests.isEmpty() ? null : requests);
        devices.set("Constraints", Json.at(claim, "devices", "constraints"));
        devices.set("Config", Json.at(claim, "devices", "config"));
        ObjectNode shown = Json.object();
        shown.set("Devices", devices);
        return shown;
    }

    private static ObjectNode exact(ObjectNode exactly) {
        ObjectNode go = FieldChecks.goStruct(exactly, "DeviceClassName=", "Selectors", "AllocationMode=");
        go.put("Count", Json.longAt(exactly, 0, "count"));
        go.set("AdminAccess", Json.at(exactly, "adminAccess"));
        go.set("Tolerations", Json.at(exactly, "tolerations"));
        go.set("Capacity", Json.at(exactly, "capacity"));
        return go;
    }
}
