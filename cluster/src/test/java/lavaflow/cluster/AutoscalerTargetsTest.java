package lavaflow.cluster;

import java.util.List;

import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static lavaflow.cluster.TestingAutoscalers.PERIOD;
import static lavaflow.cluster.TestingCluster.AUTOSCALERS;
import static lavaflow.cluster.TestingCluster.JOBS;
import static lavaflow.cluster.TestingCluster.named;
import static org.assertj.core.api.Assertions.assertThat;

/** What an autoscaler may scale, and when it leaves its target alone. */
class AutoscalerTargetsTest {
    private final TestingAutoscalers team = new TestingAutoscalers();
    private final TestingKubeApi api = team.api;
    private final TestingCluster cluster = team.cluster;

    @Test
    void bringsATargetBackWithinItsLimitsWithoutMeasuring() {
        team.deploy(5);
        team.scaler(1, 3, TestingAutoscalers::cpu, _ -> {});
        assertThat(team.replicas()).isEqualTo(3);
        assertThat(team.events())
                .containsExactly("SuccessfulRescale New size: 3; reason: Current number of replicas above"
                        + " Spec.MaxReplicas");
    }

    @Test
    void leavesATargetOfNoneAlone() {
        team.deploy(0);
        team.scaler(1, 3, TestingAutoscalers::cpu, _ -> {});
        assertThat(team.replicas()).isZero();
        assertThat(team.conditions()).contains("ScalingActive=False ScalingDisabled");
    }

    @Test
    void tellsWhenTheTargetIsNotThereOrHasNoScale() {
        team.scaler(1, 3, TestingAutoscalers::cpu, _ -> {});
        assertThat(team.status().at("/conditions/0/message").asText())
                .isEqualTo("the HPA controller was unable to get the target's current scale: deployments.apps \"web\""
                        + " not found");
        api.create(JOBS, "team", named("work"));
        api.edit(AUTOSCALERS, "team", "web", live -> {
            Json.ensureObject(live, "spec", "scaleTargetRef")
                    .put("apiVersion", "batch/v1")
                    .put("kind", "Job");
            return live;
        });
        cluster.pass(PERIOD);
        assertThat(team.events()).contains("FailedGetScale the server could not find the requested resource");
    }

    @Test
    void twoOverTheSamePodsStandStill() {
        team.deploy(2);
        team.measured(100, 100);
        team.scaler(1, 5, TestingAutoscalers::cpu, spec -> spec.put("maxReplicas", 2));
        ObjectNode twin = api.get(AUTOSCALERS, "team", "web").deepCopy();
        twin.remove("status");
        Json.ensureObject(twin, "metadata").put("name", "twin").remove(List.of("uid", "resourceVersion"));
        api.create(AUTOSCALERS, "team", twin);
        cluster.pass(PERIOD);
        assertThat(team.events())
                .contains("AmbiguousSelector pods by selector app=web are controlled by multiple HPAs: [team/twin"
                        + " team/web]");
    }
}
