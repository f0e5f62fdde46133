package lavaflow.cluster;

import java.time.Instant;
import java.util.Comparator;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** One ReplicaSet of a deployment: a version of its template, while a rollout is being planned. Changes its own copy only. */
final class Revision {
    static final String REVISION = "deployment.kubernetes.io/revision";
    static final String HISTORY = "deployment.kubernetes.io/revision-history";
    static final String DESIRED = "deployment.kubernetes.io/desired-replicas";
    static final String MAX = "deployment.kubernetes.io/max-replicas";
    static final String HASH = "pod-template-hash";

    static final Comparator<Revision> OLDEST_FIRST =
            Comparator.comparing(Revision::created).thenComparing(Revision::name);

    private final ObjectNode object;

    Revision(ObjectNode object) {
        this.object = object.deepCopy();
    }

    ObjectNode object() {
        return object;
    }

    String name() {
        return Objects.name(object);
    }

    String uid() {
        return Objects.uid(object);
    }

    Instant created() {
        return PodState.time(Json.textAt(object, "metadata", "creationTimestamp"));
    }

    long wanted() {
        return Json.longAt(object, 1, "spec", "replicas");
    }

    long existing() {
        return Json.longAt(object, 0, "status", "replicas");
    }

    long ready() {
        return Json.longAt(object, 0, "status", "readyReplicas");
    }

    long available() {
        return Json.longAt(object, 0, "status", "availableReplicas");
    }

    /** How many of those available will stay: the status may still count some that are being ended. */
    long lasting() {
        return Math.min(available(), wanted());
    }

    long terminating() {
        return Json.longAt(object, 0, "status", "terminatingReplicas");
    }

    boolean isActive() {
        return wanted() > 0;
    }

    String annotation(String name) {
        return Json.textAt(object, "metadata", "annotations", name);
    }

    void annotate(String name, String value) {
        Json.ensureObject(object, "metadata", "annotations").put(name, value);
    }

    /** A number in an annotation, or {@code absent}. */
    long number(String annotation, long absent) {
        try {
            String text = annotation(annotation);
            return text.isEmpty() ? absent : Long.parseLong(text);
        } catch (NumberFormatException e) {
            return absent;
        }
    }

    /** Whether it was made from a template; the label that tells templates apart does not count. */
    boolean isOf(ObjectNode deployment) {
        return withoutHash(Json.at(object, "spec", "template"))
                .equals(withoutHash(Json.at(deployment, "spec", "template")));
    }

    private static ObjectNode withoutHash(@org.jspecify.annotations.Nullable JsonNode template) {
        ObjectNode copy = template instanceof ObjectNode present ? present.deepCopy() : Json.object();
        if (Json.at(copy, "metadata", "labels") instanceof ObjectNode labels) {
            labels.remove(HASH);
            if (labels.isEmpty()) {
                Json.ensureObject(copy, "metadata").remove("labels");
            }
        }
        return copy;
    }
}
