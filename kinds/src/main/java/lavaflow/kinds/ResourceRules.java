package lavaflow.kinds;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;

import lavaflow.kube.FieldError;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Names;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What containers and pods may ask of a node. */
final class ResourceRules {
    private static final List<String> POD_LEVEL = List.of("cpu", "hugepages-", "memory");

    /** Complains about a resource's name and says whether that was all that should be said. */
    @FunctionalInterface
    private interface NameCheck {
        void check(String name, FieldPath path, FieldErrors errors);
    }

    private ResourceRules() {}

    /** The requirements of a container. */
    static void container(@Nullable JsonNode requirements, Set<String> claims, FieldPath path, FieldErrors errors) {
        requirements(requirements, ResourceRules::containerName, claims, path, errors);
    }

    /** The overhead of a pod, which is checked like limits. */
    static void overhead(ObjectNode spec, FieldPath path, FieldErrors errors) {
        ObjectNode limits = Json.object();
        limits.set("limits", spec.get("overhead"));
        requirements(limits, ResourceRules::containerName, Set.of(), path, errors);
    }

    /** A resource's name anywhere. */
    static boolean name(String name, FieldPath path, FieldErrors errors) {
        List<String> wrong = Names.qualifiedName(name);
        FieldChecks.invalid(path, name, wrong, errors);
        if (!wrong.isEmpty()) {
            return false;
        }
        if (!name.contains("/") && !ResourceNames.isStandard(name)) {
            errors.invalid(path, name, "must be a standard resource type or fully qualified");
            return false;
        }
        return true;
    }

    private static void containerName(String name, FieldPath path, FieldErrors errors) {
        name(name, path, errors);
        long slashes = name.chars().filter(c -> c == '/').count();
        if (slashes == 0) {
            if (!ResourceNames.isStandardForContainers(name)) {
                errors.invalid(path, name, "must be a standard resource for containers");
            }
        } else if (!ResourceNames.isNative(name) && !ResourceNames.isExtended(name)) {
            errors.invalid(path, name, "doesn't follow extended resource name standard");
        }
    }

    private static void podName(String name, FieldPath path, FieldErrors errors) {
        if (name(name, path, errors) && !ResourceNames.isPodLevel(name)) {
            errors.notSupported(path, name, POD_LEVEL);
        }
    }

    /** An amount: not negative, whole where the resource cannot be divided. */
    static void amount(String name, Quantity amount, FieldPath path, FieldErrors errors) {
        if (amount.signum() < 0) {
            errors.invalid(path, amount.toString(), FieldChecks.NOT_NEGATIVE);
        }
        if (ResourceNames.isWhole(name) && amount.milliValue() % 1000 != 0) {
            errors.invalid(path, amount.toString(), "must be an integer");
        }
    }

    private static void requirements(
            @Nullable JsonNode requirements, NameCheck names, Set<String> claims, FieldPath path, FieldErrors errors) {
        Map<String, Quantity> limits = ResourceLists.read(Json.at(requirements, "limits"));
        Map<String, Quantity> requests = ResourceLists.read(Json.at(requirements, "requests"));
        limits.forEach((name, limit) -> {
            FieldPath place = path.child("limits").key(name);
            names.check(name, place, errors);
            amount(name, limit, place, errors);
            hugePages(name, limit, place, errors);
        });
        requests.forEach((name, request) -> {
            FieldPath place = path.child("requests").key(name);
            names.check(name, place, errors);
            amount(name, request, place, errors);
            withinLimit(name, request, limits.get(name), path, errors);
            hugePages(name, request, place, errors);
        });
        Set<String> asked = new HashSet<>(limits.keySet());
        asked.addAll(requests.keySet());
        boolean pages = asked.stream().anyMatch(ResourceNames::isHugePages);
        if (pages && !asked.contains("cpu") && !asked.contains("memory")) {
            errors.forbidden(path, "HugePages require cpu or memory");
        }
        claims(Nodes.objects(requirements, "claims"), claims, path.child("claims"), errors);
    }

    private static void withinLimit(
            String name, Quantity request, @Nullable Quantity limit, FieldPath path, FieldErrors errors) {
        boolean overcommit = ResourceNames.isOvercommitAllowed(name);
        if (limit == null) {
            if (!overcommit) {
                errors.required(path.child("limits"), "Limit must be set for non overcommitable resources");
            }
        } else if (!overcommit && request.compareTo(limit) != 0) {
            errors.invalid(
                    path.child("requests"), request.toString(), "must be equal to " + name + " limit of " + limit);
        } else if (request.compareTo(limit) > 0) {
            errors.invalid(
                    path.child("requests"),
                    request.toString(),
                    "must be less than or equal to " + name + " limit of " + limit);
        }
    }

    private static void hugePages(String name, Quantity amount, FieldPath path, FieldErrors errors) {
        if (ResourceNames.isHugePages(name) && !ResourceNames.isMultipleOfPage(name, amount)) {
            errors.invalid(path, amount.toString(), amount + " is not positive integer multiple of " + name);
        }
    }

    private static void claims(List<ObjectNode> claims, Set<String> known, FieldPath path, FieldErrors errors) {
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < claims.size(); i++) {
            String name = Json.textAt(claims.get(i), "name");
            if (name.isEmpty()) {
                errors.required(path.index(i));
                continue;
            }
            claimIsNew(name, Json.textAt(claims.get(i), "request"), seen, path.index(i), errors);
            if (!known.contains(name)) {
                String choice = known.isEmpty() ? " which is empty" : ": " + String.join(", ", known);
                errors.add(
                        FieldError.Reason.NOT_FOUND,
                        path.index(i),
                        "Not found: " + FieldErrors.quoted(name)
                                + ": must be one of the names in pod.spec.resourceClaims" + choice);
            }
        }
    }

    /** A claim as a whole overlaps with every request in it. */
    private static void claimIsNew(String name, String request, Set<String> seen, FieldPath path, FieldErrors errors) {
        if (seen.contains(name)) {
            errors.duplicate(path, name);
            return;
        }
        String key = request.isEmpty() ? name : name + "/" + request;
        if (!request.isEmpty()) {
            FieldChecks.invalid(path.child("request"), request, Names.dns1123Label(request), errors);
        }
        if (seen.contains(key)) {
            errors.duplicate(path, key);
        } else if (request.isEmpty()) {
            seen.stream().filter(other -> other.startsWith(name + "/")).forEach(other -> errors.duplicate(path, name));
        }
        seen.add(key);
    }

    /** Resources of a pod as a whole, and how they go with those of its containers. */
    static void pod(PodScope scope, FieldPath specPath, FieldErrors errors) {
        ObjectNode spec = scope.spec();
        JsonNode resources = Json.at(spec, "resources");
        if (resources == null) {
            return;
        }
        FieldPath path = specPath.child("resources");
        if (Json.textAt(spec, "os", "name").equals("windows")) {
            errors.forbidden(path, "may not be set for a windows pod");
            return;
        }
        if (Nodes.has(resources, "claims")) {
            errors.forbidden(path.child("claims"), "claims may not be set for Resources at pod-level");
        }
        requirements(resources, ResourceRules::podName, scope.claims(), path, errors);
        Map<String, Quantity> requests = ResourceLists.read(Json.at(resources, "requests"));
        Map<String, Quantity> limits = ResourceLists.read(Json.at(resources, "limits"));
        exceeds(
                ResourceLists.ofContainers(spec, "requests"),
                requests,
                (name, any) -> true,
                (name, sum, own) -> errors.invalid(
                        path.child("requests").key(name),
                        own.toString(),
                        "must be greater than or equal to aggregate container requests of " + sum));
        exceeds(
                ResourceLists.ofContainers(spec, "limits"),
                limits,
                (name, any) -> ResourceNames.isHugePages(name),
                (name, sum, own) -> errors.invalid(
                        path.child("limits").key(name),
                        own.toString(),
                        "must be greater than or equal to aggregate container limits of " + sum));
        List<ObjectNode> containers = PodSpecs.containers(spec);
        for (int i = 0; i < containers.size(); i++) {
            FieldPath place = path.child("containers").index(i);
            exceeds(
                    ResourceLists.read(Json.at(containers.get(i), "resources", "limits")),
                    limits,
                    (name, any) -> true,
                    (name, sum, own) -> errors.invalid(
                            place.key(name).child("limits"),
                            sum.toString(),
                            "must be less than or equal to pod limits of " + own));
        }
    }

    @FunctionalInterface
    private interface Complaint {
        void about(String name, Quantity containers, Quantity pod);
    }

    private static void exceeds(
            Map<String, Quantity> containers,
            Map<String, Quantity> pod,
            BiPredicate<String, Quantity> counts,
            Complaint complaint) {
        containers.forEach((name, sum) -> {
            Quantity own = pod.get(name);
            if (own != null && counts.test(name, sum) && sum.compareTo(own) > 0) {
                complaint.about(name, sum, own);
            }
        });
    }
}
