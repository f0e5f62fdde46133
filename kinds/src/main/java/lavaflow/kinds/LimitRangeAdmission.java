package lavaflow.kinds;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import lavaflow.kube.Json;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Fills in what limit ranges give by default and refuses what they do not allow. */
public final class LimitRangeAdmission {
    private static final String ANNOTATION = "kubernetes.io/limit-ranger";
    /** Beyond this, thousandths overflow a long. */
    private static final long MOST_MILLI = Long.MAX_VALUE / 1000;

    private record Amounts(Map<String, Quantity> requests, Map<String, Quantity> limits) {
        static Amounts of(@Nullable JsonNode resources) {
            return new Amounts(
                    ResourceLists.read(Json.at(resources, "requests")),
                    ResourceLists.read(Json.at(resources, "limits")));
        }
    }

    private LimitRangeAdmission() {}

    /** Whether writes of this kind are looked at: new pods, their resizing, and claims. */
    public static boolean handles(String group, String resource, String subresource, boolean create) {
        if (!group.isEmpty()) {
            return false;
        }
        return switch (resource) {
            case "pods" -> subresource.equals("resize") || (subresource.isEmpty() && create);
            case "persistentvolumeclaims" -> subresource.isEmpty();
            default -> false;
        };
    }

    /** Gives the containers of a new pod what one limit range has by default. */
    public static void applyDefaults(ObjectNode pod, ObjectNode limitRange) {
        ObjectNode requests = Json.object();
        ObjectNode limits = Json.object();
        for (ObjectNode limit : Nodes.objects(limitRange, "spec", "limits")) {
            if (Json.textAt(limit, "type").equals("Container")) {
                Nodes.entries(limit, "defaultRequest").forEach(requests::set);
                Nodes.entries(limit, "default").forEach(limits::set);
            }
        }
        List<String> notes = new ArrayList<>();
        for (ObjectNode container : Nodes.objects(pod, "spec", "containers")) {
            complete(container, requests, limits, "container", notes);
        }
        for (ObjectNode container : Nodes.objects(pod, "spec", "initContainers")) {
            complete(container, requests, limits, "init container", notes);
        }
        if (!notes.isEmpty()) {
            Json.ensureObject(pod, "metadata", "annotations")
                    .put(ANNOTATION, "LimitRanger plugin set: " + String.join("; ", notes));
        }
    }

    private static void complete(
            ObjectNode container, ObjectNode requests, ObjectNode limits, String what, List<String> notes) {
        List<String> setLimits = fill(container, "limits", limits);
        List<String> setRequests = fill(container, "requests", requests);
        String tail = " for " + what + " " + Json.textAt(container, "name");
        if (!setRequests.isEmpty()) {
            notes.add(String.join(", ", setRequests) + " request" + tail);
        }
        if (!setLimits.isEmpty()) {
            notes.add(String.join(", ", setLimits) + " limit" + tail);
        }
    }

    private static List<String> fill(ObjectNode container, String kind, ObjectNode defaults) {
        List<String> set = new ArrayList<>();
        Nodes.entries(defaults).forEach((name, value) -> {
            if (!Nodes.has(container, "resources", kind, name)) {
                Json.ensureObject(container, "resources", kind).set(name, value);
                set.add(name);
            }
        });
        return set;
    }

    /** Why one limit range forbids a pod or a claim; empty where it does not. */
    public static String problem(String resource, ObjectNode object, ObjectNode limitRange) {
        Set<String> problems = new LinkedHashSet<>();
        for (ObjectNode limit : Nodes.objects(limitRange, "spec", "limits")) {
            String type = Json.textAt(limit, "type");
            switch (resource + "/" + type) {
                case "pods/Container" -> {
                    for (String list : new String[] {"containers", "initContainers"}) {
                        for (ObjectNode container : Nodes.objects(object, "spec", list)) {
                            check(limit, type, Amounts.of(container.get("resources")), problems);
                        }
                    }
                }
                case "pods/Pod" -> check(limit, type, ofPod(object), problems);
                case "persistentvolumeclaims/PersistentVolumeClaim" -> checkClaim(limit, type, object, problems);
                default -> {
                    // Limits on other things.
                }
            }
        }
        return problems.size() < 2 ? String.join("", problems) : "[" + String.join(", ", problems) + "]";
    }

    private static Amounts ofPod(ObjectNode pod) {
        JsonNode spec = Json.at(pod, "spec");
        Amounts amounts = new Amounts(
                new LinkedHashMap<>(ResourceLists.ofContainers(spec, "requests")),
                new LinkedHashMap<>(ResourceLists.ofContainers(spec, "limits")));
        Amounts whole = Amounts.of(Json.at(spec, "resources"));
        for (String resource : new String[] {"cpu", "memory"}) {
            override(amounts.requests, whole.requests, resource);
            override(amounts.limits, whole.limits, resource);
        }
        return amounts;
    }

    private static void override(Map<String, Quantity> amounts, Map<String, Quantity> whole, String resource) {
        Quantity amount = whole.get(resource);
        if (amount != null) {
            amounts.put(resource, amount);
        }
    }

    private static void check(ObjectNode limit, String type, Amounts amounts, Set<String> problems) {
        ResourceLists.read(limit.get("min")).forEach((name, least) -> min(type, name, least, amounts, problems));
        ResourceLists.read(limit.get("max")).forEach((name, most) -> max(type, name, most, amounts, problems));
        ResourceLists.read(limit.get("maxLimitRequestRatio"))
                .forEach((name, most) -> ratio(type, name, most, amounts, problems));
    }

    private static void checkClaim(ObjectNode limit, String type, ObjectNode claim, Set<String> problems) {
        Amounts amounts = new Amounts(ResourceLists.read(Json.at(claim, "spec", "resources", "requests")), Map.of());
        ResourceLists.read(limit.get("min")).forEach((name, least) -> min(type, name, least, amounts, problems));
        ResourceLists.read(limit.get("max")).forEach((name, most) -> {
            Quantity request = amounts.requests.get(name);
            String head = "maximum " + name + " usage per " + type + " is " + most;
            if (request == null) {
                problems.add(head + ".  No request is specified");
            } else if (compare(request, most) > 0) {
                problems.add(head + ", but request is " + request);
            }
        });
    }

    /** Compares as upstream does: in thousandths where both are small enough. */
    private static int compare(Quantity left, Quantity right) {
        return left.value() <= MOST_MILLI && right.value() <= MOST_MILLI
                ? Long.compare(left.milliValue(), right.milliValue())
                : Long.compare(left.value(), right.value());
    }

    private static void min(String type, String name, Quantity least, Amounts amounts, Set<String> problems) {
        Quantity request = amounts.requests.get(name);
        Quantity limit = amounts.limits.get(name);
        String head = "minimum " + name + " usage per " + type + " is " + least;
        if (request == null) {
            problems.add(head + ".  No request is specified");
        } else if (compare(request, least) < 0) {
            problems.add(head + ", but request is " + request);
        } else if (limit != null && compare(limit, least) < 0) {
            problems.add(head + ", but limit is " + limit);
        }
    }

    private static void max(String type, String name, Quantity most, Amounts amounts, Set<String> problems) {
        Quantity request = amounts.requests.get(name);
        Quantity limit = amounts.limits.get(name);
        String head = "maximum " + name + " usage per " + type + " is " + most;
        if (limit == null) {
            problems.add(head + ".  No limit is specified");
        } else if (compare(limit, most) > 0) {
            problems.add(head + ", but limit is " + limit);
        } else if (request != null && compare(request, most) > 0) {
            problems.add(head + ", but request is " + request);
        }
    }

    private static void ratio(String type, String name, Quantity most, Amounts amounts, Set<String> problems) {
        Quantity request = amounts.requests.get(name);
        Quantity limit = amounts.limits.get(name);
        String head = name + " max limit to request ratio per " + type + " is " + most + ", but ";
        if (request == null || request.isZero()) {
            problems.add(head + "no request is specified or request is 0");
        } else if (limit == null || limit.isZero()) {
            problems.add(head + "no limit is specified or limit is 0");
        } else {
            boolean fine = request.value() <= MOST_MILLI && limit.value() <= MOST_MILLI;
            double ratio = fine
                    ? (double) limit.milliValue() / (double) request.milliValue()
                    : (double) limit.value() / (double) request.value();
            boolean tooLarge = most.value() <= MOST_MILLI
                    ? ratio * 1000 > (double) most.milliValue()
                    : ratio > (double) most.value();
            if (tooLarge) {
                problems.add(head + "provided ratio is " + String.format(Locale.ROOT, "%f", ratio));
            }
        }
    }
}
