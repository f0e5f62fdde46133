package lavaflow.cluster;

import java.time.Duration;
import java.util.List;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static lavaflow.cluster.TestingCluster.PODS;
import static lavaflow.cluster.TestingJobs.indexed;
import static lavaflow.cluster.TestingJobs.size;
import static org.assertj.core.api.Assertions.assertThat;

/** Jobs whose pods have an index each. */
class IndexedJobsTest {
    private final TestingJobs team = new TestingJobs();

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
}
