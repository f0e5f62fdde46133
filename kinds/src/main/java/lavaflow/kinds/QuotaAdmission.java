package lavaflow.kinds;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import lavaflow.kube.Json;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Whether a write fits into the quotas of its namespace, and what they have left afterwards.
 *
 * <p>What is used is in the quotas' status; whoever calls this stores the new status before the write, in one step, so
 * that two writes cannot both take the last of something.
 */
public final class QuotaAdmission {
    private static final Set<String> STATED =
            Set.of("cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory");

    /**
     * What is asked for.
     *
     * @param old what the object was, null on create
     */
    public record Request(
            String group,
            String resource,
            String subresource,
            ObjectNode object,
            @Nullable ObjectNode old,
            Instant now) {
        /** Whether quotas look at writes like this one at all. */
        public boolean counts() {
            boolean create = old == null;
            if (!group.isEmpty()) {
                return create && subresource.isEmpty();
            }
            return switch (resource) {
                case "pods" ->
                    subresource.equals("resize")
                            || (subresource.isEmpty()
                                    && (old == null
                                            || QuotaScopes.isTerminating(old) != QuotaScopes.isTerminating(object)));
                case "services", "persistentvolumeclaims" -> subresource.isEmpty();
                default -> create && subresource.isEmpty();
            };
        }

        private Map<String, Quantity> usage(ObjectNode of) {
            return QuotaUsage.of(group, resource, of, now);
        }

        private boolean covered(ObjectNode quota, ObjectNode by) {
            return QuotaScopes.covers(quota, group, resource, by)
                    && !concerned(quota).isEmpty();
        }

        private List<String> concerned(ObjectNode quota) {
            return Nodes.entries(quota, "status", "hard").keySet().stream()
                    .filter(name -> QuotaUsage.concerns(group, resource, name))
                    .toList();
        }
    }

    /**
     * What came of it.
     *
     * @param refusal why the write is forbidden; empty where it is not
     * @param used the new {@code status.used} of each quota that changed, by name of the quota
     */
    public record Verdict(String refusal, Map<String, ObjectNode> used) {
        static Verdict refused(String why) {
            return new Verdict(why, Map.of());
        }
    }

    private QuotaAdmission() {}

    /**
     * Decides on a write.
     *
     * @param quotas those of the namespace of the object, with status
     */
    public static Verdict check(List<ObjectNode> quotas, Request request) {
        if (!request.counts()) {
            return new Verdict("", Map.of());
        }
        List<ObjectNode> interesting = new ArrayList<>();
        for (ObjectNode quota : quotas) {
            if (!request.covered(quota, request.object)) {
                continue;
            }
            String name = Json.textAt(quota, "metadata", "name");
            String missing = unstated(request, request.concerned(quota));
            if (!missing.isEmpty()) {
                return Verdict.refused("failed quota: " + name + ": must specify " + missing);
            }
            boolean known = request.concerned(quota).stream()
                    .allMatch(resource -> Nodes.has(quota, "status", "used", resource));
            if (!known) {
                return Verdict.refused("status unknown for quota: " + name + ", resources: "
                        + String.join(",", new TreeSet<>(request.concerned(quota))));
            }
            interesting.add(quota);
        }
        Map<String, Quantity> wanted = request.usage(request.object);
        Map<String, ObjectNode> used = new LinkedHashMap<>();
        for (ObjectNode quota : interesting) {
            String refusal = take(quota, delta(request, quota, wanted), used);
            if (!refusal.isEmpty()) {
                return Verdict.refused(refusal);
            }
        }
        return new Verdict("", used);
    }

    /** Containers must state what a quota limits, or they could take all of it. */
    private static String unstated(Request request, Collection<String> resources) {
        boolean pods = request.group.isEmpty() && request.resource.equals("pods");
        if (!pods || Nodes.has(request.object, "spec", "resources")) {
            return "";
        }
        Map<String, Set<String>> missing = new TreeMap<>();
        for (ObjectNode container : PodSpecs.startedContainers(Json.at(request.object, "spec"))) {
            Set<String> stated = QuotaUsage.compute(
                            ResourceLists.read(Json.at(container, "resources", "requests")),
                            ResourceLists.read(Json.at(container, "resources", "limits")))
                    .keySet();
            for (String resource : resources) {
                if (STATED.contains(resource) && !stated.contains(resource)) {
                    missing.computeIfAbsent(resource, name -> new TreeSet<>()).add(Json.textAt(container, "name"));
                }
            }
        }
        List<String> parts = new ArrayList<>();
        missing.forEach((resource, names) -> parts.add(resource + " for: " + String.join(",", names)));
        return String.join("; ", parts);
    }

    /** What the write takes more than before; giving back is left to the controller that recounts. */
    private static Map<String, Quantity> delta(Request request, ObjectNode quota, Map<String, Quantity> wanted) {
        ObjectNode old = request.old;
        if (old == null || !request.covered(quota, old)) {
            return wanted;
        }
        Map<String, Quantity> before = request.usage(old);
        Map<String, Quantity> more = new TreeMap<>();
        wanted.forEach((name, amount) -> {
            Quantity difference = amount.minus(before.getOrDefault(name, Quantity.ZERO));
            if (difference.signum() > 0) {
                more.put(name, difference);
            }
        });
        return more;
    }

    private static String take(ObjectNode quota, Map<String, Quantity> delta, Map<String, ObjectNode> result) {
        ObjectNode used = Json.ensureObject(quota.deepCopy(), "status", "used");
        Map<String, Quantity> hard = ResourceLists.read(Json.at(quota, "status", "hard"));
        Map<String, Quantity> requested = new TreeMap<>();
        Map<String, Quantity> held = new TreeMap<>();
        Map<String, Quantity> limited = new TreeMap<>();
        boolean changed = false;
        for (Map.Entry<String, Quantity> entry : delta.entrySet()) {
            String name = entry.getKey();
            Quantity limit = hard.get(name);
            if (limit == null || entry.getValue().isZero()) {
                continue;
            }
            Quantity before = Quantity.at(used, name);
            Quantity after = before.plus(entry.getValue());
            if (after.compareTo(limit) > 0) {
                requested.put(name, entry.getValue());
                held.put(name, before);
                limited.put(name, limit);
            }
            used.put(name, after.toString());
            changed = true;
        }
        String quotaName = Json.textAt(quota, "metadata", "name");
        if (!requested.isEmpty()) {
            return "exceeded quota: " + quotaName + ", requested: " + printed(requested) + ", used: " + printed(held)
                    + ", limited: " + printed(limited);
        }
        if (changed) {
            result.put(quotaName, used);
        }
        return "";
    }

    private static String printed(Map<String, Quantity> amounts) {
        List<String> parts = new ArrayList<>();
        amounts.forEach((name, amount) -> parts.add(name + "=" + amount));
        return String.join(",", parts);
    }
}
