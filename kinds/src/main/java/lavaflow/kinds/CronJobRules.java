package lavaflow.kinds;

import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** batch/v1 CronJob. */
final class CronJobRules implements KindRules {
    /** Names of jobs get a suffix of eleven characters and must remain labels. */
    private static final int NAME_LENGTH = 52;

    private static final FieldPath SPEC = FieldPath.of("spec");

    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.GENERATION);
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        ObjectNode spec = Json.ensureObject(object, "spec");
        ObjectNode jobSpec = Json.ensureObject(spec, "jobTemplate", "spec");
        PodTemplateRules.applyDefaults(Json.ensureObject(jobSpec, "template"));
        JobRules.defaultFailurePolicy(jobSpec);
        Nodes.defaultText(spec, "concurrencyPolicy", "Allow");
        Nodes.defaultValue(spec, "suspend", Json.FACTORY.booleanNode(false));
        Nodes.defaultValue(spec, "successfulJobsHistoryLimit", Json.number(3));
        Nodes.defaultValue(spec, "failedJobsHistoryLimit", Json.number(1));
    }

    @Override
    public void prepareForCreate(ObjectNode object) {
        object.remove("status");
        prepareTemplate(object, null);
    }

    @Override
    public void prepareForUpdate(ObjectNode object, ObjectNode old) {
        KindRules.keep(object, old, "status");
        prepareTemplate(object, old);
    }

    private static void prepareTemplate(ObjectNode object, @Nullable ObjectNode old) {
        PodTemplateRules.prepare(
                Json.ensureObject(object, "spec", "jobTemplate", "spec", "template"),
                Json.at(old, "spec", "jobTemplate", "spec", "template"));
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        validateSpec(Json.ensureObject(object, "spec"), null, errors);
        String name = Json.textAt(object, "metadata", "name");
        if (Names.utf8Length(name) > NAME_LENGTH) {
            errors.invalid(
                    FieldPath.of("metadata", "name"), name, "must be no more than " + NAME_LENGTH + " characters");
        }
    }

    @Override
    public void validateUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        validateSpec(Json.ensureObject(object, "spec"), Json.at(old, "spec"), errors);
    }

    private static void validateSpec(ObjectNode spec, @Nullable JsonNode before, FieldErrors errors) {
        String schedule = Json.textAt(spec, "schedule");
        if (schedule.isEmpty()) {
            errors.required(SPEC.child("schedule"));
        } else {
            validateSchedule(schedule, Json.textAt(before, "schedule").contains("TZ"), errors);
        }
        WorkloadChecks.notNegative(spec, SPEC, errors, "startingDeadlineSeconds");
        JsonNode zone = Json.at(spec, "timeZone");
        if (zone != null && !Objects.equals(zone, Json.at(before, "timeZone"))) {
            validateTimeZone(zone.asText(), errors);
        }
        WorkloadChecks.oneOf(spec, SPEC, errors, "concurrencyPolicy", List.of("Allow", "Forbid", "Replace"));
        ObjectNode jobSpec = Json.ensureObject(spec, "jobTemplate", "spec");
        JobSpecs.validateTemplate(jobSpec, SPEC.child("jobTemplate", "spec"), errors);
        WorkloadChecks.notNegative(spec, SPEC, errors, "successfulJobsHistoryLimit", "failedJobsHistoryLimit");
    }

    private static void validateSchedule(String schedule, boolean zoneAllowed, FieldErrors errors) {
        FieldPath path = SPEC.child("schedule");
        try {
            CronSchedule _ = CronSchedule.parse(schedule, ZoneOffset.UTC);
        } catch (MalformedException e) {
            errors.invalid(path, schedule, String.valueOf(e.getMessage()));
        }
        if (schedule.contains("TZ") && !zoneAllowed) {
            errors.invalid(path, schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
        }
    }

    private static void validateTimeZone(String zone, FieldErrors errors) {
        FieldPath path = SPEC.child("timeZone");
        if (zone.isEmpty()) {
            errors.invalid(path, zone, "timeZone must be nil or non-empty string");
            return;
        }
        boolean local = zone.toLowerCase(Locale.ROOT).equals("local");
        if (local) {
            errors.invalid(
                    path, zone, "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones");
        }
        if (!zone.equals("Local") && !ZoneId.getAvailableZoneIds().contains(zone)) {
            errors.invalid(path, zone, "unknown time zone " + zone);
        }
    }

    @Override
    public List<String> warnings(ObjectNode object, @Nullable ObjectNode old) {
        List<String> warnings = new ArrayList<>(ScaledSpecs.nameWarnings(object, old));
        ObjectNode template = Json.objectAt(object, "spec", "jobTemplate", "spec", "template");
        if (ScaledSpecs.generationChanged(object, old) && template != null) {
            warnings.addAll(PodTemplateRules.warnings(template, SPEC.child("jobTemplate", "spec", "template")));
        }
        if (Json.textAt(object, "spec", "schedule").contains("TZ")) {
            warnings.add("CRON_TZ or TZ used in spec.schedule is not officially supported, see"
                    + " https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details");
        }
        return warnings;
    }
}
