package lavaflow.simulation;

import java.util.Set;
import java.util.TreeSet;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** In the end there is what was asked for, no more and no less, and the status of everything says so. */
final class Settled implements Invariant {
    @Override
    public void atRest(Observer observer) {
        observer.all(Kinds.REPLICA_SETS).forEach(set -> replicas(set, observer));
        observer.all(Kinds.REPLICATION_CONTROLLERS).forEach(set -> replicas(set, observer));
        observer.all(Kinds.DEPLOYMENTS).forEach(Settled::deployment);
        observer.all(Kinds.STATEFUL_SETS).forEach(set -> statefulSet(set, observer));
        observer.all(Kinds.JOBS).forEach(job -> job(job, observer));
        observer.all(Kinds.SERVICES).forEach(service -> endpoints(service, observer));
        Kinds.OBSERVED.forEach(kind -> observer.all(kind).forEach(object -> owned(kind, object, observer)));
    }

    private static void observed(ObjectNode object) {
        Violation.unless(
                Json.longAt(object, 0, "status", "observedGeneration")
                        == Json.longAt(object, 0, "metadata", "generation"),
                () -> "%s: the status is about an older generation".formatted(name(object)));
        Violation.unless(!Observer.isDeleting(object), () -> "%s is still being deleted".formatted(name(object)));
    }

    private static String name(ObjectNode object) {
        return Json.textAt(object, "kind") + " " + Observer.place(object);
    }

    private static void count(ObjectNode object, String field, long wanted) {
        long found = Json.longAt(object, 0, "status", field);
        Violation.unless(
                found == wanted, () -> "%s: status.%s is %d and not %d".formatted(name(object), field, found, wanted));
    }

    private static void replicas(ObjectNode set, Observer observer) {
        observed(set);
        long wanted = Json.longAt(set, 1, "spec", "replicas");
        if (isLimited(set)) {
            return;
        }
        int active = observer.activePods(Observer.uid(set)).size();
        Violation.unless(active == wanted, () -> "%s: %d pods instead of %d".formatted(name(set), active, wanted));
        count(set, "replicas", wanted);
        count(set, "readyReplicas", wanted);
        count(set, "availableReplicas", wanted);
    }

    /** Whether a quota may keep pods away. */
    private static boolean isLimited(ObjectNode object) {
        return Json.textAt(object, "metadata", "namespace").equals(Workspace.LIMITED);
    }

    private static void deployment(ObjectNode deployment) {
        observed(deployment);
        if (isLimited(deployment) || Json.flagAt(deployment, "spec", "paused")) {
            return;
        }
        long wanted = Json.longAt(deployment, 1, "spec", "replicas");
        for (String field : Set.of("replicas", "updatedReplicas", "readyReplicas", "availableReplicas")) {
            count(deployment, field, wanted);
        }
    }

    private static void statefulSet(ObjectNode set, Observer observer) {
        observed(set);
        if (isLimited(set)) {
            return;
        }
        long wanted = Json.longAt(set, 1, "spec", "replicas");
        count(set, "replicas", wanted);
        count(set, "readyReplicas", wanted);
        Set<String> names = new TreeSet<>();
        observer.activePods(Observer.uid(set)).forEach(pod -> names.add(Json.textAt(pod, "metadata", "name")));
        for (long i = 0; i < wanted; i++) {
            long number = i;
            Violation.unless(
                    names.remove(Json.textAt(set, "metadata", "name") + "-" + number),
                    () -> "%s: the pod number %d is missing".formatted(name(set), number));
        }
        Violation.unless(names.isEmpty(), () -> "%s: too many pods: %s".formatted(name(set), names));
        Violation.unless(
                Json.textAt(set, "status", "currentRevision").equals(Json.textAt(set, "status", "updateRevision")),
                () -> "%s: the update has not ended".formatted(name(set)));
    }

    private static void job(ObjectNode job, Observer observer) {
        Violation.unless(!Observer.isDeleting(job), () -> "%s is still being deleted".formatted(name(job)));
        boolean over = Observer.hasCondition(job, "Complete") || Observer.hasCondition(job, "Failed");
        boolean waits = Json.flagAt(job, "spec", "suspend") || isLimited(job);
        Violation.unless(over || waits, () -> "%s neither ends nor waits".formatted(name(job)));
        count(job, "active", observer.activePods(Observer.uid(job)).size());
        Violation.unless(
                Json.listAt(job, "status", "uncountedTerminatedPods", "succeeded")
                                .isEmpty()
                        && Json.listAt(job, "status", "uncountedTerminatedPods", "failed")
                                .isEmpty(),
                () -> "%s: pods are left uncounted".formatted(name(job)));
    }

    private static void endpoints(ObjectNode service, Observer observer) {
        JsonNode selector = Json.at(service, "spec", "selector");
        if (selector == null) {
            return;
        }
        String namespace = Json.textAt(service, "metadata", "namespace");
        Set<String> wanted = new TreeSet<>();
        for (ObjectNode pod : observer.all(Kinds.PODS)) {
            if (Json.textAt(pod, "metadata", "namespace").equals(namespace)
                    && Observer.isActive(pod)
                    && Observer.isReady(pod)
                    && LabelSelector.ofLabels(selector).matches(Json.at(pod, "metadata", "labels"))) {
                wanted.add(Json.textAt(pod, "status", "podIP"));
            }
        }
        Set<String> found = new TreeSet<>();
        for (ObjectNode slice : observer.all(Kinds.SLICES)) {
            if (Observer.owner(slice).equals(Observer.uid(service))) {
                for (JsonNode endpoint : Json.listAt(slice, "endpoints")) {
                    Json.listAt(endpoint, "addresses").forEach(address -> {
                        if (Json.flagAt(endpoint, "conditions", "ready")) {
                            Violation.unless(
                                    found.add(address.asText()),
                                    () -> "%s: leads to %s twice".formatted(name(service), address.asText()));
                        }
                    });
                }
            }
        }
        Violation.unless(
                found.equals(wanted), () -> "%s: leads to %s and not to %s".formatted(name(service), found, wanted));
        Violation.unless(
                old(service, observer).equals(wanted),
                () -> "%s: its Endpoints lead to %s and not to %s"
                        .formatted(name(service), old(service, observer), wanted));
    }

    /** What the Endpoints of a service lead to. */
    private static Set<String> old(ObjectNode service, Observer observer) {
        Set<String> found = new TreeSet<>();
        for (ObjectNode endpoints : observer.all(Kinds.ENDPOINTS)) {
            if (Observer.place(endpoints).equals(Observer.place(service))) {
                for (JsonNode subset : Json.listAt(endpoints, "subsets")) {
                    Json.listAt(subset, "addresses").forEach(each -> found.add(Json.textAt(each, "ip")));
                }
            }
        }
        return found;
    }

    /** Nothing is left of owners that are gone. */
    private static void owned(KubeApi.Kind kind, ObjectNode object, Observer observer) {
        String owner = Observer.owner(object);
        if (owner.isEmpty() || kind.equals(Kinds.NODES)) {
            return;
        }
        boolean there = Kinds.OBSERVED.stream().anyMatch(any -> observer.byUid(any, owner) != null);
        Violation.unless(there, () -> "%s belongs to somebody who is gone".formatted(name(object)));
    }
}
