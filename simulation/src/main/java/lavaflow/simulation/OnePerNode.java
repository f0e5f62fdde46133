package lavaflow.simulation;

import java.util.Map;
import java.util.TreeMap;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** A DaemonSet never makes a second pod for a node, but where a surge is asked for, and ends with one on each that fits. */
final class OnePerNode implements Invariant {
    private final boolean answersArrive;

    /**
     * @param answersArrive whether somebody who makes a pod always hears of it
     */
    OnePerNode(boolean answersArrive) {
        this.answersArrive = answersArrive;
    }

    @Override
    public void after(Observer.Change change, Observer observer) {
        ObjectNode pod = change.after();
        if (!answersArrive
                || pod == null
                || change.before() != null
                || !change.kind().equals(Kinds.PODS)) {
            return;
        }
        ObjectNode set = observer.byUid(Kinds.DAEMON_SETS, Observer.owner(pod));
        if (set != null) {
            long most = 1 + Json.longAt(set, 0, "spec", "updateStrategy", "rollingUpdate", "maxSurge");
            long found = byNode(set, observer).getOrDefault(node(pod), 0L);
            Violation.unless(
                    found <= most, () -> "%s: %d pods for %s".formatted(Observer.place(set), found, node(pod)));
        }
    }

    private static Map<String, Long> byNode(ObjectNode set, Observer observer) {
        Map<String, Long> counts = new TreeMap<>();
        observer.activePods(Observer.uid(set)).forEach(pod -> counts.merge(node(pod), 1L, Long::sum));
        return counts;
    }

    /** The node a pod is made for, which stands in its affinity. */
    private static String node(ObjectNode pod) {
        for (JsonNode term : Json.listAt(
                pod,
                "spec",
                "affinity",
                "nodeAffinity",
                "requiredDuringSchedulingIgnoredDuringExecution",
                "nodeSelectorTerms")) {
            for (JsonNode field : Json.listAt(term, "matchFields")) {
                return Json.listAt(field, "values").path(0).asText();
            }
        }
        return Json.textAt(pod, "spec", "nodeName");
    }

    @Override
    public void atRest(Observer observer) {
        for (ObjectNode set : observer.all(Kinds.DAEMON_SETS)) {
            String tier = Json.textAt(set, "spec", "template", "spec", "nodeSelector", NodeIdeas.TIER);
            Map<String, Long> wanted = new TreeMap<>();
            for (ObjectNode node : observer.all(Kinds.NODES)) {
                if (tier.isEmpty() || tier.equals(Json.textAt(node, "metadata", "labels", NodeIdeas.TIER))) {
                    wanted.put(Workspace.name(node), 1L);
                }
            }
            Map<String, Long> found = byNode(set, observer);
            Violation.unless(
                    found.equals(wanted),
                    () -> "%s: pods on %s instead of %s".formatted(Observer.place(set), found, wanted));
            for (String field : new String[] {"desiredNumberScheduled", "currentNumberScheduled", "numberReady"}) {
                long told = Json.longAt(set, 0, "status", field);
                Violation.unless(
                        told == wanted.size(),
                        () -> "%s: status.%s is %d and not %d"
                                .formatted(Observer.place(set), field, told, wanted.size()));
            }
            Violation.unless(
                    Json.longAt(set, 0, "status", "observedGeneration") == Json.longAt(set, 0, "metadata", "generation")
                            && !Observer.isDeleting(set),
                    () -> Observer.place(set) + ": the status is about an older generation");
        }
    }
}
