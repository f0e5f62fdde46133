package lavaflow.cluster;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import lavaflow.kube.GoTime;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** What cron jobs of every kind know of the jobs they started: which of them are active, and what they are called. Pure. */
public final class CronStarts {
    private static final DateTimeFormatter STAMP = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ssXXX", Locale.ROOT);

    private CronStarts() {}

    // ---- the list of active jobs

    public static ArrayNode active(ObjectNode cronJob) {
        return Json.listAt(cronJob, "status", "active");
    }

    public static boolean isActive(ObjectNode cronJob, String uid) {
        return active(cronJob)
                .valueStream()
                .anyMatch(reference -> Json.textAt(reference, "uid").equals(uid));
    }

    /** References to jobs that are none of these, and so seem to be gone. */
    public static List<JsonNode> unknown(ObjectNode cronJob, Set<String> uids) {
        return active(cronJob)
                .valueStream()
                .filter(reference -> !uids.contains(Json.textAt(reference, "uid")))
                .toList();
    }

    /** Takes a job off the list. */
    public static void forget(ObjectNode cronJob, String uid) {
        ArrayNode kept = Json.array();
        for (JsonNode reference : active(cronJob)) {
            if (!Json.textAt(reference, "uid").equals(uid)) {
                kept.add(reference);
            }
        }
        setActive(cronJob, kept);
    }

    /**
     * Puts a job on the list.
     *
     * @param version its resourceVersion; left out where it is empty
     */
    public static void list(
            ObjectNode cronJob, String apiVersion, String namespace, String name, String uid, String version) {
        ArrayNode active = active(cronJob).deepCopy();
        ObjectNode reference = active.addObject();
        reference.put("kind", "Job").put("namespace", namespace).put("name", name);
        reference.put("uid", uid).put("apiVersion", apiVersion);
        if (!version.isEmpty()) {
            reference.put("resourceVersion", version);
        }
        setActive(cronJob, active);
    }

    private static void setActive(ObjectNode cronJob, ArrayNode active) {
        ObjectNode status = Json.ensureObject(cronJob, "status");
        if (active.isEmpty()) {
            status.remove("active");
        } else {
            status.set("active", active);
        }
    }

    /** Notes that a job was started for a time. */
    public static void started(ObjectNode cronJob, String apiVersion, ObjectNode job, Instant time) {
        if (!isActive(cronJob, Objects.uid(job))) {
            list(
                    cronJob,
                    apiVersion,
                    Objects.namespace(job),
                    Objects.name(job),
                    Objects.uid(job),
                    Objects.resourceVersion(job));
        }
        Json.ensureObject(cronJob, "status").put("lastScheduleTime", GoTime.seconds(time));
    }

    // ---- the job of a time

    /** Made of the time, so that nobody can start it twice. */
    static String jobName(ObjectNode cronJob, Instant time) {
        return Objects.name(cronJob) + "-" + time.getEpochSecond() / 60;
    }

    /** Whether a job was already started for a time. */
    public static boolean isDone(ObjectNode cronJob, Instant time) {
        String name = jobName(cronJob, time);
        return active(cronJob)
                        .valueStream()
                        .anyMatch(reference -> Json.textAt(reference, "name").equals(name))
                || Json.textAt(cronJob, "status", "lastScheduleTime").equals(GoTime.seconds(time));
    }

    /**
     * Whether a job has the name of the time it says it is for.
     *
     * @param scheduled that time as it is written in the job; empty if it says none
     */
    public static boolean isStartedBy(ObjectNode cronJob, String job, String scheduled) {
        try {
            return !scheduled.isEmpty()
                    && job.equals(
                            jobName(cronJob, OffsetDateTime.parse(scheduled).toInstant()));
        } catch (DateTimeParseException _) {
            return false;
        }
    }

    /**
     * The job for a time, of its template.
     *
     * @param annotation which says the time
     * @param owner the reference to the cron job
     */
    public static ObjectNode job(ObjectNode cronJob, Instant time, String annotation, ObjectNode owner) {
        JsonNode template = Json.at(cronJob, "spec", "jobTemplate");
        ObjectNode job = Json.object();
        ObjectNode metadata = job.putObject("metadata");
        metadata.put("name", jobName(cronJob, time));
        for (String field : List.of("labels", "annotations")) {
            JsonNode value = Json.at(template, "metadata", field);
            if (value != null) {
                metadata.set(field, value.deepCopy());
            }
        }
        String zone = Json.textAt(cronJob, "spec", "timeZone");
        ZoneId place = zone.isEmpty() ? ZoneOffset.UTC : ZoneId.of(zone);
        Json.ensureObject(metadata, "annotations").put(annotation, STAMP.format(time.atZone(place)));
        metadata.putArray("ownerReferences").add(owner);
        JsonNode spec = Json.at(template, "spec");
        job.set("spec", spec == null ? Json.object() : spec.deepCopy());
        return job;
    }
}
