package lavaflow.flows;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

import lavaflow.cluster.CronStarts;
import lavaflow.cluster.CronTimes;
import lavaflow.kinds.CronSchedule;
import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What a CronJob of Volcano needs: which of its Jobs to forget, what to report of them, and whether to start one. Pure. */
final class CronPlan {
    private static final String VERSION = "batch.volcano.sh/v1alpha1";

    private CronPlan() {}

    /** Something to tell as an event. */
    record Notice(boolean warning, String reason, String message) {}

    /**
     * What is kept of a Job of a CronJob.
     *
     * @param scheduled the time it was started for, empty if it was started otherwise
     * @param ended since when it is as it is
     */
    record Child(
            String namespace,
            String name,
            String uid,
            String owner,
            String scheduled,
            String phase,
            String made,
            String ended) {
        static Child of(ObjectNode job) {
            return new Child(
                    Flows.namespace(job),
                    Flows.name(job),
                    Flows.uid(job),
                    Flows.controller(job),
                    Json.textAt(job, "metadata", "annotations", Flows.SCHEDULED),
                    Flows.phase(job),
                    Json.textAt(job, "metadata", "creationTimestamp"),
                    Json.textAt(job, "status", "state", "lastTransitionTime"));
        }

        boolean isSuccess() {
            return phase.equals("Completed");
        }

        boolean isFailure() {
            return phase.equals("Failed") || phase.equals("Terminated");
        }

        /** An aborted Job may go on, and is active. */
        boolean isFinished() {
            return isSuccess() || isFailure();
        }
    }

    // ---- history

    /** Finished Jobs beyond what is to be kept, oldest first. */
    static List<Child> surplus(ObjectNode cronJob, List<Child> children) {
        List<Child> surplus = new ArrayList<>(
                surplus(cronJob, children.stream().filter(Child::isSuccess).toList(), "successfulJobsHistoryLimit"));
        surplus.addAll(
                surplus(cronJob, children.stream().filter(Child::isFailure).toList(), "failedJobsHistoryLimit"));
        return surplus;
    }

    private static List<Child> surplus(ObjectNode cronJob, List<Child> ended, String limit) {
        long kept = Json.longAt(cronJob, Long.MAX_VALUE, "spec", limit);
        List<Child> sorted = ended.stream()
                .sorted(Comparator.comparing(Child::made).thenComparing(Child::name))
                .toList();
        return sorted.subList(0, (int) Math.max(0, sorted.size() - kept));
    }

    // ---- status

    /** Brings the status up to what became of Jobs, and says what there is to tell. */
    static List<Notice> observe(ObjectNode cronJob, List<Child> children) {
        List<Notice> notices = new ArrayList<>();
        for (Child child : children) {
            boolean listed = CronStarts.isActive(cronJob, child.uid());
            if (child.isFinished()) {
                if (listed) {
                    CronStarts.forget(cronJob, child.uid());
                    notices.add(new Notice(
                            false, "SawCompletedJob", "Saw completed job: " + child.name() + " in active, remove"));
                }
                ObjectNode status = Json.ensureObject(cronJob, "status");
                // Written alike, times compare as text.
                if (child.isSuccess() && child.ended().compareTo(Json.textAt(status, "lastSuccessfulTime")) > 0) {
                    status.put("lastSuccessfulTime", child.ended());
                }
            } else if (!listed && CronStarts.isStartedBy(cronJob, child.name(), child.scheduled())) {
                // We made it and did not get to say so. Another one beside it may not be allowed.
                CronStarts.list(cronJob, VERSION, child.namespace(), child.name(), child.uid(), "");
            } else if (!listed) {
                notices.add(new Notice(
                        true,
                        "OrphanedJob",
                        "Detected orphaned job forgotten or not managed by controller: " + child.name() + " (UID: "
                                + child.uid() + ")"));
            }
        }
        return notices;
    }

    /** What is wrong with a reference to a Job; null where it is still that Job. */
    static @Nullable Notice stale(JsonNode reference, Optional<ObjectNode> found) {
        String name = Json.textAt(reference, "name");
        String uid = Json.textAt(reference, "uid");
        if (found.isEmpty()) {
            return new Notice(
                    true, "StaleReference", "Active job \"" + name + "\" no longer exists (UID: " + uid + ")");
        }
        String actual = Flows.uid(found.get());
        return actual.equals(uid)
                ? null
                : new Notice(
                        true,
                        "StaleReference",
                        "Active job reference \"" + name + "\" points to a different UID (expected: " + uid
                                + ", actual: " + actual + ")");
    }

    /** References to Jobs that seem to be gone. */
    static List<JsonNode> unknown(ObjectNode cronJob, List<Child> children) {
        return CronStarts.unknown(cronJob, children.stream().map(Child::uid).collect(Collectors.toSet()));
    }

    /** Notes that a Job was started. */
    static void started(ObjectNode cronJob, ObjectNode job, Instant time) {
        CronStarts.started(cronJob, VERSION, job, time);
    }

    // ---- the next start

    /**
     * What to do now.
     *
     * @param start the time a Job is to be started for, null where none is
     * @param replace references to Jobs that must go before it starts
     * @param again when to look again, empty for not before something changes
     */
    record Decision(@Nullable Instant start, List<JsonNode> replace, Optional<Duration> again, List<Notice> notices) {
        static Decision rest(List<Notice> notices) {
            return new Decision(null, List.of(), Optional.empty(), notices);
        }
    }

    /**
     * Decides about the next start.
     *
     * @param local the time zone of CronJobs that name none
     */
    static Decision decide(ObjectNode cronJob, Instant now, ZoneId local) {
        if (Flows.isDeleting(cronJob) || Json.flagAt(cronJob, "spec", "suspend")) {
            return Decision.rest(List.of());
        }
        String zone = Json.textAt(cronJob, "spec", "timeZone");
        if (!zone.isEmpty() && !ZoneId.getAvailableZoneIds().contains(zone)) {
            return Decision.rest(List.of(new Notice(
                    true, "InvalidTimeZone", "Invalid time zone \"" + zone + "\": unknown time zone " + zone)));
        }
        String text = Json.textAt(cronJob, "spec", "schedule");
        List<Notice> notices = new ArrayList<>();
        boolean zoned = text.contains("TZ");
        if (zoned) {
            notices.add(new Notice(
                    true,
                    "UnsupportedSchedule",
                    "CRON_TZ or TZ in the schedule \"" + text + "\" is not officially supported. If set, the TimeZone"
                            + " field will be ignored during execution."));
        }
        try {
            String full = zoned || zone.isEmpty() ? text : "TZ=" + zone + " " + text;
            return decide(cronJob, new CronTimes(cronJob, CronSchedule.parse(full, local), now), notices, now);
        } catch (MalformedException _) {
            notices.add(new Notice(true, "UnParseableCronJobSchedule", "unparseable schedule for cronjob: " + text));
        } catch (CronTimes.NoTimesException e) {
            notices.add(new Notice(true, "InvalidSchedule", "Error getting schedule time: " + e.getMessage()));
        }
        return Decision.rest(notices);
    }

    private static Decision decide(ObjectNode cronJob, CronTimes times, List<Notice> notices, Instant now)
            throws CronTimes.NoTimesException {
        CronTimes.Missed missed = times.missed(true);
        Instant time = missed.latest();
        Decision nothing = new Decision(null, List.of(), times.untilNext(), notices);
        if (time == null) {
            return nothing;
        }
        if (missed.isMany()) {
            notices.add(new Notice(
                    true,
                    "TooManyMissedTimes",
                    "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew"));
        }
        Duration deadline = CronTimes.deadline(cronJob);
        boolean late = deadline != null && time.plus(deadline).isBefore(now);
        if (late || CronStarts.isDone(cronJob, time)) {
            return nothing;
        }
        boolean running = !CronStarts.active(cronJob).isEmpty();
        String policy = Json.textAt(cronJob, "spec", "concurrencyPolicy");
        if (policy.equals("Forbid") && running) {
            notices.add(new Notice(
                    true, "ForbidConcurrent", "Skipping job creation because another job is already running"));
            return nothing;
        }
        List<JsonNode> replace = new ArrayList<>();
        if (policy.equals("Replace") && running) {
            notices.add(new Notice(true, "ReplaceConcurrent", "Replacing active job for CronJob"));
            CronStarts.active(cronJob).forEach(replace::add);
        }
        return new Decision(time, replace, times.untilNext(), notices);
    }

    /** The Job for a time. Its name is made of the time, so that nobody can start it twice. */
    static ObjectNode job(ObjectNode cronJob, Instant time) {
        ObjectNode job = CronStarts.job(cronJob, time, Flows.SCHEDULED, Flows.reference(cronJob, VERSION, "CronJob"));
        job.put("apiVersion", VERSION).put("kind", "Job");
        Json.ensureObject(job, "metadata").put("namespace", Flows.namespace(cronJob));
        return job;
    }
}
