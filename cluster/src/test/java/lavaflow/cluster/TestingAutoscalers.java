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

import static lavaflow.cluster.TestingCluster.AUTOSCALERS;
import static lavaflow.cluster.TestingCluster.DEPLOYMENTS;
import static lavaflow.cluster.TestingCluster.EVENTS;
import static lavaflow.cluster.TestingCluster.PODS;
import static lavaflow.cluster.TestingCluster.named;

/** An autoscaler over the deployment {@code web} of namespace {@code team}, whose pods use what they are told. */
final class TestingAutoscalers {
    static final Duration PERIOD = Duration.ofSeconds(15);
    static final String SELECTED = "labelSelector=" + URLEncoder.encode("app=web", StandardCharsets.UTF_8);
    final TestingCluster cluster = new TestingCluster();
    final TestingKubeApi api = cluster.api;

    TestingAutoscalers() {
        Mirror<PodState> pods = new Mirror<>(cluster.followers, PODS, PodState::of, PodState::words);
        cluster.run(new Autoscalers(api, cluster.followers, pods, cluster.clock(), cluster.nanoTime()).controller());
        cluster.namespace("team");
    }

    void deploy(int replicas) {
        ObjectNode deployment = named("web");
        ObjectNode spec = deployment.putObject("spec").put("replicas", replicas);
        Json.ensureObject(spec, "selector", "matchLabels").put("app", "web");
        deployment.putObject("status").put("replicas", replicas);
        api.create(DEPLOYMENTS, "team", deployment);
        for (int i = 0; i < replicas; i++) {
            pod(i, "Running");
        }
    }

    void pod(int number, String phase) {
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

    void scaler(int least, int most, Consumer<ArrayNode> metrics, Consumer<ObjectNode> more) {
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

    static void cpu(ArrayNode metrics) {
        ObjectNode resource = metrics.addObject()
                .put("type", "Resource")
                .putObject("resource")
                .put("name", "cpu");
        resource.putObject("target").put("type", "Utilization").put("averageUtilization", 50);
    }

    /** What each pod uses, in thousandths of a core; a negative number for none measured. */
    void measured(int... milli) {
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

    void value(String path, String value) {
        ObjectNode list = Json.object();
        ObjectNode item = list.putArray("items").addObject().put("value", value);
        item.putObject("describedObject").put("name", "web-0");
        api.answer(path, list);
    }

    long replicas() {
        return Json.longAt(api.get(DEPLOYMENTS, "team", "web"), -1, "spec", "replicas");
    }

    JsonNode status() {
        return api.get(AUTOSCALERS, "team", "web").path("status");
    }

    List<String> conditions() {
        List<String> texts = new ArrayList<>();
        for (JsonNode condition : status().path("conditions")) {
            texts.add(Json.textAt(condition, "type") + "=" + Json.textAt(condition, "status") + " "
                    + Json.textAt(condition, "reason"));
        }
        return texts;
    }

    List<String> events() {
        return api.list(EVENTS, "team", KubeApi.View.WHOLE).items().stream()
                .map(event -> Json.textAt(event, "reason") + " " + Json.textAt(event, "message"))
                .toList();
    }
}
