package lavaflow.cluster;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import lavaflow.kube.GoTime;
import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What workload controllers look at in a pod.
 *
 * @param labels {@code metadata.labels}, maybe empty
 * @param owner the controlling owner, null for an orphan
 * @param readySince when it became ready, null where it is not
 * @param restarts of the container that restarted most
 */
record PodState(
        String namespace,
        String name,
        String uid,
        ObjectNode labels,
        @Nullable OwnerRef owner,
        String phase,
        @Nullable Instant readySince,
        boolean deleting,
        String node,
        Instant created,
        long restarts,
        long deletionCost) {

    /** Who controls an object. */
    record OwnerRef(String apiVersion, String kind, String name, String uid) {
        /** The controlling owner of an object, or null. */
        static @Nullable OwnerRef of(ObjectNode object) {
            for (JsonNode owner : Json.listAt(object, "metadata", "ownerReferences")) {
                if (Json.flagAt(owner, "controller")) {
                    return new OwnerRef(
                            Json.textAt(owner, "apiVersion"),
                            Json.textAt(owner, "kind"),
                            Json.textAt(owner, "name"),
                            Json.textAt(owner, "uid"));
                }
            }
            return null;
        }
    }

    static PodState of(ObjectNode pod) {
        JsonNode labels = Json.at(pod, "metadata", "labels");
        return new PodState(
                Objects.namespace(pod),
                Objects.name(pod),
                Objects.uid(pod),
                labels instanceof ObjectNode map ? map : Json.object(),
                OwnerRef.of(pod),
                Json.textAt(pod, "status", "phase"),
                readySince(pod),
                Objects.isDeleting(pod),
                Json.textAt(pod, "spec", "nodeName"),
                time(Json.textAt(pod, "metadata", "creationTimestamp")),
                restarts(pod),
                cost(Json.textAt(pod, "metadata", "annotations", "controller.kubernetes.io/pod-deletion-cost")));
    }

    /** Words under which a mirror finds pods: those of an owner, the orphans of a namespace, all of a namespace. */
    List<String> words() {
        return List.of(owner == null ? orphansOf(namespace) : owner.uid(), allOf(namespace));
    }

    static String allOf(String namespace) {
        return "all of " + namespace;
    }

    static String orphansOf(String namespace) {
        return "orphans of " + namespace;
    }

    /** As it will be once its deletion is seen. */
    PodState whenDeleting() {
        return new PodState(
                namespace, name, uid, labels, owner, phase, readySince, true, node, created, restarts, deletionCost);
    }

    boolean isReady() {
        return readySince != null;
    }

    /** Ready for long enough. */
    boolean isAvailable(Duration minReady, Instant now) {
        return readySince != null
                && (minReady.isZero() || !readySince.plus(minReady).isAfter(now));
    }

    boolean isFinished() {
        return phase.equals("Succeeded") || phase.equals("Failed");
    }

    /** Counts for those who want so many of them. */
    boolean isActive() {
        return !isFinished() && !deleting;
    }

    private static @Nullable Instant readySince(ObjectNode pod) {
        for (JsonNode condition : Json.listAt(pod, "status", "conditions")) {
            if (Json.textAt(condition, "type").equals("Ready")
                    && Json.textAt(condition, "status").equals("True")) {
                return time(Json.textAt(condition, "lastTransitionTime"));
            }
        }
        return null;
    }

    private static long restarts(ObjectNode pod) {
        long most = 0;
        for (JsonNode container : Json.listAt(pod, "status", "containerStatuses")) {
            most = Math.max(most, Json.longAt(container, 0, "restartCount"));
        }
        return most;
    }

    private static long cost(String annotation) {
        try {
            return annotation.isEmpty() ? 0 : Integer.parseInt(annotation);
        } catch (NumberFormatException e) {
            // The API accepts any text; upstream takes what is no number for none.
            return 0;
        }
    }

    static Instant time(String text) {
        try {
            return text.isEmpty() ? Instant.EPOCH : GoTime.parseSeconds(text);
        } catch (MalformedException e) {
            return Instant.EPOCH;
        }
    }
}
