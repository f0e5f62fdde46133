package lavaflow.kube;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;

/** Checks lists of conditions of the common form (metav1.Condition). */
public final class ConditionRules {
    private static final List<String> STATUSES = List.of("False", "True", "Unknown");
    private static final int REASON_LENGTH = 1 << 10;
    private static final int MESSAGE_LENGTH = 32 << 10;

    private ConditionRules() {}

    public static void check(ArrayNode conditions, FieldPath path, FieldErrors errors) {
        Set<String> types = new HashSet<>();
        for (int i = 0; i < conditions.size(); i++) {
            String type = Json.textAt(conditions.get(i), "type");
            if (!types.add(type)) {
                errors.duplicate(path.index(i).child("type"), type);
            }
            check(conditions.get(i), path.index(i), errors);
        }
    }

    private static void check(JsonNode condition, FieldPath path, FieldErrors errors) {
        ObjectMetaRules.labelName(Json.textAt(condition, "type"), path.child("type"), errors);
        String status = Json.textAt(condition, "status");
        if (!STATUSES.contains(status)) {
            errors.notSupported(path.child("status"), status, STATUSES);
        }
        long generation = Json.longAt(condition, 0, "observedGeneration");
        if (generation < 0) {
            errors.invalid(path.child("observedGeneration"), generation, "must be greater than or equal to zero");
        }
        if (Json.textAt(condition, "lastTransitionTime").isEmpty()) {
            errors.required(path.child("lastTransitionTime"));
        }
        String reason = Json.textAt(condition, "reason");
        if (reason.isEmpty()) {
            errors.required(path.child("reason"));
        } else {
            Identifiers.conditionReason(reason).forEach(why -> errors.invalid(path.child("reason"), reason, why));
            if (Names.utf8Length(reason) > REASON_LENGTH) {
                errors.tooLong(path.child("reason"), REASON_LENGTH);
            }
        }
        if (Names.utf8Length(Json.textAt(condition, "message")) > MESSAGE_LENGTH) {
            errors.tooLong(path.child("message"), MESSAGE_LENGTH);
        }
    }
}
