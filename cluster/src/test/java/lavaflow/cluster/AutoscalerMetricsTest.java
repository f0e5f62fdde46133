package lavaflow.cluster;

import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static lavaflow.cluster.TestingAutoscalers.SELECTED;
import static lavaflow.cluster.TestingCluster.SERVICES;
import static lavaflow.cluster.TestingCluster.named;
import static org.assertj.core.api.Assertions.assertThat;

/** Autoscalers that follow other figures than those of their pods, or none. */
class AutoscalerMetricsTest {
    private final TestingAutoscalers team = new TestingAutoscalers();
    private final TestingKubeApi api = team.api;

    @Test
    void followsWhatPodsObjectsAndOthersMeasureAndTakesTheHighest() {
        team.deploy(2);
        ObjectNode group = Json.object();
        group.putObject("preferredVersion").put("version", "v1beta1");
        api.answer("/apis/custom.metrics.k8s.io", group);
        team.value("/apis/custom.metrics.k8s.io/v1beta1/namespaces/team/pods/*/rate?" + SELECTED, "15");
        team.value("/apis/custom.metrics.k8s.io/v1beta1/namespaces/team/services/main/hits", "30");
        team.value("/apis/external.metrics.k8s.io/v1beta1/namespaces/team/queue", "70");
        api.create(SERVICES, "team", named("main"));
        team.scaler(
                1,
                10,
                metrics -> {
                    ObjectNode own = metrics.addObject().put("type", "Pods").putObject("pods");
                    own.putObject("metric").put("name", "rate");
                    own.putObject("target").put("type", "AverageValue").put("averageValue", "10");
                    ObjectNode object =
                            metrics.addObject().put("type", "Object").putObject("object");
                    object.putObject("metric").put("name", "hits");
                    object.putObject("describedObject")
                            .put("apiVersion", "v1")
                            .put("kind", "Service")
                            .put("name", "main");
                    object.putObject("target").put("type", "Value").put("value", "20");
                    ObjectNode queue =
                            metrics.addObject().put("type", "External").putObject("external");
                    queue.putObject("metric").put("name", "queue");
                    queue.putObject("target").put("type", "AverageValue").put("averageValue", "20");
                },
                _ -> {});
        assertThat(team.replicas()).isEqualTo(4);
        assertThat(team.status()
                        .at("/currentMetrics/0/pods/current/averageValue")
                        .asText())
                .isEqualTo("15");
        assertThat(team.status().at("/currentMetrics/1/object/current/value").asText())
                .isEqualTo("30");
        assertThat(team.status()
                        .at("/currentMetrics/2/external/current/averageValue")
                        .asText())
                .isEqualTo("35");
        assertThat(team.events())
                .containsExactly("SuccessfulRescale New size: 4; reason: external metric queue(nil) above target");
    }

    @Test
    void tellsWhenNobodyMeasures() {
        team.deploy(2);
        team.scaler(1, 5, TestingAutoscalers::cpu, _ -> {});
        String why = "failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics"
                + " from resource metrics API: the server could not find the requested resource (get"
                + " pods.metrics.k8s.io)";
        assertThat(team.conditions())
                .containsExactly("AbleToScale=True SucceededGetScale", "ScalingActive=False FailedGetResourceMetric");
        assertThat(team.status().at("/conditions/1/message").asText())
                .isEqualTo("the HPA was unable to compute the replica count: " + why);
        assertThat(team.events())
                .containsExactly(
                        "FailedGetResourceMetric " + why,
                        "FailedComputeMetricsReplicas invalid metrics (1 invalid out of 1), first error is: failed to"
                                + " get cpu resource metric value: " + why);
        assertThat(Json.string(team.status().path("currentMetrics"))).isEqualTo("[{\"type\":\"\"}]");
        assertThat(team.status().path("currentReplicas").asLong()).isEqualTo(2);
    }

    /** As upstream does, with its client's words for what it asked for and Go's for the selector. */
    @Test
    void tellsWhatItAskedForInVain() {
        team.deploy(2);
        api.answer("/apis/custom.metrics.k8s.io", Json.object());
        api.create(SERVICES, "team", named("main"));
        team.scaler(
                1,
                10,
                metrics -> {
                    ObjectNode object =
                            metrics.addObject().put("type", "Object").putObject("object");
                    object.putObject("metric").put("name", "hits");
                    object.putObject("describedObject")
                            .put("apiVersion", "v1")
                            .put("kind", "Service")
                            .put("name", "main");
                    object.putObject("target").put("type", "AverageValue").put("averageValue", "20");
                    ObjectNode queue =
                            metrics.addObject().put("type", "External").putObject("external");
                    queue.putObject("metric")
                            .put("name", "queue")
                            .putObject("selector")
                            .putObject("matchLabels")
                            .put("a", "b");
                    queue.putObject("target").put("type", "Value").put("value", "20");
                },
                _ -> {});
        String missing = "the server could not find the requested resource";
        String hits =
                "unable to get metric hits: Service on team main/unable to fetch metrics from custom metrics API: "
                        + missing + " (get services.custom.metrics.k8s.io main)";
        assertThat(team.events())
                .containsExactly(
                        "FailedGetObjectMetric " + hits,
                        "FailedGetExternalMetric unable to get external metric team/queue/&LabelSelector{"
                                + "MatchLabels:map[string]string{a: b,},MatchExpressions:[]LabelSelectorRequirement{},}:"
                                + " unable to fetch metrics from external metrics API: " + missing
                                + " (get queue.external.metrics.k8s.io)",
                        "FailedComputeMetricsReplicas invalid metrics (2 invalid out of 2), first error is: failed to"
                                + " get object metric value: failed to get hits object metric: " + hits);
    }
}
