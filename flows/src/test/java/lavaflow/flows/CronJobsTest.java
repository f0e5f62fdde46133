package lavaflow.flows;

import java.time.Duration;
import java.util.List;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static lavaflow.flows.TestingFlows.SPACE;
import static org.assertj.core.api.Assertions.assertThat;

/** Volcano's CronJobs. It is 03:04:05 when everything is made; minutes since 1970 are in the names of Jobs. */
class CronJobsTest {
    private static final long MINUTE = TestingFlows.START.getEpochSecond() / 60;

    private final TestingFlows testing = new TestingFlows();

    private void everyMinute(String more) {
        testing.make(Flows.CRON_JOBS, """
                metadata: {name: c}
                spec:
                  schedule: "* * * * *"
                  timeZone: UTC
                  successfulJobsHistoryLimit: 1
                  failedJobsHistoryLimit: 1
                  jobTemplate: {metadata: {labels: {a: b}}, spec: {minAvailable: 1}}
                  %s
                """.formatted(more));
    }

    private static String job(int minutes) {
        return "c-" + (MINUTE + minutes);
    }

    private ObjectNode cronJob() {
        return testing.find(Flows.CRON_JOBS, "c");
    }

    private List<String> active() {
        return Json.listAt(cronJob(), "status", "active")
                .valueStream()
                .map(reference -> Json.textAt(reference, "name"))
                .toList();
    }

    @Test
    void aJobIsStartedWhenItsTimeHasCome() {
        everyMinute("");
        assertThat(testing.jobs()).isEmpty();
        testing.pass(Duration.ofSeconds(56));
        assertThat(testing.jobs()).containsExactly(job(1));
        ObjectNode job = testing.find(Flows.JOBS, job(1));
        assertThat(Json.textAt(job, "metadata", "annotations", "volcano.sh/cronjob-scheduled-timestamp"))
                .isEqualTo("2030-01-02T03:05:00Z");
        assertThat(Json.textAt(job, "metadata", "labels", "a")).isEqualTo("b");
        assertThat(Json.longAt(job, 0, "spec", "minAvailable")).isEqualTo(1);
        assertThat(Flows.controller(job)).isEqualTo(Flows.uid(cronJob()));
        assertThat(active()).containsExactly(job(1));
        assertThat(Json.textAt(cronJob(), "status", "lastScheduleTime")).isEqualTo("2030-01-02T03:05:00Z");
        assertThat(testing.events())
                .containsExactly("Normal SuccessfulCreate Created job " + job(1) + " for CronJob team/c");
        testing.pass(Duration.ofSeconds(60));
        assertThat(active()).containsExactly(job(1), job(2));
    }

    @Test
    void whatHasEndedIsNotActiveAndOnlySomeOfItIsKept() {
        everyMinute("");
        for (int minute = 1; minute <= 4; minute++) {
            testing.pass(Duration.ofSeconds(minute == 1 ? 56 : 60));
            testing.job(job(minute), minute % 2 == 1 ? "Completed" : "Terminated");
        }
        assertThat(active()).isEmpty();
        assertThat(testing.jobs()).containsExactly(job(3), job(4));
        assertThat(Json.textAt(cronJob(), "status", "lastSuccessfulTime")).isEqualTo("2030-01-02T03:05:00Z");
        assertThat(testing.events())
                .contains(
                        "Normal SawCompletedJob Saw completed job: " + job(1) + " in active, remove",
                        "Normal SuccessfulDelete Deleted job \"" + job(1) + "\"");
    }

    @Test
    void anAbortedJobIsStillActive() {
        everyMinute("concurrencyPolicy: Forbid");
        testing.pass(Duration.ofSeconds(56));
        testing.job(job(1), "Aborted");
        testing.pass(Duration.ofSeconds(60));
        assertThat(testing.jobs()).containsExactly(job(1));
        assertThat(testing.events())
                .contains("Warning ForbidConcurrent Skipping job creation because another job is already running");
    }

    @Test
    void aJobTakesThePlaceOfAnother() {
        everyMinute("concurrencyPolicy: Replace");
        testing.pass(Duration.ofSeconds(56));
        testing.pass(Duration.ofSeconds(60));
        assertThat(testing.jobs()).containsExactly(job(2));
        assertThat(active()).containsExactly(job(2));
        assertThat(testing.events()).contains("Warning ReplaceConcurrent Replacing active job for CronJob");
    }

    @Test
    void nothingIsStartedWhileSuspended() {
        everyMinute("suspend: true");
        testing.pass(Duration.ofMinutes(5));
        assertThat(testing.jobs()).isEmpty();
    }

    @Test
    void whatIsTooLateIsNotStarted() {
        everyMinute("startingDeadlineSeconds: 10");
        testing.pass(Duration.ofSeconds(86)); // 03:05:31
        assertThat(testing.jobs()).isEmpty();
        testing.pass(Duration.ofSeconds(30));
        assertThat(testing.jobs()).containsExactly(job(2));
    }

    @Test
    void aRefusalIsToldAndTriedAgain() {
        everyMinute("");
        testing.api.fail("create jobs.batch.volcano.sh team/" + job(1), ApiException.of(403, "Forbidden", "no"));
        testing.pass(Duration.ofSeconds(56));
        assertThat(testing.events()).contains("Warning FailedCreate Failed to create job: no");
        testing.pass(Duration.ofSeconds(30));
        assertThat(testing.jobs()).containsExactly(job(1));
    }

    @Test
    void aStartWhoseAnswerWasLostIsNotDoneAgain() {
        everyMinute("concurrencyPolicy: Forbid");
        testing.api.fail(
                "update cronjobs.batch.volcano.sh team/c", ApiException.of(503, "ServiceUnavailable", "crash"));
        testing.pass(Duration.ofSeconds(56));
        testing.restart();
        testing.pass(Duration.ofSeconds(20));
        assertThat(testing.jobs()).containsExactly(job(1));
        assertThat(active()).containsExactly(job(1));
        testing.pass(Duration.ofSeconds(60));
        assertThat(testing.jobs()).containsExactly(job(1));
    }

    @Test
    void referencesToWhatIsGoneAreDropped() {
        everyMinute("");
        testing.pass(Duration.ofSeconds(56));
        String uid = Flows.uid(testing.find(Flows.JOBS, job(1)));
        testing.api.delete(Flows.JOBS, SPACE, job(1), KubeApi.Deletion.PLAIN);
        testing.settle();
        assertThat(active()).isEmpty();
        assertThat(testing.events())
                .contains("Warning StaleReference Active job \"" + job(1) + "\" no longer exists (UID: " + uid + ")");
    }

    @Test
    void aJobOfSomebodyElseIsLeftAlone() {
        testing.make(Flows.JOBS, "metadata: {name: " + job(1) + "}");
        everyMinute("");
        testing.pass(Duration.ofSeconds(56));
        assertThat(active()).isEmpty();
        assertThat(testing.events())
                .contains("Warning ForeignJob Job " + job(1)
                        + " exists but is not owned by this CronJob (current owner: none)");
    }

    @Test
    void schedulesThatMeanNothingAreSaidToDoSo() {
        testing.make(Flows.CRON_JOBS, "{metadata: {name: x}, spec: {schedule: often}}");
        testing.make(Flows.CRON_JOBS, "{metadata: {name: y}, spec: {schedule: '* * * * *', timeZone: Nowhere/City}}");
        assertThat(testing.events())
                .containsExactlyInAnyOrder(
                        "Warning UnParseableCronJobSchedule unparseable schedule for cronjob: often",
                        "Warning InvalidTimeZone Invalid time zone \"Nowhere/City\": unknown time zone Nowhere/City");
    }
}
