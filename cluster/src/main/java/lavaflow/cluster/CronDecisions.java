package lavaflow.cluster;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

import lavaflow.kinds.CronSchedule;
import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What a cron job needs: which of its jobs to forget, what to report of them, and whether to start one. Pure. */
final class CronDecisions {
    static final String SCHEDULED = "batch.kubernetes.io/cronjob-scheduled-timestamp";
    private static final DateTimeFormatter SPOKEN = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM yyyy HH:mm:ss Z", Locale.ROOT)
            .withZone(ZoneOffset.UTC);
    private static final String JOB_VERSION = "batch/v1";

    private CronDecisions() {}

    /**
     * What is kept of a job of a cron job.
     *
     * @param scheduled the time it was started for, empty if it was started otherwise
     * @param outcome the condition that ended it, empty while it runs
     * @param completed when it was complete, empty if it is not
     */
    record Child(
            String namespace,
            String name,
            String uid,
            String owner,
            String scheduled,
            String outcome,
            @Nullable Instant started,
            String completed) {
        static Child of(ObjectNode job) {
            PodState.OwnerRef owner = PodState.OwnerRef.of(job);
            String start = Json.textAt(job, "status", "startTime");
            return new Child(
                    Objects.namespace(job),
                    Objects.name(job),
                    Objects.uid(job),
                    owner == null ? "" : owner.uid(),
                    Json.textAt(job, "metadata", "annotations", SCHEDULED),
                    JobStatus.isTrue(job, "Complete") ? "Complete" : JobStatus.isTrue(job, "Failed") ? "Failed" : "",
                    start.isEmpty() ? null : PodState.time(start),
                    Json.textAt(job, "status", "completionTime"));
        }

        boolean isFinished() {
            return !outcome.isEmpty();
        }
    }

    // ---- history

    /** Finished jobs beyond what is to be kept, oldest first. */
    static List<Child> surplus(ObjectNode cronJob, List<Child> children) {
        List<Child> surplus = new ArrayList<>(surplus(cronJob, children, "Complete", "successfulJobsHistoryLimit"));
        surplus.addAll(surplus(cronJob, children, "Failed", "failedJobsHistoryLimit"));
        return surplus;
    }

    private static List<Child> surplus(ObjectNode cronJob, List<Child> children, String outcome, String limit) {
        long kept = Json.longAt(cronJob, Long.MAX_VALUE, "spec", limit);
        List<Child> ended = children.stream()
                .filter(child -> child.outcome().equals(outcome))
                .sorted(Comparator.<Child, Instant>comparing(
                                child -> child.started() == null ? Instant.MAX : child.started())
                        .thenComparing(Child::name))
                .toList();
        return ended.subList(0, (int) Math.max(0, ended.size() - kept));
    }

    // ---- status

    /** Brings the status up to what became of jobs, and says what there is to tell. */
    static List<JobSync.Notice> observe(ObjectNode cronJob, List<Child> children) {
        List<JobSync.Notice> notices = new ArrayList<>();
        for (Child child : children) {
            boolean listed = CronStarts.isActive(cronJob, child.uid());
            if (!listed && !child.isFinished() && CronStarts.isStartedBy(cronJob, child.name(), child.scheduled())) {
                // We made it and did not get to say so. Another one beside it may not be allowed.
                CronStarts.list(cronJob, JOB_VERSION, child.namespace(), child.name(), child.uid(), "");
            } else if (!listed && !child.isFinished()) {
                notices.add(new JobSync.Notice(
                        true,
                        "UnexpectedJob",
                        "Saw a job that the controller did not create or forgot: " + child.name()));
            } else if (listed && child.isFinished()) {
                CronStarts.forget(cronJob, child.uid());
                notices.add(new JobSync.Notice(
                        false,
                        "SawCompletedJob",
                        "Saw completed job: " + child.name() + ", condition: " + child.outcome()));
            } else if (child.outcome().equals("Complete")) {
                ObjectNode status = Json.ensureObject(cronJob, "status");
                // Written alike, times compare as text.
                if (child.completed().compareTo(Json.textAt(status, "lastSuccessfulTime")) > 0) {
                    status.put("lastSuccessfulTime", child.completed());
                }
            }
        }
        return notices;
    }

    /** References to jobs that seem to be gone. */
    static List<JsonNode> unknown(ObjectNode cronJob, List<Child> children) {
        return CronStarts.unknown(cronJob, children.stream().map(Child::uid).collect(Collectors.toSet()));
    }

    /** Notes that a job was started. */
    static void started(ObjectNode cronJob, ObjectNode job, Instant time) {
        CronStarts.started(cronJob, JOB_VERSION, job, time);
    }

    // ---- the next start

    /**
     * What to do now.
     *
     * @param start the time a job is to be started for, null where none is
     * @param replace references to jobs that must go before it starts
     * @param again when to look again, empty for not before something changes
     */
    record Decision(
            @Nullable Instant start, List<JsonNode> replace, Optional<Duration> again, List<JobSync.Notice> notices) {
        static Decision rest(JobSync.Notice... notices) {
            return new Decision(null, List.of(), Optional.empty(), List.of(notices));
        }
    }

    /**
     * Decides about the next start.
     *
     * @param local the time zone of cron jobs that name none
     */
    static Decision decide(ObjectNode cronJob, Instant now, ZoneId local) {
        if (Objects.isDeleting(cronJob)) {
            return Decision.rest();
        }
        String zone = Json.textAt(cronJob, "spec", "timeZone");
        if (!zone.isEmpty() && !ZoneId.getAvailableZoneIds().contains(zone)) {
            return Decision.rest(new JobSync.Notice(
                    true, "UnknownTimeZone", "invalid timeZone: \"" + zone + "\": unknown time zone " + zone));
        }
        if (Json.flagAt(cronJob, "spec", "suspend")) {
            return Decision.rest();
        }
        String text = Json.textAt(cronJob, "spec", "schedule");
        List<JobSync.Notice> notices = new ArrayList<>();
        boolean zoned = text.contains("TZ");
        if (zoned) {
            notices.add(
                    new JobSync.Notice(
                            true,
                            "UnsupportedSchedule",
                            "CRON_TZ or TZ used in schedule \"" + text + "\" is not officially supported, see"
                                    + " https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"));
        }
        try {
            String full = zoned || zone.isEmpty() ? text : "TZ=" + zone + " " + text;
            return decide(cronJob, new CronTimes(cronJob, CronSchedule.parse(full, local), now), notices, now);
        } catch (MalformedException e) {
            notices.add(new JobSync.Notice(
                    true, "UnparseableSchedule", "unparseable schedule: \"" + text + "\" : " + e.getMessage()));
        } catch (CronTimes.NoTimesException e) {
            notices.add(
                    new JobSync.Notice(true, "InvalidSchedule", "invalid schedule: " + text + " : " + e.getMessage()));
        }
        return new Decision(null, List.of(), Optional.empty(), notices);
    }

    private static Decision decide(ObjectNode cronJob, CronTimes times, List<JobSync.Notice> notices, Instant now)
            throws CronTimes.NoTimesException {
        CronTimes.Missed missed = times.missed(true);
        Instant time = missed.latest();
        if (time == null) {
            return new Decision(null, List.of(), times.untilNext(), notices);
        }
        if (missed.isMany()) {
            notices.add(new JobSync.Notice(
                    true,
                    "TooManyMissedTimes",
                    "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew"));
        }
        Duration deadline = CronTimes.deadline(cronJob);
        String policy = Json.textAt(cronJob, "spec", "concurrencyPolicy");
        if (deadline != null && time.plus(deadline).isBefore(now)) {
            notices.add(new JobSync.Notice(
                    true, "MissSchedule", "Missed scheduled time to start a job: " + SPOKEN.format(time)));
        } else if (CronStarts.isDone(cronJob, time)) {
            return new Decision(null, List.of(), times.untilNext(), notices);
        } else if (policy.equals("Forbid") && !CronStarts.active(cronJob).isEmpty()) {
            notices.add(new JobSync.Notice(
                    false,
                    "JobAlreadyActive",
                    "Not starting job because prior execution is running and concurrency policy is Forbid"));
        } else {
            List<JsonNode> replace = new ArrayList<>();
            if (policy.equals("Replace")) {
                CronStarts.active(cronJob).forEach(replace::add);
            }
            return new Decision(time, replace, times.untilNext(), notices);
        }
        return new Decision(null, List.of(), times.untilNext(), notices);
    }

    /** The job for a time. Its name is made of the time, so that nobody can start it twice. */
    static ObjectNode job(ObjectNode cronJob, Instant time) {
        return CronStarts.job(cronJob, time, SCHEDULED, ReplicaDecisions.ownerReference(cronJob));
    }
}
