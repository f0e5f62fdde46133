package lavaflow.cluster;

import java.time.Duration;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

import lavaflow.controller.CrashingKubeApi;
import lavaflow.controller.KubeApi;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.GoTime;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static lavaflow.cluster.TestingCluster.CRON_JOBS;
import static lavaflow.cluster.TestingCluster.EVENTS;
import static lavaflow.cluster.TestingCluster.JOBS;
import static lavaflow.cluster.TestingCluster.named;
import static org.assertj.core.api.Assertions.assertThat;

/** Cron jobs from 2030-01-02T03:04:05Z on, a Wednesday. */
class CronJobsTest {
    private final TestingCluster cluster = new TestingCluster();
    private final TestingKubeApi api = cluster.api;

    @BeforeEach
    void start() {
        run(api);
        cluster.namespace("team");
        cluster.settle();
    }

    private void run(KubeApi view) {
        cluster.run(new CronJobs(view, cluster.followers, cluster.clock(), ZoneOffset.UTC, cluster.nanoTime())
                .controller());
        cluster.run(new FinishedJobs(view, cluster.followers, cluster.clock(), cluster.nanoTime()).controller());
    }

    private void create(String schedule, Consumer<ObjectNode> more) {
        ObjectNode cronJob = named("tick");
        ObjectNode spec = cronJob.putObject("spec");
        spec.put("schedule", schedule).put("concurrencyPolicy", "Allow").put("suspend", false);
        spec.put("successfulJobsHistoryLimit", 3).put("failedJobsHistoryLimit", 1);
        Json.ensureObject(spec, "jobTemplate", "metadata", "labels").put("made", "by-tick");
        Json.ensureObject(spec, "jobTemplate", "spec").put("parallelism", 1);
        more.accept(spec);
        api.create(CRON_JOBS, "team", cronJob);
        cluster.settle();
    }

    private void change(Consumer<ObjectNode> change) {
        api.edit(CRON_JOBS, "team", "tick", cronJob -> {
            change.accept(Json.ensureObject(cronJob, "spec"));
            return cronJob;
        });
        cluster.settle();
    }

    private JsonNode status() {
        return api.get(CRON_JOBS, "team", "tick").path("status");
    }

    private List<String> jobs() {
        return api.list(JOBS, "team", KubeApi.View.WHOLE).items().stream()
                .map(Objects::name)
                .toList();
    }

    private List<String> active() {
        return CronStarts.active(api.get(CRON_JOBS, "team", "tick")).findValuesAsText("name");
    }

    private List<String> events() {
        return api.list(EVENTS, "team", KubeApi.View.WHOLE).items().stream()
                .sorted(Comparator.comparingInt(
                        event -> Integer.parseInt(Objects.uid(event).substring("uid-".length()))))
                .map(event -> Json.textAt(event, "type") + " " + Json.textAt(event, "reason") + " "
                        + Json.textAt(event, "message"))
                .toList();
    }

    private void end(String job, String condition) {
        api.edit(JOBS, "team", job, live -> {
            ObjectNode status = Json.ensureObject(live, "status");
            String now = GoTime.seconds(cluster.clock().instant());
            status.put("startTime", now);
            if (condition.equals("Complete")) {
                status.put("completionTime", now);
            }
            status.putArray("conditions")
                    .addObject()
                    .put("type", condition)
                    .put("status", "True")
                    .put("lastTransitionTime", now);
            return live;
        });
        cluster.settle();
    }

    private void pass(int minutes) {
        for (int i = 0; i < minutes; i++) {
            cluster.pass(Duration.ofMinutes(1));
        }
    }

    @Test
    void startsAJobWhenItsTimeHasCome() {
        create("*/5 * * * *", _ -> {});
        cluster.pass(Duration.ofSeconds(54));
        assertThat(jobs()).isEmpty();
        cluster.pass(Duration.ofSeconds(2));
        // 2030-01-02T03:05:00Z in minutes.
        assertThat(jobs()).containsExactly("tick-31559225");
        ObjectNode job = api.get(JOBS, "team", "tick-31559225");
        assertThat(Json.textAt(job, "metadata", "annotations", CronDecisions.SCHEDULED))
                .isEqualTo("2030-01-02T03:05:00Z");
        assertThat(Json.textAt(job, "metadata", "labels", "made")).isEqualTo("by-tick");
        assertThat(PodState.OwnerRef.of(job))
                .extracting(PodState.OwnerRef::kind)
                .isEqualTo("CronJob");
        assertThat(status().path("lastScheduleTime").asText()).isEqualTo("2030-01-02T03:05:00Z");
        JsonNode reference = status().path("active").path(0);
        assertThat(Json.textAt(reference, "uid")).isEqualTo(Objects.uid(job));
        assertThat(Json.textAt(reference, "resourceVersion")).isEqualTo(Objects.resourceVersion(job));
        assertThat(events()).containsExactly("Normal SuccessfulCreate Created job tick-31559225");
        pass(5);
        assertThat(jobs()).hasSize(2);
    }

    @Test
    void followsItsTimeZone() {
        create("30 8 * * *", spec -> spec.put("timeZone", "Asia/Kolkata"));
        pass(1);
        assertThat(jobs()).isEmpty();
        cluster.pass(Duration.ofDays(1));
        ObjectNode job = api.get(JOBS, "team", jobs().getFirst());
        assertThat(Json.textAt(job, "metadata", "annotations", CronDecisions.SCHEDULED))
                .isEqualTo("2030-01-03T08:30:00+05:30");
    }

    @Test
    void takesEndedJobsOffItsListAndNotesTheLastSuccess() {
        create("*/5 * * * *", _ -> {});
        pass(1);
        end("tick-31559225", "Complete");
        assertThat(active()).isEmpty();
        assertThat(status().path("lastSuccessfulTime").asText()).isEqualTo("2030-01-02T03:05:05Z");
        assertThat(events()).contains("Normal SawCompletedJob Saw completed job: tick-31559225, condition: Complete");
    }

    @Test
    void noticesWhenAnActiveJobIsGone() {
        create("*/5 * * * *", _ -> {});
        pass(1);
        cluster.delete(JOBS, "team", "tick-31559225", null);
        cluster.settle();
        assertThat(active()).isEmpty();
        assertThat(events()).contains("Normal MissingJob Active job went missing: tick-31559225");
        assertThat(jobs()).isEmpty();
    }

    @Test
    void keepsTheLatestOfTheJobsThatEnded() {
        create("* * * * *", spec -> spec.put("successfulJobsHistoryLimit", 2));
        for (int i = 0; i < 6; i++) {
            pass(1);
            end("tick-" + (31559225 + i), i % 2 == 0 ? "Complete" : "Failed");
        }
        assertThat(jobs()).containsExactly("tick-31559227", "tick-31559229", "tick-31559230");
        assertThat(events()).contains("Normal SuccessfulDelete Deleted job tick-31559225");
    }

    @Test
    void mayForbidTwoAtOnce() {
        create("* * * * *", spec -> spec.put("concurrencyPolicy", "Forbid"));
        pass(3);
        assertThat(jobs()).containsExactly("tick-31559225");
        assertThat(events())
                .contains("Normal JobAlreadyActive Not starting job because prior execution is running and concurrency"
                        + " policy is Forbid");
        end("tick-31559225", "Complete");
        // The time that was not met is met now.
        assertThat(active()).containsExactly("tick-31559227");
    }

    @Test
    void mayReplaceTheOneThatRuns() {
        create("* * * * *", spec -> spec.put("concurrencyPolicy", "Replace"));
        pass(3);
        assertThat(jobs()).containsExactly("tick-31559227");
        assertThat(active()).containsExactly("tick-31559227");
        assertThat(events()).contains("Normal SuccessfulDelete Deleted job tick-31559226");
    }

    @Test
    void startsNothingWhileSuspendedAndOnlyTheLatestAfterwards() {
        create("* * * * *", spec -> spec.put("suspend", true));
        pass(5);
        assertThat(jobs()).isEmpty();
        change(spec -> spec.put("suspend", false));
        assertThat(jobs()).containsExactly("tick-31559229");
    }

    @Test
    void missesWhatIsTooLate() {
        create("0 * * * *", spec -> spec.put("suspend", true).put("startingDeadlineSeconds", 30));
        pass(58);
        change(spec -> spec.put("suspend", false));
        assertThat(jobs()).isEmpty();
        pass(58);
        assertThat(jobs()).containsExactly("tick-31559340");
    }

    @Test
    void tellsWhenTooManyTimesWereMissed() {
        create("* * * * *", spec -> spec.put("suspend", true));
        cluster.pass(Duration.ofHours(3));
        change(spec -> spec.put("suspend", false));
        assertThat(events())
                .contains("Warning TooManyMissedTimes too many missed start times. Set or decrease"
                        + " .spec.startingDeadlineSeconds or check clock skew");
        assertThat(jobs()).containsExactly("tick-31559404");
    }

    @Test
    void tellsOfSchedulesThatCannotBe() {
        create("59 23 31 2 *", _ -> {});
        assertThat(events())
                .containsExactly("Warning InvalidSchedule invalid schedule: 59 23 31 2 * : time difference between two"
                        + " schedules is less than 1 second");
        change(spec -> spec.put("schedule", "nonsense"));
        assertThat(events())
                .contains("Warning UnparseableSchedule unparseable schedule: \"nonsense\" : expected exactly 5 fields,"
                        + " found 1: [nonsense]");
        change(spec -> spec.put("schedule", "* * * * *").put("timeZone", "Nowhere/Land"));
        assertThat(events())
                .contains("Warning UnknownTimeZone invalid timeZone: \"Nowhere/Land\": unknown time zone Nowhere/Land");
    }

    @Test
    void aJobThatWasStartedJustBeforeACrashIsNotStartedAgain() {
        for (CrashingKubeApi.Mishap mishap : CrashingKubeApi.Mishap.values()) {
            for (int at = 0; at < 4; at++) {
                CronJobsTest told = new CronJobsTest();
                told.tellWithCrash(mishap, at);
            }
        }
    }

    private void tellWithCrash(CrashingKubeApi.Mishap mishap, int at) {
        cluster.namespace("team");
        CrashingKubeApi dying = new CrashingKubeApi(api, mishap, at);
        cluster.restart(dying);
        run(dying);
        create("*/5 * * * *", spec -> spec.put("concurrencyPolicy", "Forbid"));
        pass(1);
        cluster.restart(api);
        run(api);
        pass(1);
        assertThat(jobs()).as("%s at %s", mishap, at).containsExactly("tick-31559225");
        assertThat(active()).containsExactly("tick-31559225");
    }

    @Test
    void aJobThatNobodyHeardOfKeepsOthersAwayEvenAfterItsMinute() {
        for (CrashingKubeApi.Mishap mishap : CrashingKubeApi.Mishap.values()) {
            for (int at = 0; at < 4; at++) {
                CronJobsTest told = new CronJobsTest();
                told.forbidWithCrash(mishap, at);
            }
        }
    }

    private void forbidWithCrash(CrashingKubeApi.Mishap mishap, int at) {
        cluster.namespace("team");
        CrashingKubeApi dying = new CrashingKubeApi(api, mishap, at);
        cluster.restart(dying);
        run(dying);
        create("* * * * *", spec -> spec.put("concurrencyPolicy", "Forbid"));
        pass(1);
        List<String> first = jobs();
        cluster.restart(api);
        run(api);
        pass(1);
        assertThat(jobs()).as("%s at %s", mishap, at).hasSize(1);
        assertThat(first.isEmpty() ? jobs() : first).isEqualTo(jobs());
        assertThat(active()).isEqualTo(jobs());
    }

    @Test
    void aJobMadeByHandIsNoReasonToWait() {
        create("* * * * *", spec -> spec.put("concurrencyPolicy", "Forbid"));
        ObjectNode byHand = named("by-hand");
        Json.ensureObject(byHand, "metadata")
                .putArray("ownerReferences")
                .add(ReplicaDecisions.ownerReference(api.get(CRON_JOBS, "team", "tick")));
        api.create(JOBS, "team", byHand);
        pass(1);
        assertThat(active()).hasSize(1).doesNotContain("by-hand");
    }

    @Test
    void aRefusalIsToldAndTriedAgain() {
        api.fail("create jobs.batch team/tick-31559225", ApiException.forbidden("batch", "jobs", "tick", "no"));
        create("*/5 * * * *", _ -> {});
        pass(1);
        assertThat(events().getFirst()).startsWith("Warning FailedCreate Error creating job: ");
        pass(1);
        assertThat(jobs()).containsExactly("tick-31559225");
    }

    @Test
    void aFinishedJobIsRemovedAfterItsTime() {
        ObjectNode job = named("once");
        job.putObject("spec").put("ttlSecondsAfterFinished", 60);
        api.create(JOBS, "team", job);
        api.create(JOBS, "team", named("forever"));
        end("once", "Failed");
        end("forever", "Complete");
        api.takeWrites();
        cluster.pass(Duration.ofSeconds(59));
        assertThat(api.takeWrites()).isEmpty();
        cluster.pass(Duration.ofSeconds(1));
        assertThat(api.takeWrites()).containsExactly("delete jobs.batch team/once Foreground");
    }
}
