package lavaflow.cluster;

import java.time.Duration;
import java.util.List;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static lavaflow.cluster.TestingCluster.JOBS;
import static lavaflow.cluster.TestingCluster.PODS;
import static lavaflow.cluster.TestingCluster.named;
import static lavaflow.cluster.TestingJobs.indexed;
import static lavaflow.cluster.TestingJobs.size;
import static org.assertj.core.api.Assertions.assertThat;

/** Jobs and their pods, which end as told. */
class JobsTest {
    private final TestingJobs team = new TestingJobs();

    // ---- running to completion

    @Test
    void runsAsManyPodsAsItMayAndNeeds() {
        team.create(spec -> size(spec, 2, 3));
        assertThat(team.activePods()).hasSize(2);
        assertThat(team.count("active")).isEqualTo(2);
        assertThat(team.status().path("ready").asLong(-1)).isZero();
        assertThat(team.status().path("startTime").asText()).isEqualTo("2030-01-02T03:04:05Z");
        team.succeed(team.activePods().getFirst());
        team.succeed(team.activePods().getFirst());
        assertThat(team.activePods()).hasSize(1);
        assertThat(team.count("succeeded")).isEqualTo(2);
    }

    @Test
    void isCompleteWhenEnoughPodsHaveSucceeded() {
        team.create(spec -> size(spec, 2, 2));
        team.succeed(team.activePods().getFirst());
        team.pass(Duration.ofSeconds(3));
        team.succeed(team.activePods().getFirst());
        assertThat(team.conditions())
                .containsExactly("SuccessCriteriaMet=True CompletionsReached", "Complete=True CompletionsReached");
        assertThat(team.message("Complete")).isEqualTo("Reached expected number of succeeded pods");
        assertThat(team.status().path("completionTime").asText()).isEqualTo("2030-01-02T03:04:08Z");
        assertThat(team.count("succeeded")).isEqualTo(2);
        assertThat(Json.string(team.status().path("uncountedTerminatedPods"))).isEqualTo("{}");
        assertThat(team.status().has("active")).isFalse();
        assertThat(team.events()).endsWith("Normal Completed Job completed");
    }

    @Test
    void podsKeepTheirFinalizerUntilTheyAreCounted() {
        team.create(_ -> {});
        assertThat(Objects.finalizers(team.pods().getFirst())).containsExactly(JobPod.FINALIZER);
        team.succeed(team.pods().getFirst());
        assertThat(Objects.finalizers(team.pods().getFirst())).isEmpty();
    }

    @Test
    void withoutCompletionsTheFirstSuccessEndsTheCreationOfPods() {
        team.create(spec -> {
            spec.put("parallelism", 3);
            spec.remove("completions");
        });
        List<ObjectNode> pods = team.activePods();
        assertThat(pods).hasSize(3);
        team.succeed(pods.get(0));
        team.fail(pods.get(1));
        assertThat(team.activePods()).hasSize(1);
        assertThat(team.conditions()).isEmpty();
        team.succeed(pods.get(2));
        assertThat(team.conditions()).contains("Complete=True CompletionsReached");
        assertThat(team.count("succeeded")).isEqualTo(2);
        assertThat(team.count("failed")).isEqualTo(1);
    }

    @Test
    void ofTooManyPodsTheCheapestGo() {
        team.create(spec -> size(spec, 3, 3));
        team.run(team.activePods().get(1));
        team.change(spec -> spec.put("parallelism", 1));
        assertThat(team.activePods()).hasSize(1);
        assertThat(Json.textAt(team.activePods().getFirst(), "status", "phase")).isEqualTo("Running");
        assertThat(team.count("active")).isEqualTo(1);
        assertThat(team.count("ready")).isEqualTo(1);
        assertThat(team.count("failed")).isZero();
    }

    @Test
    void countsReadyAndTerminatingPods() {
        team.create(spec -> size(spec, 2, 2));
        ObjectNode pod = team.activePods().getFirst();
        team.run(pod);
        assertThat(team.count("ready")).isEqualTo(1);
        team.delete(pod);
        assertThat(team.count("ready")).isZero();
        assertThat(team.count("terminating")).isEqualTo(1);
        team.pass(Duration.ofSeconds(10));
        assertThat(team.count("active")).isEqualTo(2);
        team.gone(pod);
        assertThat(team.count("terminating")).isZero();
        assertThat(team.count("failed")).isEqualTo(1);
    }

    @Test
    void ajobWithoutWorkIsCompleteAtOnce() {
        team.create(spec -> size(spec, 2, 0));
        assertThat(team.pods()).isEmpty();
        assertThat(team.conditions()).contains("Complete=True CompletionsReached");
    }

    @Test
    void oneLookMakesFiveHundredPodsAtMost() {
        team.create(spec -> size(spec, 1200, 1200));
        assertThat(team.activePods()).hasSize(1200);
        assertThat(team.count("active")).isEqualTo(1200);
    }

    @Test
    void aRefusalIsToldAndTriedAgain() {
        team.cluster.api.fail("create pods team/", ApiException.forbidden("", "pods", "", "exceeded quota"));
        team.create(spec -> size(spec, 4, 4));
        assertThat(team.events().getFirst())
                .startsWith("Warning FailedCreate Error creating: ")
                .contains("exceeded quota");
        team.pass(Duration.ofSeconds(1));
        assertThat(team.count("active")).isEqualTo(4);
    }

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

    // ---- suspension

    @Test
    void aSuspendedJobHasNoPodsAndNoStart() {
        team.create(spec -> spec.put("suspend", true));
        assertThat(team.pods()).isEmpty();
        assertThat(team.conditions()).containsExactly("Suspended=True JobSuspended");
        assertThat(team.status().has("startTime")).isFalse();
        assertThat(team.events()).containsExactly("Normal Suspended Job suspended");
    }

    @Test
    void suspensionEndsPodsWithoutCountingThemAndResumingStartsTheClockAnew() {
        team.create(spec -> {
            size(spec, 2, 2);
            spec.put("activeDeadlineSeconds", 30);
        });
        team.pass(Duration.ofSeconds(20));
        team.change(spec -> spec.put("suspend", true));
        assertThat(team.pods()).isEmpty();
        assertThat(team.count("failed")).isZero();
        assertThat(team.status().has("startTime")).isFalse();
        team.pass(Duration.ofSeconds(20));
        team.change(spec -> spec.put("suspend", false));
        assertThat(team.conditions()).containsExactly("Suspended=False JobResumed");
        assertThat(team.status().path("startTime").asText()).isEqualTo("2030-01-02T03:04:45Z");
        assertThat(team.activePods()).hasSize(2);
        assertThat(team.events()).contains("Normal Resumed Job resumed");
        team.pass(Duration.ofSeconds(29));
        assertThat(team.activePods()).hasSize(2);
    }

    // ---- whose pods

    @Test
    void takesInOrphansThatFitAndLetsGoOfWhatDoesNot() {
        ObjectNode orphan = named("orphan");
        Json.ensureObject(orphan, "metadata", "labels").put("job", "work");
        team.cluster.api.create(PODS, "team", orphan);
        team.create(_ -> {});
        assertThat(team.pods()).hasSize(1);
        ObjectNode adopted = team.pods().getFirst();
        assertThat(Objects.finalizers(adopted)).containsExactly(JobPod.FINALIZER);
        assertThat(PodState.of(adopted).owner()).isNotNull();
        team.edit(adopted, pod -> Json.ensureObject(pod, "metadata", "labels").put("job", "other"));
        ObjectNode free = team.cluster.api.get(PODS, "team", "orphan");
        assertThat(PodState.of(free).owner()).isNull();
        assertThat(Objects.finalizers(free)).isEmpty();
        assertThat(team.activePods()).hasSize(2);
    }

    @Test
    void jobsOfOtherManagersAreLeftAlone() {
        team.create(spec -> spec.put("managedBy", "example.com/other"));
        assertThat(team.pods()).isEmpty();
        assertThat(team.job().has("status")).isFalse();
    }

    @Test
    void podsOfAJobThatIsGoneLoseTheirFinalizer() {
        team.create(_ -> {});
        team.cluster.delete(JOBS, "team", "work", null);
        team.cluster.settle();
        assertThat(Objects.finalizers(team.pods().getFirst())).isEmpty();
    }

    @Test
    void podsThatLostTheirJobLoseTheirFinalizer() {
        ObjectNode pod = TestingCluster.withFinalizers(named("lost"), JobPod.FINALIZER);
        team.cluster.api.create(PODS, "team", pod);
        team.cluster.settle();
        assertThat(Objects.finalizers(team.cluster.api.get(PODS, "team", "lost")))
                .isEmpty();
    }

    @Test
    void aJobThatIsBeingDeletedMakesNoPodsAndLetsThoseItHasGo() {
        team.create(spec -> size(spec, 1, 2));
        team.cluster.api.edit(JOBS, "team", "work", job -> TestingCluster.withFinalizers(job, "example.com/mine"));
        team.cluster.delete(JOBS, "team", "work", null);
        team.cluster.settle();
        assertThat(Objects.finalizers(team.pods().getFirst())).isEmpty();
        team.succeed(team.pods().getFirst());
        assertThat(team.pods()).hasSize(1);
    }

    @Test
    void aFinishedJobStaysAsItIs() {
        team.create(_ -> {});
        team.succeed(team.pods().getFirst());
        ObjectNode before = team.job();
        team.delete(team.pods().getFirst());
        team.pass(Duration.ofHours(1));
        assertThat(team.job()).isEqualTo(before);
    }

    // ---- indexes

    @Test
    void podsOfAnIndexedJobKnowTheirIndex() {
        team.create(spec -> {
            indexed(spec, 2, 3);
            Json.ensureObject(spec, "template", "spec")
                    .putArray("initContainers")
                    .addObject()
                    .put("name", "first")
                    .putArray("env")
                    .addObject()
                    .put("name", "JOB_COMPLETION_INDEX")
                    .put("value", "mine");
        });
        assertThat(team.activeIndexes()).containsExactly(0, 1);
        ObjectNode pod = team.activePod(1);
        assertThat(Json.textAt(pod, "metadata", "labels", JobPod.INDEX)).isEqualTo("1");
        assertThat(Json.textAt(pod, "metadata", "annotations", JobPod.INDEX)).isEqualTo("1");
        assertThat(Json.textAt(pod, "metadata", "generateName")).isEqualTo("work-1-");
        assertThat(Json.textAt(pod, "spec", "hostname")).isEqualTo("work-1");
        assertThat(pod.at("/spec/containers/0/env/0/valueFrom/fieldRef/fieldPath")
                        .asText())
                .isEqualTo("metadata.labels['batch.kubernetes.io/job-completion-index']");
        assertThat(pod.at("/spec/initContainers/0/env")).hasSize(1);
        assertThat(pod.at("/spec/initContainers/0/env/0/value").asText()).isEqualTo("mine");
    }

    @Test
    void completedIndexesAreCompressed() {
        team.create(spec -> indexed(spec, 7, 7));
        for (int index : List.of(0, 1, 3, 4, 5)) {
            team.succeed(team.activePod(index));
        }
        assertThat(team.status().path("completedIndexes").asText()).isEqualTo("0,1,3-5");
        assertThat(team.count("succeeded")).isEqualTo(5);
        assertThat(team.status().has("failedIndexes")).isFalse();
    }

    @Test
    void aFailedIndexIsTriedAgain() {
        team.create(spec -> indexed(spec, 2, 2));
        team.fail(team.activePod(0));
        team.pass(Duration.ofSeconds(10));
        assertThat(team.activeIndexes()).containsExactly(0, 1);
        assertThat(team.count("failed")).isEqualTo(1);
    }

    @Test
    void anIndexedJobMayShrinkAndGrow() {
        team.create(spec -> indexed(spec, 4, 4));
        team.succeed(team.activePod(0));
        team.succeed(team.activePod(3));
        team.change(spec -> size(spec, 2, 2));
        assertThat(team.activeIndexes()).containsExactly(1);
        assertThat(team.status().path("completedIndexes").asText()).isEqualTo("0");
        assertThat(team.count("succeeded")).isEqualTo(1);
        team.change(spec -> size(spec, 3, 3));
        assertThat(team.activeIndexes()).containsExactly(1, 2);
        team.succeed(team.activePod(1));
        team.succeed(team.activePod(2));
        assertThat(team.conditions()).contains("Complete=True CompletionsReached");
    }

    @Test
    void ofTwoPodsWithTheSameIndexOneGoes() {
        team.create(spec -> indexed(spec, 1, 2));
        ObjectNode twin = team.activePod(0).deepCopy();
        Json.ensureObject(twin, "metadata").put("name", "twin").remove(List.of("uid", "resourceVersion"));
        team.cluster.api.create(PODS, "team", twin);
        team.cluster.settle();
        assertThat(team.activeIndexes()).containsExactly(0);
    }

    // ---- failures by index

    @Test
    void failuresOfAnIndexAreCountedInItsPods() {
        team.create(spec -> {
            indexed(spec, 2, 2);
            spec.put("backoffLimitPerIndex", 1).put("backoffLimit", Integer.MAX_VALUE);
        });
        assertThat(team.status().path("failedIndexes").asText("none")).isEmpty();
        assertThat(Json.textAt(team.activePod(0), "metadata", "annotations", JobPod.FAILURES))
                .isEqualTo("0");
        ObjectNode first = team.activePod(0);
        team.fail(first);
        // It stays until its successor knows of it.
        assertThat(Objects.finalizers(team.cluster.api.get(PODS, "team", Objects.name(first))))
                .hasSize(1);
        team.pass(Duration.ofSeconds(10));
        assertThat(Json.textAt(team.activePod(0), "metadata", "annotations", JobPod.FAILURES))
                .isEqualTo("1");
        assertThat(Objects.finalizers(team.cluster.api.get(PODS, "team", Objects.name(first))))
                .isEmpty();
        assertThat(team.count("failed")).isEqualTo(1);
        team.fail(team.activePod(0));
        assertThat(team.status().path("failedIndexes").asText()).isEqualTo("0");
        assertThat(team.activeIndexes()).containsExactly(1);
        team.succeed(team.activePod(1));
        assertThat(team.conditions()).containsExactly("FailureTarget=True FailedIndexes", "Failed=True FailedIndexes");
        assertThat(team.message("Failed")).isEqualTo("Job has failed indexes");
        assertThat(team.count("failed")).isEqualTo(2);
        assertThat(team.count("succeeded")).isEqualTo(1);
    }

    @Test
    void aNamespaceThatGoesDoesNotWaitForPodsThatNobodyWillLearnFrom() {
        team.create(spec -> {
            indexed(spec, 1, 1);
            spec.put("backoffLimitPerIndex", 1).put("backoffLimit", Integer.MAX_VALUE);
        });
        ObjectNode first = team.activePod(0);
        team.fail(first);
        team.cluster.api.edit(KubeApi.Kind.clusterWide("namespaces"), "", "team", namespace -> {
            Json.ensureObject(namespace, "metadata").put("deletionTimestamp", "2030-01-02T03:04:05Z");
            return namespace;
        });
        team.cluster.api.delete(PODS, "team", Objects.name(first), KubeApi.Deletion.PLAIN);
        team.cluster.settle();
        assertThat(team.cluster.api.find(PODS, "team", Objects.name(first))).isEmpty();
    }

    @Test
    void failsWhenTooManyIndexesHaveFailed() {
        team.create(spec -> {
            indexed(spec, 4, 4);
            spec.put("backoffLimitPerIndex", 0).put("maxFailedIndexes", 1);
        });
        team.fail(team.activePod(0));
        team.fail(team.activePod(2));
        assertThat(team.conditions()).contains("Failed=True MaxFailedIndexesExceeded");
        assertThat(team.message("Failed")).isEqualTo("Job has exceeded the specified maximal number of failed indexes");
        assertThat(team.status().path("failedIndexes").asText()).isEqualTo("0,2");
        assertThat(team.activePods()).isEmpty();
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
