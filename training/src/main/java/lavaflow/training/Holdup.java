package lavaflow.training;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;

import lavaflow.controller.Outcome;
import lavaflow.controller.Step;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What keeps a job from running, for the condition people see. */
final class Holdup {
    /** Why a gang waits may change with every look of the scheduler. */
    private static final Duration PAUSE = Duration.ofSeconds(10);

    /** Refusals that say something of what is asked for; others pass, or are somebody's haste. */
    private static final Set<Integer> FOR_GOOD = Set.of(400, 403, 422);

    private static final String IS_CREATED = " is created.";

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

    /**
     * Says in the condition what could not be made because it is refused as it is: by a queue that is closed, by a quota that is used up.
     *
     * @param status what is to be written of the job otherwise; null for nothing
     * @return what is to be written; null for nothing
     */
    static @Nullable ObjectNode refused(ObjectNode job, @Nullable ObjectNode status, Outcome outcome, Instant now) {
        String why = outcome.refused().stream()
                .filter(refused -> refused.step() instanceof Step.Create
                        && FOR_GOOD.contains(refused.why().code()))
                .map(Holdup::told)
                .findFirst()
                .orElse("");
        ObjectNode before = Json.objectAt(job, "status");
        ObjectNode told = status != null ? status : before == null ? Json.object() : before.deepCopy();
        Conditions conditions = new Conditions(told, now);
        if (why.isEmpty() || conditions.isFinished() || conditions.isTrue(Conditions.RUNNING)) {
            return status;
        }
        String said = Conditions.message(told, Conditions.CREATED);
        int end = said.indexOf(IS_CREATED);
        String message = (end < 0 ? said : said.substring(0, end + IS_CREATED.length())) + " " + why;
        if (before != null && Conditions.message(before, Conditions.CREATED).equals(message)) {
            Conditions.copy(before, told, Conditions.CREATED); // it is refused again, which is no news
        } else {
            conditions.remark(Conditions.CREATED, message, Duration.ZERO);
        }
        return told.equals(before) ? null : told;
    }

    private static String told(Outcome.Refused refused) {
        String resource = refused.step().kind().resource();
        String what = resource.equals("podgroups") ? "PodGroup" : resource.replaceFirst("s$", "");
        return "Its " + what + " cannot be made: "
                + String.valueOf(refused.why().getMessage())
                        .replaceFirst("^admission webhook \"[^\"]*\" denied the request: ", "")
                        .strip();
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
