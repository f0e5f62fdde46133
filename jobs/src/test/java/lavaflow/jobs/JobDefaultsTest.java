package lavaflow.jobs;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static lavaflow.jobs.TestingManifests.yaml;
import static org.assertj.core.api.Assertions.assertThat;

class JobDefaultsTest {
    private static ObjectNode completed(String spec) {
        ObjectNode job = TestingManifests.job(spec).object();
        JobDefaults.complete(job, "volcano");
        return (ObjectNode) job.get("spec");
    }

    @Test
    void fillsInWhatANewJobLeavesOpen() {
        assertThat(completed("tasks: [{replicas: 2}, {name: w, replicas: 3, minAvailable: 1, maxRetry: 5}]"))
                .isEqualTo(yaml("""
                                tasks:
                                - {replicas: 2, name: default0, minAvailable: 2, maxRetry: 3}
                                - {name: w, replicas: 3, minAvailable: 1, maxRetry: 5}
                                queue: default
                                schedulerName: volcano
                                maxRetry: 3
                                minAvailable: 3
                                """));
    }

    @Test
    void keepsWhatIsSaid() {
        String spec = "{queue: q, schedulerName: s, maxRetry: 1, minAvailable: 1,"
                + " tasks: [{name: t, replicas: 2, minAvailable: 2, maxRetry: 1}]}";
        assertThat(completed(spec)).isEqualTo(yaml(spec));
    }

    @Test
    void takesNoRetriesForTheUsualNumber() {
        assertThat(completed("{maxRetry: 0, tasks: [{name: t, maxRetry: 0}]}")
                        .get("maxRetry")
                        .asLong())
                .isEqualTo(3);
    }

    @ParameterizedTest
    @CsvSource({"2,4", "0,6"})
    void needsTheLeastPartitionsOrAllPods(long least, long expected) {
        ObjectNode spec = completed("tasks: [{name: t, replicas: 6, partitionPolicy: {totalPartitions: 3,"
                + " partitionSize: 2, minPartitions: " + least + "}}]");
        assertThat(spec.get("tasks").get(0).get("minAvailable").asLong()).isEqualTo(expected);
        assertThat(spec.get("minAvailable").asLong()).isEqualTo(expected);
    }

    @Test
    void resolvesNamesOfTheClusterOnTheNetworkOfTheNode() {
        ObjectNode spec = completed("""
                tasks:
                - {name: a, template: {spec: {hostNetwork: true}}}
                - {name: b, template: {spec: {hostNetwork: true, dnsPolicy: Default}}}
                - {name: c, template: {spec: {}}}
                """);
        assertThat(spec.get("tasks").findValuesAsText("dnsPolicy"))
                .containsExactly("ClusterFirstWithHostNet", "Default");
    }

    @ParameterizedTest
    @ValueSource(strings = {"tensorflow", "pytorch", "ray", "jax"})
    void givesFrameworksTheNamesTheyNeed(String plugin) {
        assertThat(completed("{plugins: {" + plugin + ": [--port=1]}, tasks: []}")
                        .get("plugins"))
                .isEqualTo(yaml("{" + plugin + ": [--port=1], svc: []}"));
    }

    @Test
    void givesMpiKeysAsWell() {
        assertThat(completed("{plugins: {mpi: []}, tasks: []}").get("plugins"))
                .isEqualTo(yaml("{mpi: [], svc: [], ssh: []}"));
        assertThat(completed("{plugins: {mpi: [], svc: [--a], ssh: [--b]}, tasks: []}")
                        .get("plugins"))
                .isEqualTo(yaml("{mpi: [], svc: [--a], ssh: [--b]}"));
        assertThat(completed("{plugins: {env: []}, tasks: []}").get("plugins")).isEqualTo(yaml("{env: []}"));
    }

    @Test
    void doesNotTouchAnEmptyJobMoreThanNeeded() {
        assertThat(Json.longAt(completed("{}"), -1, "minAvailable")).isZero();
    }
}
