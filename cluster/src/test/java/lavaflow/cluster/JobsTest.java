package lavaflow.cluster;

import java.time.Duration;
import java.util.List;

import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static lavaflow.cluster.TestingCluster.JOBS;
import static lavaflow.cluster.TestingCluster.PODS;
import static lavaflow.cluster.TestingCluster.named;
import static lavaflow.cluster.TestingJobs.size;
import static org.assertj.core.api.Assertions.assertThat;

/** How many pods a job runs, which are its own, and when it is complete. */
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
}
