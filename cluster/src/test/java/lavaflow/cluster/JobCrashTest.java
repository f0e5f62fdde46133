package lavaflow.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

import lavaflow.controller.CrashingKubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static lavaflow.cluster.TestingCluster.JOBS;
import static lavaflow.cluster.TestingJobs.indexed;
import static lavaflow.cluster.TestingJobs.size;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The counts of a job are those of its pods, exactly, whenever its controller dies: the same story is told again and again,
 * each time with the mishap one request later, until it does not happen any more.
 */
class JobCrashTest {
    /**
     * A job and what becomes of it. Letters: the oldest active pod runs (r), succeeds (s), fails (f), is deleted (d) and its
     * node lets it go; parallelism is 1 (1) or 3 (3); the job is suspended (z) or goes on (g).
     */
    record Story(String letters, Consumer<ObjectNode> spec) {
        @Override
        public String toString() {
            return letters;
        }
    }

    static Stream<Story> stories() {
        return Stream.of(
                new Story("ssfsfs", spec -> size(spec, 2, 4)),
                new Story("rdsrdfss", spec -> size(spec, 3, 3)),
                new Story("ss1s3ss", spec -> size(spec, 3, 5)),
                new Story("szgsfzgs", spec -> size(spec, 2, 3)),
                new Story("fffs", spec -> {
                    size(spec, 2, 4);
                    spec.put("backoffLimit", 1);
                }),
                new Story("sfsfss", spec -> indexed(spec, 2, 4)),
                new Story("fffsssssss", spec -> {
                    indexed(spec, 3, 4);
                    spec.put("backoffLimitPerIndex", 1).put("backoffLimit", Integer.MAX_VALUE);
                }));
    }

    private final List<String> outcomes = new ArrayList<>();

    /** One telling; the number of pods that succeeded and failed is that of the status at the end. */
    private static final class Telling {
        private final TestingJobs team;
        private CrashingKubeApi api;
        private final Set<String> succeeded = new HashSet<>();
        private final Set<Integer> succeededIndexes = new HashSet<>();
        private final Set<String> failed = new HashSet<>();
        private final Story story;
        private boolean happened;

        Telling(Story story, CrashingKubeApi.Mishap mishap, int at) {
            this.story = story;
            team = new TestingJobs();
            api = new CrashingKubeApi(team.cluster.api, mishap, at);
            restart();
        }

        private void restart() {
            team.cluster.restart(api);
            team.cluster.run(TestingJobs.controller(team.cluster, api));
        }

        /** Lets everything happen, with a new process if the old one died. */
        private void settle() {
            team.cluster.pass(Duration.ofMinutes(11));
            if (api.isDead()) {
                happened = true;
                api = new CrashingKubeApi(team.cluster.api, CrashingKubeApi.Mishap.DIES_BEFORE, -1);
                restart();
                team.cluster.pass(Duration.ofMinutes(11));
            }
            neverTooMany();
        }

        private void neverTooMany() {
            if (!team.job().has("status") || JobStatus.isTrue(team.job(), "FailureTarget")) {
                return;
            }
            long named = Json.listAt(team.status(), "uncountedTerminatedPods", "failed")
                    .size();
            assertThat(team.count("failed") + named).isLessThanOrEqualTo(failed.size());
        }

        /** True if the mishap happened. */
        boolean tell() {
            team.cluster.api.create(JOBS, "team", TestingJobs.job(story.spec()));
            settle();
            for (char letter : story.letters().toCharArray()) {
                if (JobStatus.isFinished(team.job())) {
                    break;
                }
                List<ObjectNode> active = team.activePods();
                if (Character.isDigit(letter) || letter == 'z' || letter == 'g') {
                    change(letter);
                } else if (!active.isEmpty()) {
                    play(letter, active.getFirst());
                }
                settle();
            }
            return happened || api.hasHappened();
        }

        private void change(char letter) {
            team.change(spec -> {
                switch (letter) {
                    case 'z' -> spec.put("suspend", true);
                    case 'g' -> spec.put("suspend", false);
                    default -> spec.put("parallelism", letter - '0');
                }
            });
        }

        private void play(char letter, ObjectNode pod) {
            switch (letter) {
                case 's' -> {
                    succeeded.add(Objects.uid(pod));
                    succeededIndexes.add(JobPod.of(pod).index());
                    team.succeed(pod);
                }
                case 'f' -> {
                    failed.add(Objects.uid(pod));
                    team.fail(pod);
                }
                case 'r' -> team.run(pod);
                default -> {
                    failed.add(Objects.uid(pod));
                    team.delete(pod);
                    settle();
                    team.cluster
                            .api
                            .find(TestingCluster.PODS, "team", Objects.name(pod))
                            .ifPresent(_ -> team.gone(pod));
                }
            }
        }
    }

    private String tell(Story story, CrashingKubeApi.Mishap mishap, int at) {
        Telling telling = new Telling(story, mishap, at);
        boolean happened = telling.tell();
        TestingJobs team = telling.team;
        assertThat(JobStatus.isFinished(team.job()))
                .as("finished in %s with %s at %s: %s", story, mishap, at, team.job())
                .isTrue();
        boolean byIndex = Json.textAt(team.job(), "spec", "completionMode").equals("Indexed");
        assertThat(team.count("succeeded"))
                .as("succeeded in %s with %s at %s", story, mishap, at)
                .isEqualTo(byIndex ? telling.succeededIndexes.size() : telling.succeeded.size());
        boolean cutShort = JobStatus.isTrue(team.job(), "Failed") && !byIndex;
        if (!cutShort) {
            assertThat(team.count("failed"))
                    .as("failed in %s with %s at %s", story, mishap, at)
                    .isEqualTo(telling.failed.size());
        }
        assertThat(team.pods())
                .allSatisfy(pod -> assertThat(Objects.finalizers(pod)).isEmpty());
        String outcome = team.conditions() + " " + team.count("succeeded") + " " + team.count("failed") + " "
                + team.status().path("completedIndexes").asText() + " "
                + team.status().path("failedIndexes").asText();
        outcomes.add(outcome);
        return happened ? outcome : "";
    }

    @ParameterizedTest
    @MethodSource("stories")
    void countsAreExactWhateverRequestIsTheLast(Story story) {
        for (CrashingKubeApi.Mishap mishap : CrashingKubeApi.Mishap.values()) {
            int at = 0;
            while (!tell(story, mishap, at).isEmpty()) {
                at++;
            }
            assertThat(at).isGreaterThan(10);
        }
        assertThat(new HashSet<>(outcomes)).as("outcomes of %s", story).hasSize(1);
    }

    @Test
    void manyPodsAreCountedInPartsAndOnceEach() {
        TestingJobs team = new TestingJobs();
        team.create(spec -> size(spec, 1100, 1100));
        for (ObjectNode pod : team.activePods()) {
            team.cluster.api.edit(TestingCluster.PODS, "team", Objects.name(pod), live -> {
                Json.ensureObject(live, "status").put("phase", "Succeeded");
                return live;
            });
        }
        team.cluster.settle();
        assertThat(team.count("succeeded")).isEqualTo(1100);
        assertThat(team.conditions()).contains("Complete=True CompletionsReached");
    }
}
