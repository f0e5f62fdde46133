package lavaflow.kinds;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Names;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Checks of limit ranges. */
final class LimitRangeValidation {
    private static final Set<String> TYPES = Set.of("Pod", "Container", "PersistentVolumeClaim");
    private static final Quantity ONE = Quantity.of(1, Quantity.Format.DECIMAL_SI);
    /** Beyond this, thousandths overflow a long. */
    private static final long MOST_MILLI = Long.MAX_VALUE / 1000;

    private LimitRangeValidation() {}

    static void validate(ObjectNode object, FieldErrors errors) {
        Set<String> types = new HashSet<>();
        List<ObjectNode> limits = Nodes.objects(object, "spec", "limits");
        for (int i = 0; i < limits.size(); i++) {
            FieldPath path = FieldPath.of("spec", "limits").index(i);
            String type = Json.textAt(limits.get(i), "type");
            type(type, path.child("type"), errors);
            if (!types.add(type)) {
                errors.duplicate(path.child("type"), type);
            }
            limit(limits.get(i), type, path, errors);
        }
    }

    private static void type(String type, FieldPath path, FieldErrors errors) {
        List<String> wrong = Names.qualifiedName(type);
        FieldChecks.invalid(path, type, wrong, errors);
        if (wrong.isEmpty() && type.indexOf('/') < 0 && !TYPES.contains(type)) {
            errors.invalid(path, type, "must be a standard limit type or fully qualified");
        }
    }

    private static void limit(ObjectNode limit, String type, FieldPath path, FieldErrors errors) {
        Set<String> resources = new TreeSet<>();
        names(limit, "max", type, resources, path, errors);
        names(limit, "min", type, resources, path, errors);
        ObjectNode counted = limit.deepCopy();
        for (String field : new String[] {"default", "defaultRequest"}) {
            if (!type.equals("Pod")) {
                names(limit, field, type, resources, path, errors);
            } else if (!Nodes.emptyAt(limit, field)) {
                errors.forbidden(path.child(field), "may not be specified when `type` is 'Pod'");
                counted.remove(field);
            }
        }
        if (type.equals("PersistentVolumeClaim")
                && !Nodes.has(limit, "min", "storage")
                && !Nodes.has(limit, "max", "storage")) {
            errors.required(
                    path.child("limits"),
                    "either minimum or maximum storage value is required, but neither was provided");
        }
        names(limit, "maxLimitRequestRatio", type, resources, path, errors);
        for (String resource : resources) {
            order(counted, resource, path, errors);
            ratio(counted, resource, path, errors);
            Quantity most = at(counted, "default", resource);
            Quantity asked = at(counted, "defaultRequest", resource);
            if (!ResourceNames.isOvercommitAllowed(resource)
                    && most != null
                    && asked != null
                    && most.compareTo(asked) != 0) {
                errors.invalid(
                        path.child("defaultRequest").key(resource),
                        asked.toString(),
                        "default value " + most + " must equal to defaultRequest value " + asked + " in " + resource);
            }
        }
    }

    private static void names(
            ObjectNode limit, String field, String type, Set<String> resources, FieldPath path, FieldErrors errors) {
        for (String name : Nodes.entries(limit, field).keySet()) {
            FieldPath place = path.child(field).key(name);
            if (type.equals("Pod") || type.equals("Container")) {
                QuotaResources.containerName(name, place, errors);
            } else {
                QuotaResources.name(name, place, errors);
            }
            resources.add(name);
        }
    }

    private static @org.jspecify.annotations.Nullable Quantity at(ObjectNode limit, String field, String resource) {
        return QuotaResources.find(limit.get(field), resource);
    }

    private static void order(ObjectNode limit, String resource, FieldPath path, FieldErrors errors) {
        Quantity min = at(limit, "min", resource);
        Quantity max = at(limit, "max", resource);
        Quantity standard = at(limit, "default", resource);
        Quantity request = at(limit, "defaultRequest", resource);
        if (min != null && max != null && min.compareTo(max) > 0) {
            errors.invalid(
                    path.child("min").key(resource),
                    min.toString(),
                    "min value " + min + " is greater than max value " + max);
        }
        FieldPath requestPath = path.child("defaultRequest").key(resource);
        if (request != null && min != null && min.compareTo(request) > 0) {
            errors.invalid(
                    requestPath,
                    request.toString(),
                    "min value " + min + " is greater than default request value " + request);
        }
        if (request != null && max != null && request.compareTo(max) > 0) {
            errors.invalid(
                    requestPath,
                    request.toString(),
                    "default request value " + request + " is greater than max value " + max);
        }
        if (request != null && standard != null && request.compareTo(standard) > 0) {
            errors.invalid(
                    requestPath,
                    request.toString(),
                    "default request value " + request + " is greater than default limit value " + standard);
        }
        FieldPath defaultPath = path.child("default").key(resource);
        if (standard != null && min != null && min.compareTo(standard) > 0) {
            errors.invalid(
                    defaultPath, min.toString(), "min value " + min + " is greater than default value " + standard);
        }
        if (standard != null && max != null && standard.compareTo(max) > 0) {
            errors.invalid(
                    defaultPath, max.toString(), "default value " + standard + " is greater than max value " + max);
        }
    }

    private static void ratio(ObjectNode limit, String resource, FieldPath path, FieldErrors errors) {
        Quantity ratio = at(limit, "maxLimitRequestRatio", resource);
        if (ratio == null) {
            return;
        }
        FieldPath place = path.child("maxLimitRequestRatio").key(resource);
        if (ratio.compareTo(ONE) < 0) {
            errors.invalid(place, ratio.toString(), "ratio " + ratio + " is less than 1");
        }
        Quantity min = at(limit, "min", resource);
        Quantity max = at(limit, "max", resource);
        if (min == null || max == null) {
            return;
        }
        boolean fine = ratio.value() < MOST_MILLI && min.value() < MOST_MILLI && max.value() < MOST_MILLI;
        double wanted = fine ? ratio.milliValue() / 1000.0 : ratio.value();
        double possible = fine
                ? (double) max.milliValue() / (double) min.milliValue()
                : (double) max.value() / (double) min.value();
        if (wanted > possible) {
            errors.invalid(
                    place,
                    ratio.toString(),
                    "ratio " + ratio + " is greater than max/min = " + String.format(Locale.ROOT, "%f", possible));
        }
    }
}
