package lavaflow.training;

import java.time.Duration;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What keeps a job from running, for the condition people see. */
final class Holdup {
    /** Why a gang waits may change with every look of the scheduler. */
    private static final Duration PAUSE = Duration.ofSeconds(10);

    private Holdup() {}

    /**
     * Says it as long as nothing runs.
     *
     * @param created what the condition says without it
     * @param job as {@code tfjob/NAME}
     * @return when to say more; null if all is said
     */
    static @Nullable Duration tell(
            Conditions conditions, String created, String job, List<TrainingPod> pods, @Nullable ObjectNode group) {
        if (conditions.isTrue(Conditions.RUNNING)) {
            return conditions.remark(Conditions.CREATED, created, Duration.ZERO);
        }
        String pod = pods.stream()
                .map(TrainingPod::holdup)
                .filter(text -> !text.isEmpty())
                .findFirst()
                .orElse("");
        String gang = pod.isEmpty() ? gang(group) : "";
        return gang.isEmpty()
                ? conditions.remark(Conditions.CREATED, pod.isEmpty() ? created : created + " " + pod, Duration.ZERO)
                : conditions.remark(
                        Conditions.CREATED,
                        created + " Its gang waits: " + gang + ". What would free it says: lava explain " + job,
                        PAUSE);
    }

    private static String gang(@Nullable ObjectNode group) {
        String phase = Json.textAt(group, "status", "phase");
        return phase.equals("Pending") || phase.equals("Inqueue") ? Json.textAt(group, "status", "holdup") : "";
    }

    /** Why a PodGroup cannot be placed; empty if nothing is known. */
    static String of(ObjectNode group) {
        for (JsonNode condition : Json.listAt(group, "status", "conditions")) {
            if (Json.textAt(condition, "type").equals("Unschedulable")
                    && Json.textAt(condition, "status").equals("True")) {
                return Json.textAt(condition, "message");
            }
        }
        return "";
    }
}
