package lavaflow.trainer;

import lavaflow.kube.Json;
import lavaflow.training.Gang;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class TrainGangTest {
    private static ObjectNode group(String pod) {
        ObjectNode runtime = TestingTrainer.yaml("""
                spec:
                  mlPolicy: {numNodes: 2, torch: {}}
                  podGroupPolicy: {volcano: {}}
                  template:
                    spec:
                      replicatedJobs:
                      - name: node
                        template:
                          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
                          spec: {template: {spec: %s}}
                """.formatted(pod));
        return new TrainJobForm(TestingTrainer.job("any"), runtime, Gang.NONE).group(_ -> 0);
    }

    private static String needs(String pod) {
        return Json.string(Json.at(group(pod), "spec", "minResources"));
    }

    @Test
    void sidecarsAndInitContainersAreNeededToo() {
        String containers = "containers: [{name: node, resources: {requests: {cpu: 1, memory: 1Gi}}}]";
        assertThat(needs("{" + containers + "}")).isEqualTo("{\"cpu\":\"2\",\"memory\":\"2Gi\"}");
        String along = "{name: along, restartPolicy: Always, resources: {requests: {cpu: 100m}}}";
        assertThat(needs("{initContainers: [" + along + "], " + containers + "}"))
                .isEqualTo("{\"cpu\":\"2200m\",\"memory\":\"2Gi\"}");
        String first = "{name: first, resources: {requests: {cpu: 3}}}";
        assertThat(needs("{initContainers: [" + along + ", " + first + "], " + containers + "}"))
                .isEqualTo("{\"cpu\":\"6200m\",\"memory\":\"2Gi\"}");
    }

    @Test
    void limitsAndOverheadCount() {
        assertThat(
                        needs(
                                "{overhead: {cpu: 250m}, containers: [{name: node, resources: {requests: {cpu: 1}, limits: {cpu: 2, nvidia.com/gpu: 1}}}]}"))
                .isEqualTo("{\"cpu\":\"2500m\",\"nvidia.com/gpu\":\"2\"}");
    }
}
