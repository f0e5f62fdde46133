package lavaflow.cluster;

import java.time.Duration;

import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static lavaflow.cluster.TestingAutoscalers.PERIOD;
import static lavaflow.cluster.TestingCluster.PODS;
import static org.assertj.core.api.Assertions.assertThat;

/** How many pods an autoscaler wants by what they use, and how fast it gets there. */
class AutoscalersTest {
    private final TestingAutoscalers team = new TestingAutoscalers();
    private final TestingKubeApi api = team.api;
    private final TestingCluster cluster = team.cluster;

    // ---- by what pods use

    @Test
    void growsUntilPodsUseWhatTheyShould() {
        team.deploy(2);
        team.measured(100, 80);
        team.scaler(1, 10, TestingAutoscalers::cpu, _ -> {});
        assertThat(team.replicas()).isEqualTo(4);
        assertThat(team.conditions())
                .containsExactly(
                        "AbleToScale=True SucceededRescale",
                        "ScalingActive=True ValidMetricFound",
                        "ScalingLimited=False DesiredWithinRange");
        assertThat(team.events())
                .containsExactly("SuccessfulRescale New size: 4; reason: cpu resource utilization (percentage of"
                        + " request) above target");
        assertThat(Json.string(team.status().path("currentMetrics")))
                .isEqualTo("[{\"type\":\"Resource\",\"resource\":{\"name\":\"cpu\",\"current\":"
                        + "{\"averageUtilization\":90,\"averageValue\":\"90m\"}}}]");
        assertThat(team.status().path("currentReplicas").asLong()).isEqualTo(2);
        assertThat(team.status().path("desiredReplicas").asLong()).isEqualTo(4);
        assertThat(team.status().path("lastScaleTime").asText()).isEqualTo("2030-01-02T03:04:05Z");
    }

    @Test
    void doesNothingNearTheTarget() {
        team.deploy(2);
        team.measured(54, 54);
        team.scaler(1, 10, TestingAutoscalers::cpu, _ -> {});
        assertThat(team.replicas()).isEqualTo(2);
        assertThat(team.conditions()).contains("AbleToScale=True ReadyForNewScale");
    }

    @Test
    void atMostDoublesAtOnceAndKeepsWithinItsLimits() {
        team.deploy(3);
        team.measured(500, 500, 500);
        team.scaler(1, 8, TestingAutoscalers::cpu, _ -> {});
        assertThat(team.replicas()).isEqualTo(6);
        assertThat(team.conditions()).contains("ScalingLimited=True ScaleUpLimit");
        cluster.pass(PERIOD);
        assertThat(team.replicas()).isEqualTo(8);
        assertThat(team.conditions()).contains("ScalingLimited=True TooManyReplicas");
    }

    @Test
    void shrinksOnlyAfterFiveMinutesOfWantingLess() {
        team.deploy(4);
        team.measured(10, 10, 10, 10);
        team.scaler(2, 8, TestingAutoscalers::cpu, _ -> {});
        assertThat(team.replicas()).isEqualTo(4);
        assertThat(team.conditions()).contains("AbleToScale=True ScaleDownStabilized");
        for (int i = 0; i < 19; i++) {
            cluster.pass(PERIOD);
        }
        assertThat(team.replicas()).isEqualTo(4);
        cluster.pass(PERIOD);
        assertThat(team.replicas()).isEqualTo(2);
        assertThat(team.conditions()).contains("ScalingLimited=True TooFewReplicas");
        assertThat(team.events()).contains("SuccessfulRescale New size: 2; reason: All metrics below target");
    }

    @Test
    void podsThatWereNotMeasuredMakeTheChangeSmaller() {
        team.deploy(4);
        team.measured(100, 100, -1, -1);
        team.scaler(1, 10, TestingAutoscalers::cpu, _ -> {});
        // Two use twice the target, two are taken for idle: that is the target.
        assertThat(team.replicas()).isEqualTo(4);
    }

    @Test
    void podsThatStartAreTakenForIdleOnTheWayUp() {
        team.deploy(2);
        team.pod(2, "Pending");
        team.measured(100, 100);
        team.scaler(1, 10, TestingAutoscalers::cpu, _ -> {});
        // 200 of 300 requested is 66 %: ceil(1.32 * 3).
        assertThat(team.replicas()).isEqualTo(4);
    }

    @Test
    void requestsMustBeKnown() {
        team.deploy(1);
        api.edit(PODS, "team", "web-0", pod -> {
            ((ObjectNode) pod.at("/spec/containers/0")).remove("resources");
            return pod;
        });
        team.measured(10);
        team.scaler(1, 10, TestingAutoscalers::cpu, _ -> {});
        assertThat(team.events())
                .contains("FailedGetResourceMetric failed to get cpu utilization: missing request for cpu in container"
                        + " main of Pod web-0");
    }

    // ---- behaviour

    private static ObjectNode rules(ObjectNode spec, String direction, int window) {
        return Json.ensureObject(spec, "behavior", direction)
                .put("stabilizationWindowSeconds", window)
                .put("selectPolicy", "Max");
    }

    private static void policy(ObjectNode rules, String type, int value, int seconds) {
        rules.withArray("policies")
                .addObject()
                .put("type", type)
                .put("value", value)
                .put("periodSeconds", seconds);
    }

    @Test
    void policiesLimitHowFastItGrowsAndShrinks() {
        team.deploy(4);
        team.measured(500, 500, 500, 500);
        team.scaler(1, 100, TestingAutoscalers::cpu, spec -> {
            policy(rules(spec, "scaleUp", 0), "Pods", 3, 60);
            policy(rules(spec, "scaleDown", 0), "Percent", 50, 60);
        });
        assertThat(team.replicas()).isEqualTo(7);
        assertThat(team.conditions()).contains("ScalingLimited=True ScaleUpLimit");
        cluster.pass(PERIOD);
        assertThat(team.replicas()).isEqualTo(7);
        cluster.pass(Duration.ofSeconds(45));
        assertThat(team.replicas()).isEqualTo(10);
        team.measured(1, 1, 1, 1);
        cluster.pass(Duration.ofSeconds(60));
        assertThat(team.replicas()).isEqualTo(5);
        assertThat(team.conditions()).contains("ScalingLimited=True ScaleDownLimit");
    }

    @Test
    void growthMayHaveToBeWantedForAWhileOrBeForbidden() {
        team.deploy(2);
        team.measured(50, 50);
        team.scaler(1, 10, TestingAutoscalers::cpu, spec -> {
            policy(rules(spec, "scaleUp", 60), "Pods", 10, 15);
            policy(rules(spec, "scaleDown", 0), "Pods", 10, 15);
        });
        team.measured(100, 100);
        cluster.pass(PERIOD);
        assertThat(team.replicas()).isEqualTo(2);
        assertThat(team.conditions()).contains("AbleToScale=True ScaleUpStabilized");
        for (int i = 0; i < 4; i++) {
            cluster.pass(PERIOD);
        }
        assertThat(team.replicas()).isEqualTo(4);
    }

    @Test
    void itsOwnToleranceCounts() {
        team.deploy(2);
        team.measured(65, 65);
        team.scaler(1, 10, TestingAutoscalers::cpu, spec -> {
            rules(spec, "scaleUp", 0).put("tolerance", "400m");
            policy(rules(spec, "scaleUp", 0), "Pods", 10, 15);
        });
        assertThat(team.replicas()).isEqualTo(2);
    }
}
