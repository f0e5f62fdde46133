package lavaflow.kinds;

import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Validation of one update of a job's status.
 *
 * <p>Controllers other than the built-in one write it too ({@code spec.managedBy}), so upstream checks it thoroughly, but
 * mostly where something changed: what older releases left behind may stay.
 */
final class JobStatuses {
    private static final FieldPath STATUS = FieldPath.of("status");
    private static final FieldPath CONDITIONS = STATUS.child("conditions");

    private final ObjectNode spec;
    private final ObjectNode status;
    private final @Nullable JsonNode old;
    private final FieldErrors errors;
    private final boolean complete;
    private final boolean failed;
    private final boolean finished;

    JobStatuses(ObjectNode object, ObjectNode oldObject, FieldErrors errors) {
        this.spec = Json.ensureObject(object, "spec");
        this.status = Json.ensureObject(object, "status");
        this.old = Json.at(oldObject, "status");
        this.errors = errors;
        this.complete = JobConditions.isTrue(status, "Complete");
        this.failed = JobConditions.isTrue(status, "Failed");
        this.finished = complete || failed;
    }

    void validate() {
        WorkloadChecks.notNegative(status, STATUS, errors, "active", "succeeded", "failed", "ready", "terminating");
        validateUncounted();
        validateOutcome();
        validateCompletionTime();
        validateOrderOfTimes();
        validateReasons();
        validatePodsOfFinished();
        validateIndexes();
        validatePodCounts();
        validateCriteria();
        validateHistory();
    }

    private boolean changed(String field) {
        return !Objects.equals(Json.at(status, field), Json.at(old, field));
    }

    private boolean conditionChanged(String type) {
        return JobConditions.isTrue(status, type) != JobConditions.isTrue(old, type);
    }

    private boolean finishedChanged() {
        return finished != JobConditions.finished(old);
    }

    private void invalidConditions(String why) {
        WorkloadChecks.invalidWithoutValue(CONDITIONS, why, errors);
    }

    private void validateUncounted() {
        Set<String> seen = new HashSet<>();
        for (String list : List.of("succeeded", "failed")) {
            List<String> uids = Nodes.strings(status, "uncountedTerminatedPods", list);
            for (int i = 0; i < uids.size(); i++) {
                FieldPath path = STATUS.child("uncountedTerminatedPods", list).index(i);
                if (uids.get(i).isEmpty()) {
                    errors.invalid(path, "", "must not be empty");
                } else if (!seen.add(uids.get(i))) {
                    errors.duplicate(path, uids.get(i));
                }
            }
        }
    }

    private void validateOutcome() {
        boolean outcomeChanged = conditionChanged("Complete") || conditionChanged("Failed");
        if (outcomeChanged && complete && failed) {
            invalidConditions("cannot set Complete=True and Failed=true conditions");
        }
        boolean target = JobConditions.isTrue(status, "FailureTarget");
        if ((conditionChanged("Complete") || conditionChanged("FailureTarget")) && complete && target) {
            invalidConditions("cannot set Complete=True and FailureTarget=true conditions");
        }
    }

    private void validateCompletionTime() {
        if (!conditionChanged("Complete") && !changed("completionTime")) {
            return;
        }
        JsonNode time = Json.at(status, "completionTime");
        if (time != null && !complete) {
            errors.invalid(
                    STATUS.child("completionTime"),
                    time,
                    "cannot set completionTime when there is no Complete=True condition");
        }
        if (time == null && complete) {
            errors.required(STATUS.child("completionTime"), "completionTime is required for Complete jobs");
        }
    }

    private void validateOrderOfTimes() {
        String start = Json.textAt(status, "startTime");
        String completion = Json.textAt(status, "completionTime");
        boolean both = !start.isEmpty() && !completion.isEmpty();
        if ((changed("startTime") || changed("completionTime")) && both && completion.compareTo(start) < 0) {
            errors.invalid(STATUS.child("completionTime"), completion, "must be equal to or after `startTime`");
        }
    }

    private void validateReasons() {
        if (conditionChanged("Failed") && failed && !JobConditions.isTrue(status, "FailureTarget")) {
            invalidConditions("cannot set Failed=True condition without the FailureTarget=true condition");
        }
        boolean changed = conditionChanged("Complete") || conditionChanged("SuccessCriteriaMet");
        if (changed && complete && !JobConditions.isTrue(status, "SuccessCriteriaMet")) {
            invalidConditions("cannot set Complete=True condition without the SuccessCriteriaMet=true condition");
        }
    }

    private void validateNoPodsLeft(String count) {
        long pods = Json.longAt(status, 0, count);
        if (finished && (finishedChanged() || changed(count)) && pods > 0) {
            errors.invalid(STATUS.child(count), pods, count + ">0 is invalid for finished job");
        }
    }

    private void validatePodsOfFinished() {
        validateNoPodsLeft("active");
        if (!finished) {
            return;
        }
        boolean change = finishedChanged();
        boolean empty = Json.flagAt(spec, "suspend")
                && Nodes.has(spec, "completions")
                && Json.longAt(spec, 0, "completions") == 0;
        if ((change || changed("startTime")) && !empty && !Nodes.has(status, "startTime")) {
            errors.required(STATUS.child("startTime"), "startTime is required for finished job");
        }
        JsonNode uncounted = Json.at(status, "uncountedTerminatedPods");
        boolean some = !Nodes.emptyAt(uncounted, "succeeded") || !Nodes.emptyAt(uncounted, "failed");
        if ((change || changed("uncountedTerminatedPods")) && some) {
            ObjectNode shown = FieldChecks.goStruct(uncounted, "Succeeded", "Failed");
            errors.invalid(STATUS.child("uncountedTerminatedPods"), shown, "must be empty for finished job");
        }
    }

    private void validatePodCounts() {
        validateNoPodsLeft("terminating");
        long ready = Json.longAt(status, 0, "ready");
        boolean counted = changed("ready") || changed("active");
        if (counted && Nodes.has(status, "ready") && ready > Json.longAt(status, 0, "active")) {
            errors.invalid(STATUS.child("ready"), ready, "cannot set more ready pods than active");
        }
    }

    private void validateCriteria() {
        if (!JobConditions.isTrue(status, "SuccessCriteriaMet")) {
            return;
        }
        for (String type : List.of("Failed", "FailureTarget")) {
            if (JobConditions.isTrue(status, type)) {
                invalidConditions("cannot set SuccessCriteriaMet=True and " + type + "=true conditions");
            }
        }
    }

    private void validateIndexes() {
        boolean completedChanged = changed("completedIndexes");
        boolean failedChanged = changed("failedIndexes");
        IndexRanges completed = indexes("completedIndexes", completedChanged);
        boolean perIndex = Nodes.has(spec, "backoffLimitPerIndex");
        IndexRanges failing = perIndex ? indexes("failedIndexes", failedChanged) : null;
        boolean indexed = Json.textAt(spec, "completionMode").equals("Indexed");
        String completedText = Json.textAt(status, "completedIndexes");
        if (completedChanged && !indexed && !completedText.isEmpty()) {
            errors.invalid(
                    STATUS.child("completedIndexes"),
                    completedText,
                    "cannot set non-empty completedIndexes when non-indexed completion mode");
        }
        JsonNode failedText = Json.at(status, "failedIndexes");
        if (failedChanged && failedText != null && !perIndex) {
            errors.invalid(
                    STATUS.child("failedIndexes"),
                    failedText,
                    "cannot set non-null failedIndexes when backoffLimitPerIndex is null");
        }
        int common = completed == null || failing == null ? -1 : completed.firstCommon(failing);
        if ((completedChanged || failedChanged) && common >= 0) {
            errors.invalid(
                    STATUS.child("failedIndexes"),
                    failedText,
                    "failedIndexes and completedIndexes overlap at index: " + common);
        }
    }

    /** The indexes in a field; null where there are none that can be read. */
    private @Nullable IndexRanges indexes(String field, boolean complain) {
        if (!Nodes.has(spec, "completions")) {
            return null;
        }
        try {
            return IndexRanges.parse(Json.textAt(status, field), Json.longAt(spec, 0, "completions"));
        } catch (MalformedException e) {
            if (complain) {
                errors.invalid(
                        STATUS.child(field), Json.at(status, field), "error parsing " + field + ": " + e.getMessage());
            }
            return null;
        }
    }

    /** What was once reported stays true. */
    private void validateHistory() {
        for (String type : List.of("Complete", "Failed", "FailureTarget")) {
            validateStays(type, "terminal ");
        }
        validateGrows("failed");
        // Jobs that are as wide as they are long may shrink, and forget what was beyond their new end.
        boolean elastic = Json.textAt(spec, "completionMode").equals("Indexed")
                && Objects.equals(Json.at(spec, "completions"), Json.at(spec, "parallelism"));
        if (!elastic) {
            validateGrows("succeeded");
        }
        JsonNode start = Json.at(status, "startTime");
        if (changed("startTime") && Nodes.has(old, "startTime") && !Json.flagAt(spec, "suspend")) {
            errors.invalid(STATUS.child("startTime"), start, "field is immutable for unsuspended job once set");
        }
        validateStays("SuccessCriteriaMet", "");
        JsonNode completion = Json.at(status, "completionTime");
        if (complete && Nodes.has(old, "completionTime") && completion != null && changed("completionTime")) {
            errors.invalid(STATUS.child("completionTime"), completion, FieldChecks.IMMUTABLE);
        }
    }

    private void validateStays(String type, String adjective) {
        if (JobConditions.isTrue(old, type) && !JobConditions.isTrue(status, type)) {
            invalidConditions("cannot disable the " + adjective + type + "=True condition");
        }
    }

    private void validateGrows(String counter) {
        long count = Json.longAt(status, 0, counter);
        if (count < Json.longAt(old, 0, counter)) {
            errors.invalid(STATUS.child(counter), count, "cannot decrease the " + counter + " counter");
        }
    }
}
