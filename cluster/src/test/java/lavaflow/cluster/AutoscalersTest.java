package lavaflow.cluster;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.GoTime;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static lavaflow.cluster.TestingCluster.AUTOSCALERS;
import static lavaflow.cluster.TestingCluster.DEPLOYMENTS;
import static lavaflow.cluster.TestingCluster.EVENTS;
import static lavaflow.cluster.TestingCluster.JOBS;
import static lavaflow.cluster.TestingCluster.PODS;
import static lavaflow.cluster.TestingCluster.SERVICES;
import static lavaflow.cluster.TestingCluster.named;
import static org.assertj.core.api.Assertions.assertThat;

/** An autoscaler over a deployment whose pods use what they are told. */
class AutoscalersTest {
    private static final Duration PERIOD = Duration.ofSeconds(15);
    private static final String SELECTED = "labelSelector=" + URLEncoder.encode("app=web", StandardCharsets.UTF_8);

    private final TestingCluster cluster = new TestingCluster();
    private final TestingKubeApi api = cluster.api;

    @BeforeEach
    void start() {
        Mirror<PodState> pods = new Mirror<>(cluster.followers, PODS, PodState::of, PodState::words);
        cluster.run(new Autoscalers(api, cluster.followers, pods, cluster.clock(), cluster.nanoTime()).controller());
        cluster.namespace("team");
    }

    // ---- words of the tests

    private void deploy(int replicas) {
        ObjectNode deployment = named("web");
        ObjectNode spec = deployment.putObject("spec").put("replicas", replicas);
        Json.ensureObject(spec, "selector", "matchLabels").put("app", "web");
        deployment.putObject("status").put("replicas", replicas);
        api.create(DEPLOYMENTS, "team", deployment);
        for (int i = 0; i < replicas; i++) {
            pod(i, "Running");
        }
    }

    private void pod(int number, String phase) {
        ObjectNode pod = named("web-" + number);
        Json.ensureObject(pod, "metadata", "labels").put("app", "web");
        ObjectNode container = Json.ensureObject(pod, "spec")
                .putArray("containers")
                .addObject()
                .put("name", "main");
        Json.ensureObject(container, "resources", "requests").put("cpu", "100m").put("memory", "1Gi");
        ObjectNode status = pod.putObject("status");
        status.put("phase", phase).put("startTime", "2030-01-01T00:00:00Z");
        status.putArray("conditions")
                .addObject()
                .put("type", "Ready")
                .put("status", phase.equals("Running") ? "True" : "False")
                .put("lastTransitionTime", "2030-01-01T00:00:01Z");
        api.create(PODS, "team", pod);
    }

    private void scaler(int least, int most, Consumer<ArrayNode> metrics, Consumer<ObjectNode> more) {
        ObjectNode autoscaler = named("web");
        ObjectNode spec = autoscaler.putObject("spec").put("minReplicas", least).put("maxReplicas", most);
        spec.putObject("scaleTargetRef")
                .put("apiVersion", "apps/v1")
                .put("kind", "Deployment")
                .put("name", "web");
        metrics.accept(spec.putArray("metrics"));
        more.accept(spec);
        api.create(AUTOSCALERS, "team", autoscaler);
        cluster.settle();
    }

    private static void cpu(ArrayNode metrics) {
        ObjectNode resource = metrics.addObject()
                .put("type", "Resource")
                .putObject("resource")
                .put("name", "cpu");
        resource.putObject("target").put("type", "Utilization").put("averageUtilization", 50);
    }

    /** What each pod uses, in thousandths of a core; a negative number for none measured. */
    private void measured(int... milli) {
        ObjectNode list = Json.object();
        ArrayNode items = list.putArray("items");
        for (int i = 0; i < milli.length; i++) {
            if (milli[i] >= 0) {
                ObjectNode item = items.addObject();
                item.putObject("metadata").put("name", "web-" + i);
                item.put("timestamp", GoTime.seconds(cluster.clock().instant())).put("window", "15s");
                ObjectNode container = item.putArray("containers").addObject().put("name", "main");
                container.putObject("usage").put("cpu", milli[i] + "m").put("memory", "512Mi");
            }
        }
        api.answer("/apis/metrics.k8s.io/v1beta1/namespaces/team/pods?" + SELECTED, list);
    }

    private void value(String path, String value) {
        ObjectNode list = Json.object();
        ObjectNode item = list.putArray("items").addObject().put("value", value);
        item.putObject("describedObject").put("name", "web-0");
        api.answer(path, list);
    }

    private long replicas() {
        return Json.longAt(api.get(DEPLOYMENTS, "team", "web"), -1, "spec", "replicas");
    }

    private JsonNode status() {
        return api.get(AUTOSCALERS, "team", "web").path("status");
    }

    private List<String> conditions() {
        List<String> texts = new ArrayList<>();
        for (JsonNode condition : status().path("conditions")) {
            texts.add(Json.textAt(condition, "type") + "=" + Json.textAt(condition, "status") + " "
                    + Json.textAt(condition, "reason"));
        }
        return texts;
    }

    private List<String> events() {
        return api.list(EVENTS, "team", KubeApi.View.WHOLE).items().stream()
                .map(event -> Json.textAt(event, "reason") + " " + Json.textAt(event, "message"))
                .toList();
    }

    // ---- by what pods use

    @Test
    void growsUntilPodsUseWhatTheyShould() {
        deploy(2);
        measured(100, 80);
        scaler(1, 10, AutoscalersTest::cpu, _ -> {});
        assertThat(replicas()).isEqualTo(4);
        assertThat(conditions())
                .containsExactly(
                        "AbleToScale=True SucceededRescale",
                        "ScalingActive=True ValidMetricFound",
                        "ScalingLimited=False DesiredWithinRange");
        assertThat(events())
                .containsExactly("SuccessfulRescale New size: 4; reason: cpu resource utilization (percentage of"
                        + " request) above target");
        assertThat(Json.string(status().path("currentMetrics")))
                .isEqualTo("[{\"type\":\"Resource\",\"resource\":{\"name\":\"cpu\",\"current\":"
                        + "{\"averageUtilization\":90,\"averageValue\":\"90m\"}}}]");
        assertThat(status().path("currentReplicas").asLong()).isEqualTo(2);
        assertThat(status().path("desiredReplicas").asLong()).isEqualTo(4);
        assertThat(status().path("lastScaleTime").asText()).isEqualTo("2030-01-02T03:04:05Z");
    }

    @Test
    void doesNothingNearTheTarget() {
        deploy(2);
        measured(54, 54);
        scaler(1, 10, AutoscalersTest::cpu, _ -> {});
        assertThat(replicas()).isEqualTo(2);
        assertThat(conditions()).contains("AbleToScale=True ReadyForNewScale");
    }

    @Test
    void atMostDoublesAtOnceAndKeepsWithinItsLimits() {
        deploy(3);
        measured(500, 500, 500);
        scaler(1, 8, AutoscalersTest::cpu, _ -> {});
        assertThat(replicas()).isEqualTo(6);
        assertThat(conditions()).contains("ScalingLimited=True ScaleUpLimit");
        cluster.pass(PERIOD);
        assertThat(replicas()).isEqualTo(8);
        assertThat(conditions()).contains("ScalingLimited=True TooManyReplicas");
    }

    @Test
    void shrinksOnlyAfterFiveMinutesOfWantingLess() {
        deploy(4);
        measured(10, 10, 10, 10);
        scaler(2, 8, AutoscalersTest::cpu, _ -> {});
        assertThat(replicas()).isEqualTo(4);
        assertThat(conditions()).contains("AbleToScale=True ScaleDownStabilized");
        for (int i = 0; i < 19; i++) {
            cluster.pass(PERIOD);
        }
        assertThat(replicas()).isEqualTo(4);
        cluster.pass(PERIOD);
        assertThat(replicas()).isEqualTo(2);
        assertThat(conditions()).contains("ScalingLimited=True TooFewReplicas");
        assertThat(events()).contains("SuccessfulRescale New size: 2; reason: All metrics below target");
    }

    @Test
    void podsThatWereNotMeasuredMakeTheChangeSmaller() {
        deploy(4);
        measured(100, 100, -1, -1);
        scaler(1, 10, AutoscalersTest::cpu, _ -> {});
        // Two use twice the target, two are taken for idle: that is the target.
        assertThat(replicas()).isEqualTo(4);
    }

    @Test
    void podsThatStartAreTakenForIdleOnTheWayUp() {
        deploy(2);
        pod(2, "Pending");
        measured(100, 100);
        scaler(1, 10, AutoscalersTest::cpu, _ -> {});
        // 200 of 300 requested is 66 %: ceil(1.32 * 3).
        assertThat(replicas()).isEqualTo(4);
    }

    @Test
    void requestsMustBeKnown() {
        deploy(1);
        api.edit(PODS, "team", "web-0", pod -> {
            ((ObjectNode) pod.at("/spec/containers/0")).remove("resources");
            return pod;
        });
        measured(10);
        scaler(1, 10, AutoscalersTest::cpu, _ -> {});
        assertThat(events())
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
        deploy(4);
        measured(500, 500, 500, 500);
        scaler(1, 100, AutoscalersTest::cpu, spec -> {
            policy(rules(spec, "scaleUp", 0), "Pods", 3, 60);
            policy(rules(spec, "scaleDown", 0), "Percent", 50, 60);
        });
        assertThat(replicas()).isEqualTo(7);
        assertThat(conditions()).contains("ScalingLimited=True ScaleUpLimit");
        cluster.pass(PERIOD);
        assertThat(replicas()).isEqualTo(7);
        cluster.pass(Duration.ofSeconds(45));
        assertThat(replicas()).isEqualTo(10);
        measured(1, 1, 1, 1);
        cluster.pass(Duration.ofSeconds(60));
        assertThat(replicas()).isEqualTo(5);
        assertThat(conditions()).contains("ScalingLimited=True ScaleDownLimit");
    }

    @Test
    void growthMayHaveToBeWantedForAWhileOrBeForbidden() {
        deploy(2);
        measured(50, 50);
        scaler(1, 10, AutoscalersTest::cpu, spec -> {
            policy(rules(spec, "scaleUp", 60), "Pods", 10, 15);
            policy(rules(spec, "scaleDown", 0), "Pods", 10, 15);
        });
        measured(100, 100);
        cluster.pass(PERIOD);
        assertThat(replicas()).isEqualTo(2);
        assertThat(conditions()).contains("AbleToScale=True ScaleUpStabilized");
        for (int i = 0; i < 4; i++) {
            cluster.pass(PERIOD);
        }
        assertThat(replicas()).isEqualTo(4);
    }

    @Test
    void itsOwnToleranceCounts() {
        deploy(2);
        measured(65, 65);
        scaler(1, 10, AutoscalersTest::cpu, spec -> {
            rules(spec, "scaleUp", 0).put("tolerance", "400m");
            policy(rules(spec, "scaleUp", 0), "Pods", 10, 15);
        });
        assertThat(replicas()).isEqualTo(2);
    }

    // ---- other metrics

    @Test
    void followsWhatPodsObjectsAndOthersMeasureAndTakesTheHighest() {
        deploy(2);
        ObjectNode group = Json.object();
        group.putObject("preferredVersion").put("version", "v1beta1");
        api.answer("/apis/custom.metrics.k8s.io", group);
        value("/apis/custom.metrics.k8s.io/v1beta1/namespaces/team/pods/*/rate?" + SELECTED, "15");
        value("/apis/custom.metrics.k8s.io/v1beta1/namespaces/team/services/main/hits", "30");
        value("/apis/external.metrics.k8s.io/v1beta1/namespaces/team/queue", "70");
        api.create(SERVICES, "team", named("main"));
        scaler(
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
        assertThat(replicas()).isEqualTo(4);
        assertThat(status().at("/currentMetrics/0/pods/current/averageValue").asText())
                .isEqualTo("15");
        assertThat(status().at("/currentMetrics/1/object/current/value").asText())
                .isEqualTo("30");
        assertThat(status().at("/currentMetrics/2/external/current/averageValue")
                        .asText())
                .isEqualTo("35");
        assertThat(events())
                .containsExactly("SuccessfulRescale New size: 4; reason: external metric queue(nil) above target");
    }

    @Test
    void tellsWhenNobodyMeasures() {
        deploy(2);
        scaler(1, 5, AutoscalersTest::cpu, _ -> {});
        String why = "failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics"
                + " from resource metrics API: the server could not find the requested resource (get"
                + " pods.metrics.k8s.io)";
        assertThat(conditions())
                .containsExactly("AbleToScale=True SucceededGetScale", "ScalingActive=False FailedGetResourceMetric");
        assertThat(status().at("/conditions/1/message").asText())
                .isEqualTo("the HPA was unable to compute the replica count: " + why);
        assertThat(events())
                .containsExactly(
                        "FailedGetResourceMetric " + why,
                        "FailedComputeMetricsReplicas invalid metrics (1 invalid out of 1), first error is: failed to"
                                + " get cpu resource metric value: " + why);
        assertThat(Json.string(status().path("currentMetrics"))).isEqualTo("[{\"type\":\"\"}]");
        assertThat(status().path("currentReplicas").asLong()).isEqualTo(2);
    }

    // ---- targets

    @Test
    void bringsATargetBackWithinItsLimitsWithoutMeasuring() {
        deploy(5);
        scaler(1, 3, AutoscalersTest::cpu, _ -> {});
        assertThat(replicas()).isEqualTo(3);
        assertThat(events())
                .containsExactly("SuccessfulRescale New size: 3; reason: Current number of replicas above"
                        + " Spec.MaxReplicas");
    }

    @Test
    void leavesATargetOfNoneAlone() {
        deploy(0);
        scaler(1, 3, AutoscalersTest::cpu, _ -> {});
        assertThat(replicas()).isZero();
        assertThat(conditions()).contains("ScalingActive=False ScalingDisabled");
    }

    @Test
    void tellsWhenTheTargetIsNotThereOrHasNoScale() {
        scaler(1, 3, AutoscalersTest::cpu, _ -> {});
        assertThat(status().at("/conditions/0/message").asText())
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
        assertThat(events()).contains("FailedGetScale the server could not find the requested resource");
    }

    @Test
    void twoOverTheSamePodsStandStill() {
        deploy(2);
        measured(100, 100);
        scaler(1, 5, AutoscalersTest::cpu, spec -> spec.put("maxReplicas", 2));
        ObjectNode twin = api.get(AUTOSCALERS, "team", "web").deepCopy();
        twin.remove("status");
        Json.ensureObject(twin, "metadata").put("name", "twin").remove(List.of("uid", "resourceVersion"));
        api.create(AUTOSCALERS, "team", twin);
        cluster.pass(PERIOD);
        assertThat(events())
                .contains("AmbiguousSelector pods by selector app=web are controlled by multiple HPAs: [team/twin"
                        + " team/web]");
    }
}
