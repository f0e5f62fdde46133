package lavaflow.simulation;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * A deployment that was whole once never has fewer pods available than its rollouts may take away, as long as nobody else takes
 * pods away. For runs in which nobody does.
 *
 * <p>It is whole once its ReplicaSets say so, too. Before that a rollout may give up pods that it takes for unavailable, which
 * become available before they are deleted: upstream's, too, goes by what the ReplicaSets last said.
 */
final class SteadyRollouts implements Invariant {
    /** How many a deployment was whole with. */
    private final Map<String, Long> whole = new HashMap<>();

    /** Deployments that lost pods to evictions, or to what happened to a namespace. */
    private final Set<String> disturbed = new HashSet<>();

    @Override
    public void after(Observer.Change change, Observer observer) {
        ObjectNode before = change.before();
        boolean pod = change.kind().equals(Kinds.PODS);
        if (before == null || !(pod || change.kind().equals(Kinds.REPLICA_SETS))) {
            return;
        }
        ObjectNode set = pod ? observer.byUid(Kinds.REPLICA_SETS, Observer.owner(before)) : before;
        ObjectNode deployment = set == null ? null : observer.byUid(Kinds.DEPLOYMENTS, Observer.owner(set));
        if (deployment == null || Observer.isDeleting(deployment)) {
            return;
        }
        if (!Json.textAt(deployment, "spec", "strategy", "type").equals("RollingUpdate")) {
            return;
        }
        if (pod && Observer.hasCondition(change.after() == null ? before : change.after(), "DisruptionTarget")) {
            disturbed.add(Observer.uid(deployment));
        }
        if (disturbed.contains(Observer.uid(deployment)) || isLeaving(Workspace.namespace(deployment), observer)) {
            return;
        }
        long wanted = Json.longAt(deployment, 1, "spec", "replicas");
        long available = available(deployment, observer);
        String uid = Observer.uid(deployment);
        if (available >= wanted && said(deployment, observer) >= wanted) {
            whole.put(uid, wanted);
        } else if (whole.getOrDefault(uid, -1L) == wanted) {
            Violation.unless(
                    available >= wanted - unavailable(deployment, wanted),
                    () -> "%s has only %d of %d available".formatted(Observer.place(deployment), available, wanted));
        } else {
            // It has grown or shrunk since.
            whole.remove(uid);
        }
    }

    private static boolean isLeaving(String namespace, Observer observer) {
        return observer.all(Kinds.NAMESPACES).stream()
                .anyMatch(each -> Workspace.name(each).equals(namespace) && Observer.isDeleting(each));
    }

    private static List<ObjectNode> sets(ObjectNode deployment, Observer observer) {
        return observer.all(Kinds.REPLICA_SETS).stream()
                .filter(set -> Observer.owner(set).equals(Observer.uid(deployment)))
                .toList();
    }

    /** How many are available as the ReplicaSets know, without those that are to go. */
    private static long said(ObjectNode deployment, Observer observer) {
        return sets(deployment, observer).stream()
                .mapToLong(set -> Math.min(
                        Json.longAt(set, 1, "spec", "replicas"), Json.longAt(set, 0, "status", "availableReplicas")))
                .sum();
    }

    private static long available(ObjectNode deployment, Observer observer) {
        return sets(deployment, observer).stream()
                .flatMap(set -> observer.activePods(Observer.uid(set)).stream())
                .filter(Observer::isReady)
                .count();
    }

    /** Percentages are rounded down; where neither this nor the surge leaves room, one may be taken. */
    private static long unavailable(ObjectNode deployment, long wanted) {
        long fewer = share(Json.at(deployment, "spec", "strategy", "rollingUpdate", "maxUnavailable"), wanted, false);
        long more = share(Json.at(deployment, "spec", "strategy", "rollingUpdate", "maxSurge"), wanted, true);
        return fewer == 0 && more == 0 ? 1 : fewer;
    }

    private static long share(@Nullable JsonNode value, long of, boolean up) {
        if (value == null) {
            return 0;
        }
        if (value.isNumber()) {
            return value.asLong();
        }
        long percent = Long.parseLong(value.asText().replace("%", ""));
        return up ? (percent * of + 99) / 100 : percent * of / 100;
    }
}
