package lavaflow.cluster;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import lavaflow.kube.GoTime;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What a deployment reports: counts, and the conditions Available, Progressing and ReplicaFailure. Pure. */
final class DeploymentStatus {
    private static final String PROGRESSING = "Progressing";
    private static final String DONE = "NewReplicaSetAvailable";
    private static final String LATE = "ProgressDeadlineExceeded";
    private static final String PAUSED = "DeploymentPaused";

    private final ObjectNode deployment;
    private final @Nullable JsonNode before;
    private final List<Revision> all;
    private final @Nullable Revision current;
    private final Instant now;
    private final ObjectNode status;
    private final ArrayNode conditions;

    private DeploymentStatus(ObjectNode deployment, List<Revision> all, @Nullable Revision current, Instant now) {
        this.deployment = deployment;
        this.before = Json.at(deployment, "status");
        this.all = all;
        this.current = current;
        this.now = now;
        this.status = counts();
        this.conditions = Json.listAt(before, "conditions").deepCopy();
    }

    /**
     * Writes the status into a deployment.
     *
     * @param created the name of the ReplicaSet this step makes, null where it makes none
     * @param resting paused or only changing size: progress is not judged
     */
    static void report(
            ObjectNode deployment,
            List<Revision> all,
            @Nullable Revision current,
            @Nullable String created,
            boolean resting,
            Instant now) {
        new DeploymentStatus(deployment, all, current, now).write(created, resting);
    }

    private void write(@Nullable String created, boolean resting) {
        long least = Json.longAt(deployment, 1, "spec", "replicas")
                - RolloutLimits.of(deployment).unavailable();
        if (Json.longAt(status, 0, "availableReplicas") >= least) {
            set("Available", "True", "MinimumReplicasAvailable", "Deployment has minimum availability.");
        } else {
            set("Available", "False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability.");
        }
        pausing();
        if (created != null && hasDeadline()) {
            set(PROGRESSING, "True", "NewReplicaSetCreated", "Created new replica set \"" + created + "\"");
        } else if (current != null && hasDeadline() && find(PROGRESSING) == null) {
            set(PROGRESSING, "True", "FoundNewReplicaSet", "Found new replica set \"" + current.name() + "\"");
        }
        if (!resting) {
            progress();
            failures();
        }
        if (!conditions.isEmpty()) {
            status.set("conditions", conditions);
        }
        deployment.set("status", status);
    }

    private ObjectNode counts() {
        long replicas = all.stream().mapToLong(Revision::existing).sum();
        long available = all.stream().mapToLong(Revision::available).sum();
        ObjectNode counted = Json.object();
        counted.put("observedGeneration", Json.longAt(deployment, 0, "metadata", "generation"));
        put(counted, "replicas", replicas);
        put(counted, "updatedReplicas", current == null ? 0 : current.existing());
        put(counted, "readyReplicas", all.stream().mapToLong(Revision::ready).sum());
        put(counted, "availableReplicas", available);
        put(counted, "unavailableReplicas", Math.max(0, replicas - available));
        counted.put(
                "terminatingReplicas",
                all.stream().mapToLong(Revision::terminating).sum());
        JsonNode collisions = Json.at(before, "collisionCount");
        if (collisions != null) {
            counted.set("collisionCount", collisions);
        }
        return counted;
    }

    private static void put(ObjectNode target, String field, long count) {
        if (count > 0) {
            target.put(field, count);
        }
    }

    // ---- conditions

    private @Nullable ObjectNode find(String type) {
        for (JsonNode condition : conditions) {
            if (Json.textAt(condition, "type").equals(type)) {
                return (ObjectNode) condition;
            }
        }
        return null;
    }

    private void remove(String type) {
        for (int i = conditions.size() - 1; i >= 0; i--) {
            if (Json.textAt(conditions.get(i), "type").equals(type)) {
                conditions.remove(i);
            }
        }
    }

    /** Sets a condition; one that says the same already keeps its times and place. */
    private void set(String type, String value, String reason, String message) {
        ObjectNode present = find(type);
        boolean same = present != null
                && Json.textAt(present, "status").equals(value)
                && Json.textAt(present, "reason").equals(reason);
        if (!same) {
            replace(type, value, reason, message, present);
        }
    }

    private void replace(String type, String value, String reason, String message, @Nullable ObjectNode present) {
        String time = GoTime.seconds(now);
        boolean steady = present != null && Json.textAt(present, "status").equals(value);
        String since = steady ? Json.textAt(present, "lastTransitionTime") : time;
        remove(type);
        conditions
                .addObject()
                .put("type", type)
                .put("status", value)
                .put("lastUpdateTime", time)
                .put("lastTransitionTime", since)
                .put("reason", reason)
                .put("message", message);
    }

    private String progressReason() {
        ObjectNode condition = find(PROGRESSING);
        return condition == null ? "" : Json.textAt(condition, "reason");
    }

    private boolean hasDeadline() {
        return Json.longAt(deployment, Integer.MAX_VALUE, "spec", "progressDeadlineSeconds") != Integer.MAX_VALUE;
    }

    /** A rollout that rests must not be taken for one that is stuck. */
    private void pausing() {
        if (!hasDeadline() || progressReason().equals(LATE)) {
            return;
        }
        boolean paused = Json.flagAt(deployment, "spec", "paused");
        boolean known = progressReason().equals(PAUSED);
        if (paused && !known) {
            set(PROGRESSING, "Unknown", PAUSED, "Deployment is paused");
        } else if (!paused && known) {
            set(PROGRESSING, "Unknown", "DeploymentResumed", "Deployment is resumed");
        }
    }

    private void progress() {
        if (!hasDeadline()) {
            remove(PROGRESSING);
            return;
        }
        boolean settled = Json.longAt(status, 0, "replicas") == Json.longAt(status, 0, "updatedReplicas")
                && progressReason().equals(DONE);
        if (settled) {
            return;
        }
        String who = current == null
                ? "Deployment \"" + Objects.name(deployment) + "\""
                : "ReplicaSet \"" + current.name() + "\"";
        if (isComplete(deployment, status)) {
            set(PROGRESSING, "True", DONE, who + " has successfully progressed.");
        } else if (advanced()) {
            replace(PROGRESSING, "True", "ReplicaSetUpdated", who + " is progressing.", find(PROGRESSING));
        } else if (isLate()) {
            set(PROGRESSING, "False", LATE, who + " has timed out progressing.");
        }
    }

    static boolean isComplete(ObjectNode deployment, @Nullable JsonNode status) {
        long replicas = Json.longAt(deployment, 1, "spec", "replicas");
        return Json.longAt(status, 0, "updatedReplicas") == replicas
                && Json.longAt(status, 0, "replicas") == replicas
                && Json.longAt(status, 0, "availableReplicas") == replicas
                && Json.longAt(status, 0, "observedGeneration") >= Json.longAt(deployment, 0, "metadata", "generation");
    }

    private boolean advanced() {
        return gained("updatedReplicas")
                || gained("readyReplicas")
                || gained("availableReplicas")
                || outdated(status) < outdated(before);
    }

    private boolean gained(String field) {
        return Json.longAt(status, 0, field) > Json.longAt(before, 0, field);
    }

    private static long outdated(@Nullable JsonNode status) {
        return Json.longAt(status, 0, "replicas") - Json.longAt(status, 0, "updatedReplicas");
    }

    private boolean isLate() {
        String reason = progressReason();
        if (reason.isEmpty() || reason.equals(DONE)) {
            return false;
        }
        return reason.equals(LATE)
                || untilLate(deployment, conditions, now).orElse(Duration.ZERO).isNegative();
    }

    private static Optional<Duration> untilLate(ObjectNode deployment, JsonNode conditions, Instant now) {
        long seconds = Json.longAt(deployment, Integer.MAX_VALUE, "spec", "progressDeadlineSeconds");
        for (JsonNode condition : conditions) {
            if (Json.textAt(condition, "type").equals(PROGRESSING)) {
                Instant since = PodState.time(Json.textAt(condition, "lastUpdateTime"));
                return Optional.of(Duration.between(now, since.plusSeconds(seconds)));
            }
        }
        return Optional.empty();
    }

    /** When to look again at a rollout that may be stuck, although nothing changes. */
    static Optional<Duration> recheck(ObjectNode deployment, Instant now) {
        JsonNode status = Json.at(deployment, "status");
        long deadline = Json.longAt(deployment, Integer.MAX_VALUE, "spec", "progressDeadlineSeconds");
        if (deadline == Integer.MAX_VALUE
                || Json.flagAt(deployment, "spec", "paused")
                || isComplete(deployment, status)) {
            return Optional.empty();
        }
        for (JsonNode condition : Json.listAt(status, "conditions")) {
            if (Json.textAt(condition, "type").equals(PROGRESSING)
                    && List.of(LATE, DONE).contains(Json.textAt(condition, "reason"))) {
                return Optional.empty();
            }
        }
        return untilLate(deployment, Json.listAt(status, "conditions"), now)
                .map(left -> left.isNegative() ? Duration.ofSeconds(1) : left.plusSeconds(1));
    }

    /** Why ReplicaSets cannot make pods. */
    private void failures() {
        for (Revision revision : all) {
            for (JsonNode condition : Json.listAt(revision.object(), "status", "conditions")) {
                if (Json.textAt(condition, "type").equals("ReplicaFailure")
                        && Json.textAt(condition, "status").equals("True")) {
                    set("ReplicaFailure", "True", Json.textAt(condition, "reason"), Json.textAt(condition, "message"));
                    return;
                }
            }
        }
        remove("ReplicaFailure");
    }
}
