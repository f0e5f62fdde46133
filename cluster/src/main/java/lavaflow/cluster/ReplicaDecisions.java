package lavaflow.cluster;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import lavaflow.kube.GoTime;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What a ReplicaSet or ReplicationController needs: whom to take in, let go and end, and what to report. Pure. */
final class ReplicaDecisions {
    private ReplicaDecisions() {}

    /** Pods sorted by what is to become of them; those in {@code owned} stay or are taken in. */
    record Claim(List<PodState> owned, List<PodState> adopt, List<PodState> release) {}

    /** Decides whose the candidates are: pods controlled by the owner, and orphans of its namespace. */
    static Claim claim(String ownerUid, boolean ownerDeleting, LabelSelector selector, List<PodState> candidates) {
        List<PodState> owned = new ArrayList<>();
        List<PodState> adopt = new ArrayList<>();
        List<PodState> release = new ArrayList<>();
        for (PodState pod : candidates) {
            boolean fits = selector.matches(pod.labels());
            if (pod.owner() != null) {
                if (!pod.owner().uid().equals(ownerUid)) {
                    continue;
                }
                if (fits) {
                    owned.add(pod);
                } else if (!ownerDeleting && !pod.deleting()) {
                    release.add(pod);
                }
            } else if (fits && pod.isActive() && !ownerDeleting) {
                adopt.add(pod);
                owned.add(pod);
            }
        }
        return new Claim(owned, adopt, release);
    }

    /**
     * Those whose end costs least, first: not placed, not running, not ready, cheap by annotation, crowded on a node,
     * ready for a short time, restarted often, young. Times count by their order of magnitude only, so that what runs
     * longest is not always what stays.
     *
     * @param related pods of the owner's kin, which crowd nodes too
     */
    static List<PodState> victims(List<PodState> active, int count, List<PodState> related, Instant now) {
        Map<String, Integer> crowd = new HashMap<>();
        for (PodState pod : related) {
            if (pod.isActive() && !pod.node().isEmpty()) {
                crowd.merge(pod.node(), 1, Integer::sum);
            }
        }
        Comparator<PodState> cheapestFirst = Comparator.<PodState, Boolean>comparing(
                        pod -> !pod.node().isEmpty())
                .thenComparingInt(pod -> phaseOrder(pod.phase()))
                .thenComparing(PodState::isReady)
                .thenComparingLong(PodState::deletionCost)
                .thenComparingInt(pod -> -crowd.getOrDefault(pod.node(), 0))
                .thenComparingInt(pod -> pod.readySince() == null ? 0 : magnitude(pod.readySince(), now))
                .thenComparingLong(pod -> -pod.restarts())
                .thenComparingInt(pod -> magnitude(pod.created(), now))
                .thenComparing(PodState::uid);
        return active.stream().sorted(cheapestFirst).limit(count).toList();
    }

    private static int phaseOrder(String phase) {
        return switch (phase) {
            case "Running" -> 2;
            case "Unknown" -> 1;
            default -> 0;
        };
    }

    /** How long ago, as a power of two of seconds. */
    private static int magnitude(Instant time, Instant now) {
        long seconds = Duration.between(time, now).toSeconds();
        return seconds <= 0 ? -1 : 63 - Long.numberOfLeadingZeros(seconds);
    }

    /**
     * The status to report.
     *
     * @param failure what kept it from creating or deleting pods, null if nothing did
     */
    static ObjectNode status(ObjectNode owner, List<PodState> owned, @Nullable Failure failure, Instant now) {
        Duration minReady = Duration.ofSeconds(Json.longAt(owner, 0, "spec", "minReadySeconds"));
        LabelSelector template = LabelSelector.ofLabels(Json.at(owner, "spec", "template", "metadata", "labels"));
        List<PodState> active = owned.stream().filter(PodState::isActive).toList();
        ObjectNode status = Json.object();
        status.put("replicas", (long) active.size());
        putCount(status, "fullyLabeledReplicas", count(active, pod -> template.matches(pod.labels())));
        putCount(status, "readyReplicas", count(active, PodState::isReady));
        putCount(status, "availableReplicas", count(active, pod -> pod.isAvailable(minReady, now)));
        if (Json.textAt(owner, "kind").equals("ReplicaSet")) {
            status.put("terminatingReplicas", count(owned, pod -> pod.deleting() && !pod.isFinished()));
        }
        status.put("observedGeneration", Json.longAt(owner, 0, "metadata", "generation"));
        ArrayNode conditions = conditions(owner, failure, now);
        if (!conditions.isEmpty()) {
            status.set("conditions", conditions);
        }
        return status;
    }

    /** Why pods could not be made or ended. */
    record Failure(String reason, String message) {}

    private static ArrayNode conditions(ObjectNode owner, @Nullable Failure failure, Instant now) {
        ArrayNode conditions = Json.array();
        boolean present = false;
        for (JsonNode condition : Json.listAt(owner, "status", "conditions")) {
            boolean ours = Json.textAt(condition, "type").equals("ReplicaFailure");
            if (!ours || failure != null) {
                conditions.add(condition.deepCopy());
            }
            present |= ours;
        }
        if (failure != null && !present) {
            conditions
                    .addObject()
                    .put("type", "ReplicaFailure")
                    .put("status", "True")
                    .put("lastTransitionTime", GoTime.seconds(now))
                    .put("reason", failure.reason())
                    .put("message", failure.message());
        }
        return conditions;
    }

    private static void putCount(ObjectNode status, String field, long count) {
        if (count > 0) {
            status.put(field, count);
        }
    }

    private static long count(List<PodState> pods, java.util.function.Predicate<PodState> which) {
        return pods.stream().filter(which).count();
    }

    /** A new pod of an owner. */
    static ObjectNode pod(ObjectNode owner) {
        ObjectNode pod = Json.object();
        JsonNode template = Json.at(owner, "spec", "template");
        ObjectNode metadata = pod.putObject("metadata");
        for (String field : List.of("labels", "annotations", "finalizers")) {
            JsonNode value = Json.at(template, "metadata", field);
            if (value != null) {
                metadata.set(field, value.deepCopy());
            }
        }
        metadata.put("generateName", Objects.name(owner) + "-");
        metadata.putArray("ownerReferences").add(ownerReference(owner));
        JsonNode spec = Json.at(template, "spec");
        pod.set("spec", spec == null ? Json.object() : spec.deepCopy());
        return pod;
    }

    /** The reference by which an object says who controls it. */
    static ObjectNode ownerReference(ObjectNode owner) {
        return Json.object()
                .put("apiVersion", Json.textAt(owner, "apiVersion"))
                .put("kind", Json.textAt(owner, "kind"))
                .put("name", Objects.name(owner))
                .put("uid", Objects.uid(owner))
                .put("controller", true)
                .put("blockOwnerDeletion", true);
    }
}
