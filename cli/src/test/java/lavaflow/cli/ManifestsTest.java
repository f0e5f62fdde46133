package lavaflow.cli;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ManifestsTest {
    @Test
    void whatRunsIsToldFromWhatItNeeds() {
        Manifests found = Manifests.read("""
                # a comment alone is no document
                ---
                apiVersion: kubeflow.org/v1
                kind: TFJob
                metadata: {name: a}
                --- # the next
                apiVersion: v1
                kind: List
                items:
                - {apiVersion: v1, kind: ConfigMap, metadata: {name: b}}
                - {apiVersion: v1, kind: Pod, metadata: {name: c}}
                ---
                apiVersion: batch/v1
                kind: CronJob
                metadata: {name: d}
                ---
                """);
        assertThat(found.jobs()).extracting(Submission::word).containsExactly("tfjob/a", "pod/c");
        assertThat(found.needed()).extracting(Submission::word).containsExactly("configmap/b", "cronjob/d");
    }

    @Test
    void threeDashesInTextAreNoBorder() {
        Manifests found = Manifests.read("""
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: a}
                data:
                  text: |
                    one
                    ---
                    two
                """);
        assertThat(found.needed()).hasSize(1);
        assertThat(found.needed().getFirst().path("data").path("text").asText()).isEqualTo("one\n---\ntwo\n");
    }

    @Test
    void whatIsSaidTwiceIsRefused() {
        assertThatThrownBy(() -> Manifests.read("""
                {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}
                ---
                apiVersion: batch/v1
                kind: Job
                metadata: {name: b}
                spec:
                  completions: 1
                  completions: 2
                """))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("document 2, line 7: key \"completions\" is there twice");
    }

    @Test
    void imagesOfAllContainersAreFound() {
        Manifests found = Manifests.read("""
                apiVersion: batch.volcano.sh/v1alpha1
                kind: Job
                metadata: {name: a}
                spec:
                  tasks:
                  - template: {spec: {initContainers: [{image: first}], containers: [{image: torch}, {image: host}]}}
                  - template: {spec: {containers: [{image: torch}]}}
                """);
        assertThat(found.images()).containsExactly("torch", "host", "first");
    }

    @Test
    void theImageOfATrainJobIsFound() {
        Manifests found = Manifests.read("""
                apiVersion: trainer.kubeflow.org/v1alpha1
                kind: TrainJob
                metadata: {name: a}
                spec: {runtimeRef: {name: torch-distributed}, trainer: {image: torch}}
                """);
        assertThat(found.jobs()).hasSize(1);
        assertThat(found.images()).containsExactly("torch");
    }

    @Test
    void mistakesAreToldWithTheirPlace() {
        assertThatThrownBy(() -> Manifests.read("a: b"))
                .hasMessage("document 1 is no object: it needs apiVersion and kind");
        assertThatThrownBy(() -> Manifests.read("""
                {apiVersion: v1, kind: Pod, metadata: {name: x}}
                ---
                {apiVersion: v1, kind: Pod, metadata: {}}
                """)).hasMessage("document 2, a Pod, has no metadata.name");
        assertThatThrownBy(() -> Manifests.read("a: [")).hasMessageStartingWith("document 1 is no YAML: ");
    }
}
