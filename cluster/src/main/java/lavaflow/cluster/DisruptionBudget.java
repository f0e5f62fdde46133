package lavaflow.cluster;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import lavaflow.kube.GoTime;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** How many pods of a PodDisruptionBudget may be disturbed now. Pure. */
final class DisruptionBudget {
    /** How long a pod whose eviction was granted counts as going although it is still there. */
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private static final String CONDITION = "DisruptionAllowed";

    private DisruptionBudget() {}

    /** Whether the wish depends on how many pods there should be, not only on how many there are. */
    static boolean needsScale(ObjectNode budget) {
        JsonNode least = Json.at(budget, "spec", "minAvailable");
        return Json.at(budget, "spec", "maxUnavailable") != null || (least != null && least.isTextual());
    }

    /**
     * What to report, and when to look again.
     *
     * @param late pods that were to be evicted long ago and are still there
     */
    record Report(ObjectNode status, Optional<Duration> recheck, List<PodState> late) {}

    /**
     * Counts pods against the wish.
     *
     * @param scale how many pods their controllers want, where {@link #needsScale}
     */
    static Report report(ObjectNode budget, List<PodState> pods, long scale, Instant now) {
        long expected = needsScale(budget) ? scale : pods.size();
        long desired = desired(budget, expected);
        Map<String, Instant> disrupted = new TreeMap<>();
        List<PodState> late = new ArrayList<>();
        for (PodState pod : pods) {
            String granted = Json.textAt(budget, "status", "disruptedPods", pod.name());
            if (!pod.deleting() && !granted.isEmpty()) {
                Instant time = PodState.time(granted);
                if (time.plus(PATIENCE).isBefore(now)) {
                    late.add(pod);
                } else {
                    disrupted.put(pod.name(), time);
                }
            }
        }
        long healthy = pods.stream()
                .filter(pod -> !pod.deleting() && pod.isReady() && !disrupted.containsKey(pod.name()))
                .count();
        long allowed = expected <= 0 ? 0 : Math.max(0, healthy - desired);
        ObjectNode status = Json.object();
        status.put("observedGeneration", Json.longAt(budget, 0, "metadata", "generation"));
        if (!disrupted.isEmpty()) {
            ObjectNode map = status.putObject("disruptedPods");
            disrupted.forEach((name, time) -> map.put(name, GoTime.seconds(time)));
        }
        status.put("disruptionsAllowed", allowed)
                .put("currentHealthy", healthy)
                .put("desiredHealthy", desired)
                .put("expectedPods", expected);
        setCondition(budget, status, allowed > 0, allowed > 0 ? "SufficientPods" : "InsufficientPods", "", now);
        Optional<Duration> recheck = disrupted.values().stream()
                .min(Instant::compareTo)
                .map(time -> Duration.between(now, time.plus(PATIENCE).plusMillis(1)));
        return new Report(status, recheck, late);
    }

    private static long desired(ObjectNode budget, long expected) {
        JsonNode most = Json.at(budget, "spec", "maxUnavailable");
        if (most != null) {
            return Math.max(0, expected - RolloutLimits.share(most, expected, true));
        }
        return RolloutLimits.share(Json.at(budget, "spec", "minAvailable"), expected, true);
    }

    /** What to report when counting failed: nothing may be disturbed, for nothing is known. */
    static ObjectNode failed(ObjectNode budget, String why, Instant now) {
        ObjectNode before = Json.objectAt(budget, "status");
        ObjectNode status = before == null ? Json.object() : before.deepCopy();
        status.put("disruptionsAllowed", 0);
        for (String count : List.of("currentHealthy", "desiredHealthy", "expectedPods")) {
            status.put(count, Json.longAt(before, 0, count));
        }
        setCondition(budget, status, false, "SyncFailed", why, now);
        return status;
    }

    private static void setCondition(
            ObjectNode budget, ObjectNode status, boolean holds, String reason, String message, Instant now) {
        ArrayNode conditions = Json.listAt(budget, "status", "conditions").deepCopy();
        ObjectNode condition = find(conditions);
        String value = holds ? "True" : "False";
        boolean steady = condition != null && Json.textAt(condition, "status").equals(value);
        ObjectNode changed = condition == null ? conditions.addObject() : condition;
        changed.put("type", CONDITION).put("status", value);
        long generation = Json.longAt(status, 0, "observedGeneration");
        if (generation == 0) {
            changed.remove("observedGeneration");
        } else {
            changed.put("observedGeneration", generation);
        }
        changed.put("lastTransitionTime", steady ? Json.textAt(changed, "lastTransitionTime") : GoTime.seconds(now));
        changed.put("reason", reason).put("message", message);
        status.set("conditions", conditions);
    }

    private static @Nullable ObjectNode find(ArrayNode conditions) {
        for (JsonNode condition : conditions) {
            if (Json.textAt(condition, "type").equals(CONDITION)) {
                return (ObjectNode) condition;
            }
        }
        return null;
    }

    /**
     * How long until the announced end of a pod is taken back, if it was announced: nobody ended it, so it lives on. What a
     * node announces stays.
     */
    static Optional<Duration> untilStale(ObjectNode pod, Instant now) {
        PodState state = PodState.of(pod);
        if (!state.isActive()) {
            return Optional.empty();
        }
        for (JsonNode condition : Json.listAt(pod, "status", "conditions")) {
            if (Json.textAt(condition, "type").equals("DisruptionTarget")
                    && Json.textAt(condition, "status").equals("True")
                    && !Json.textAt(condition, "reason").equals("TerminationByKubelet")) {
                Instant since = PodState.time(Json.textAt(condition, "lastTransitionTime"));
                return Optional.of(Duration.between(now, since.plus(PATIENCE)));
            }
        }
        return Optional.empty();
    }
}
