package lavaflow.cluster;

import java.time.Duration;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static lavaflow.cluster.TestingJobs.indexed;
import static lavaflow.cluster.TestingJobs.size;
import static org.assertj.core.api.Assertions.assertThat;

/** What a job does about pods that fail: again later, or not, as its policies say. */
class JobFailuresTest {
    private final TestingJobs team = new TestingJobs();

    // ---- failures

    @Test
    void aFailedPodIsReplacedAfterAWaitThatDoubles() {
        team.create(_ -> {});
        team.fail(team.activePods().getFirst());
        assertThat(team.count("failed")).isEqualTo(1);
        team.pass(Duration.ofSeconds(9));
        assertThat(team.activePods()).isEmpty();
        team.pass(Duration.ofSeconds(1));
        assertThat(team.activePods()).hasSize(1);
        team.fail(team.activePods().getFirst());
        team.pass(Duration.ofSeconds(19));
        assertThat(team.activePods()).isEmpty();
        team.pass(Duration.ofSeconds(1));
        assertThat(team.activePods()).hasSize(1);
    }

    @Test
    void theWaitIsTenMinutesAtMostAndEndsWithASuccess() {
        team.create(spec -> {
            size(spec, 1, 3);
            spec.put("backoffLimit", 100);
        });
        for (int i = 0; i < 9; i++) {
            team.fail(team.activePods().getFirst());
            team.pass(Duration.ofMinutes(10));
        }
        team.succeed(team.activePods().getFirst());
        team.fail(team.activePods().getFirst());
        team.pass(Duration.ofSeconds(10));
        assertThat(team.activePods()).hasSize(1);
    }

    @Test
    void failsAfterTooManyFailures() {
        team.create(spec -> {
            size(spec, 3, 3);
            spec.put("backoffLimit", 1);
        });
        List<ObjectNode> pods = team.activePods();
        team.run(pods.get(2));
        team.fail(pods.get(0));
        team.fail(pods.get(1));
        assertThat(team.conditions()).containsExactly("FailureTarget=True BackoffLimitExceeded");
        assertThat(team.count("terminating")).isEqualTo(1);
        team.gone(pods.get(2));
        assertThat(team.conditions())
                .containsExactly("FailureTarget=True BackoffLimitExceeded", "Failed=True BackoffLimitExceeded");
        assertThat(team.message("Failed")).isEqualTo("Job has reached the specified backoff limit");
        assertThat(team.count("failed")).isEqualTo(3);
        assertThat(team.status().has("completionTime")).isFalse();
        assertThat(team.events())
                .contains("Normal SuccessfulDelete Deleted pod: " + Objects.name(pods.get(2)))
                .endsWith("Warning BackoffLimitExceeded Job has reached the specified backoff limit");
    }

    @Test
    void whereNodesRestartContainersRestartsAreFailures() {
        team.create(spec -> {
            Json.ensureObject(spec, "template", "spec").put("restartPolicy", "OnFailure");
            spec.put("backoffLimit", 2);
        });
        ObjectNode pod = team.activePods().getFirst();
        team.edit(pod, live -> restarted(live, 1));
        assertThat(team.conditions()).isEmpty();
        team.edit(pod, live -> restarted(live, 2));
        assertThat(team.conditions()).contains("Failed=True BackoffLimitExceeded");
    }

    private static void restarted(ObjectNode pod, int times) {
        ObjectNode status = Json.ensureObject(pod, "status");
        status.put("phase", "Running");
        status.putArray("containerStatuses").addObject().put("name", "main").put("restartCount", times);
    }

    @Test
    void failsWhenItHasBeenActiveForTooLong() {
        team.create(spec -> spec.put("activeDeadlineSeconds", 30));
        team.pass(Duration.ofSeconds(29));
        assertThat(team.conditions()).isEmpty();
        team.pass(Duration.ofSeconds(1));
        assertThat(team.conditions())
                .containsExactly("FailureTarget=True DeadlineExceeded", "Failed=True DeadlineExceeded");
        assertThat(team.message("Failed")).isEqualTo("Job was active longer than specified deadline");
        assertThat(team.pods()).isEmpty();
        assertThat(team.count("failed")).isEqualTo(1);
    }

    @Test
    void podsThatAreGoingAreReplacedAtOnceOrOnlyWhenTheyHaveFailed() {
        team.create(spec -> spec.put("podReplacementPolicy", "Failed"));
        ObjectNode pod = team.activePods().getFirst();
        team.run(pod);
        team.delete(pod);
        team.pass(Duration.ofMinutes(1));
        assertThat(team.activePods()).isEmpty();
        assertThat(team.count("terminating")).isEqualTo(1);
        assertThat(team.count("failed")).isZero();
        team.fail(pod);
        team.pass(Duration.ofMinutes(1));
        assertThat(team.activePods()).hasSize(1);
        assertThat(team.count("failed")).isEqualTo(1);
    }

    // ---- policies

    private static ObjectNode rule(ObjectNode spec, String action) {
        return Json.ensureObject(spec, "podFailurePolicy")
                .withArray("rules")
                .addObject()
                .put("action", action);
    }

    private static void onExitCode(ObjectNode rule, String operator, int... codes) {
        ObjectNode exit = rule.putObject("onExitCodes").put("operator", operator);
        for (int code : codes) {
            exit.withArray("values").add(code);
        }
    }

    @Test
    void aFailureMayEndTheJob() {
        team.create(spec -> {
            size(spec, 2, 2);
            onExitCode(rule(spec, "Ignore"), "In", 5);
            onExitCode(rule(spec, "FailJob"), "In", 42, 43);
        });
        ObjectNode pod = team.activePods().getFirst();
        team.fail(pod, 42);
        assertThat(team.conditions())
                .containsExactly("FailureTarget=True PodFailurePolicy", "Failed=True PodFailurePolicy");
        assertThat(team.message("Failed"))
                .isEqualTo("Container main for pod team/" + Objects.name(pod)
                        + " failed with exit code 42 matching FailJob rule at index 1");
        assertThat(team.count("failed")).isEqualTo(2);
    }

    @Test
    void aFailureMayNotCount() {
        team.create(spec -> {
            spec.put("backoffLimit", 0);
            ObjectNode rule = rule(spec, "Ignore");
            rule.putArray("onPodConditions")
                    .addObject()
                    .put("type", "DisruptionTarget")
                    .put("status", "True");
        });
        ObjectNode pod = team.activePods().getFirst();
        team.edit(pod, live -> {
            ObjectNode status = Json.ensureObject(live, "status");
            status.put("phase", "Failed");
            status.putArray("conditions")
                    .addObject()
                    .put("type", "DisruptionTarget")
                    .put("status", "True");
        });
        assertThat(team.conditions()).isEmpty();
        assertThat(team.count("failed")).isZero();
        team.pass(Duration.ofSeconds(10));
        assertThat(team.activePods()).hasSize(1);
    }

    @Test
    void aFailureMayEndItsIndex() {
        team.create(spec -> {
            indexed(spec, 2, 2);
            spec.put("backoffLimitPerIndex", 5);
            onExitCode(rule(spec, "FailIndex"), "NotIn", 1);
        });
        team.fail(team.activePod(0), 7);
        assertThat(team.status().path("failedIndexes").asText()).isEqualTo("0");
        team.fail(team.activePod(1), 1);
        team.pass(Duration.ofSeconds(10));
        assertThat(team.activeIndexes()).containsExactly(1);
    }

    @Test
    void ignoredFailuresOfAnIndexAreCountedApart() {
        team.create(spec -> {
            indexed(spec, 1, 1);
            spec.put("backoffLimitPerIndex", 0);
            onExitCode(rule(spec, "Ignore"), "In", 3);
        });
        team.fail(team.activePod(0), 3);
        team.pass(Duration.ofSeconds(10));
        JobPod next = JobPod.of(team.activePod(0));
        assertThat(next.failuresBefore()).isZero();
        assertThat(next.ignoredBefore()).isEqualTo(1);
        team.fail(team.activePod(0), 3);
        team.pass(Duration.ofSeconds(19));
        assertThat(team.activePods()).isEmpty();
        team.pass(Duration.ofSeconds(1));
        assertThat(team.activePods()).hasSize(1);
        assertThat(team.count("failed")).isZero();
    }

    @Test
    void aConditionOfAPodMayEndTheJob() {
        team.create(spec -> rule(spec, "FailJob")
                .putArray("onPodConditions")
                .addObject()
                .put("type", "ConfigIssue")
                .put("status", "True"));
        ObjectNode pod = team.activePods().getFirst();
        team.edit(pod, live -> {
            ObjectNode status = Json.ensureObject(live, "status");
            status.put("phase", "Failed");
            status.putArray("conditions").addObject().put("type", "ConfigIssue").put("status", "True");
        });
        assertThat(team.message("Failed"))
                .isEqualTo("Pod team/" + Objects.name(pod)
                        + " has condition ConfigIssue matching FailJob rule at index 0");
    }

    @Test
    void someIndexesMayBeEnough() {
        team.create(spec -> {
            indexed(spec, 4, 4);
            ObjectNode rule =
                    Json.ensureObject(spec, "successPolicy").putArray("rules").addObject();
            rule.put("succeededIndexes", "0,2-3").put("succeededCount", 2);
        });
        team.succeed(team.activePod(1));
        team.succeed(team.activePod(0));
        assertThat(team.conditions()).isEmpty();
        team.succeed(team.activePod(3));
        assertThat(team.conditions())
                .containsExactly("SuccessCriteriaMet=True SuccessPolicy", "Complete=True SuccessPolicy");
        assertThat(team.message("Complete")).isEqualTo("Matched rules at index 0");
        assertThat(team.activePods()).isEmpty();
        assertThat(team.count("failed")).isZero();
        assertThat(team.status().path("completedIndexes").asText()).isEqualTo("0,1,3");
    }
}
