package lavaflow.simulation;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * No eviction leaves fewer healthy pods than a budget asks for. Who loses pods otherwise, or is resized, is let off until the
 * status of its budget says again what is true: nobody can know of such things at once.
 */
final class BudgetsKept implements Invariant {
    private final Set<String> letOff = new HashSet<>();

    static boolean isOfDaemonSet(ObjectNode pod) {
        for (JsonNode owner : Json.listAt(pod, "metadata", "ownerReferences")) {
            if (Json.textAt(owner, "kind").equals("DaemonSet")) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void after(Observer.Change change, Observer observer) {
        ObjectNode before = change.before();
        ObjectNode after = change.after();
        if (change.kind().equals(Kinds.BUDGETS)) {
            if (after != null) {
                look(after, before, observer);
            }
        } else if (change.kind().equals(Kinds.PODS) && before != null) {
            boolean evicted = after != null && Observer.isDeleting(after) && isMarked(after);
            for (ObjectNode budget : observer.all(Kinds.BUDGETS)) {
                if (covers(budget, before) && isHealthy(before) && (after == null || !isHealthy(after))) {
                    lost(budget, evicted, observer);
                } else if (after != null && covers(budget, before) != covers(budget, after)) {
                    letOff.add(Observer.uid(budget));
                }
            }
        } else if (before != null && after != null && Json.at(after, "spec", "replicas") != null) {
            if (!replicas(before).equals(replicas(after))) {
                letOffAll(observer, Workspace.namespace(after));
            }
        } else if (before != null && (after == null || Observer.isDeleting(after))) {
            letOffAll(observer, Workspace.namespace(before));
        }
    }

    private void letOffAll(Observer observer, String namespace) {
        for (ObjectNode budget : observer.all(Kinds.BUDGETS)) {
            if (Workspace.namespace(budget).equals(namespace)
                    && !minimum(budget).isNumber()) {
                letOff.add(Observer.uid(budget));
            }
        }
    }

    private static String replicas(ObjectNode object) {
        return String.valueOf(Json.at(object, "spec", "replicas"));
    }

    private static JsonNode minimum(ObjectNode budget) {
        JsonNode minimum = Json.at(budget, "spec", "minAvailable");
        return minimum == null ? Json.object() : minimum;
    }

    private static boolean isMarked(ObjectNode pod) {
        return Observer.hasCondition(pod, "DisruptionTarget");
    }

    private static boolean isHealthy(ObjectNode pod) {
        return Observer.isReady(pod) && !Observer.isDeleting(pod);
    }

    private static boolean covers(ObjectNode budget, ObjectNode pod) {
        return Workspace.namespace(budget).equals(Workspace.namespace(pod))
                && LabelSelector.fromJson(Json.at(budget, "spec", "selector"))
                        .matches(Json.at(pod, "metadata", "labels"));
    }

    private static List<ObjectNode> pods(ObjectNode budget, Observer observer) {
        List<ObjectNode> covered = new ArrayList<>();
        for (ObjectNode pod : observer.all(Kinds.PODS)) {
            if (covers(budget, pod)) {
                covered.add(pod);
            }
        }
        return covered;
    }

    private void lost(ObjectNode budget, boolean evicted, Observer observer) {
        String uid = Observer.uid(budget);
        if (!evicted) {
            letOff.add(uid);
        } else if (!letOff.contains(uid)) {
            long healthy = pods(budget, observer).stream()
                    .filter(BudgetsKept::isHealthy)
                    .count();
            long wanted = wanted(budget, observer);
            Violation.unless(
                    healthy >= wanted,
                    () -> "%s wants %d healthy pods, and an eviction leaves %d"
                            .formatted(Observer.place(budget), wanted, healthy));
        }
    }

    /** What the budget asks for; nothing where nobody knows how many there should be. */
    private static long wanted(ObjectNode budget, Observer observer) {
        JsonNode minimum = minimum(budget);
        if (minimum.isNumber()) {
            return minimum.asLong();
        }
        long expected = expected(budget, observer);
        if (minimum.isTextual()) {
            long percent = Long.parseLong(minimum.asText().replace("%", ""));
            return (percent * expected + 99) / 100;
        }
        return expected - Json.longAt(budget, 0, "spec", "maxUnavailable");
    }

    private static long expected(ObjectNode budget, Observer observer) {
        String app = Json.textAt(budget, "spec", "selector", "matchLabels", "app");
        for (var kind : List.of(Kinds.DEPLOYMENTS, Kinds.STATEFUL_SETS, Kinds.REPLICA_SETS)) {
            for (ObjectNode owner : observer.all(kind)) {
                if (Workspace.namespace(owner).equals(Workspace.namespace(budget))
                        && Workspace.name(owner).equals(app)) {
                    return Json.longAt(owner, 1, "spec", "replicas");
                }
            }
        }
        return 0;
    }

    /** A budget whose status has caught up is held to its word again. A new wish is kept to from the beginning. */
    private void look(ObjectNode budget, @Nullable ObjectNode before, Observer observer) {
        if (before == null) {
            letOff.add(Observer.uid(budget));
        }
        List<ObjectNode> pods = pods(budget, observer);
        long healthy = pods.stream().filter(BudgetsKept::isHealthy).count();
        boolean whole = pods.stream().allMatch(BudgetsKept::isHealthy);
        boolean current = Json.longAt(budget, 0, "status", "observedGeneration")
                == Json.longAt(budget, 0, "metadata", "generation");
        if (whole
                && current
                && healthy == Json.longAt(budget, -1, "status", "currentHealthy")
                && wanted(budget, observer) == Json.longAt(budget, -1, "status", "desiredHealthy")
                && Json.at(budget, "status", "disruptedPods") == null) {
            letOff.remove(Observer.uid(budget));
        }
    }

    @Override
    public void atRest(Observer observer) {
        for (ObjectNode budget : observer.all(Kinds.BUDGETS)) {
            long healthy = pods(budget, observer).stream()
                    .filter(BudgetsKept::isHealthy)
                    .count();
            long told = Json.longAt(budget, 0, "status", "currentHealthy");
            Violation.unless(
                    told == healthy,
                    () -> "%s: status.currentHealthy is %d and not %d"
                            .formatted(Observer.place(budget), told, healthy));
        }
    }
}
