package lavaflow.apiserver;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import lavaflow.kube.Json;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** A node whose container uses a quarter of a processor. */
class ResourceMetricsTest {
    private static final String BASE = "/apis/metrics.k8s.io/v1beta1";

    @TempDir
    private static Path directory;

    private static TestingServer server;
    private static TestingBackend kubelet;
    private static final AtomicLong SECONDS = new AtomicLong();
    private static final AtomicLong NANOS = new AtomicLong();

    @BeforeAll
    static void start() throws Exception {
        server = new TestingServer(directory);
        kubelet = new TestingBackend();
        kubelet.on("/stats/summary", (_, _, out) -> TestingBackend.say(out, TestingBackend.json(summary())));
        server.post("/api/v1/nodes", "{\"metadata\":{\"name\":\"here\",\"labels\":{\"zone\":\"a\"}}}");
        server.patch("/api/v1/nodes/here/status", "application/merge-patch+json", """
                {"status":{"addresses":[{"type":"InternalIP","address":"127.0.0.1"}],
                "daemonEndpoints":{"kubeletEndpoint":{"Port":%d}}}}
                """.formatted(kubelet.port()));
        server.post("/api/v1/nodes", "{\"metadata\":{\"name\":\"silent\"}}");
        server.post("/api/v1/namespaces/default/pods", """
                {"metadata":{"name":"p","labels":{"app":"p"}},
                "spec":{"nodeName":"here","containers":[{"name":"c","image":"x"}]}}
                """);
        server.patch(
                "/api/v1/namespaces/default/pods/p/status",
                "application/merge-patch+json",
                "{\"status\":{\"phase\":\"Running\"}}");
        server.post(
                "/api/v1/namespaces/default/pods",
                "{\"metadata\":{\"name\":\"waiting\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"x\"}]}}");
        server.server().serveResourceMetrics(Duration.ofMinutes(2), NANOS::get);
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
        kubelet.close();
    }

    /** Ten seconds later each time. */
    private static String summary() {
        long now = SECONDS.addAndGet(10);
        String figures = """
                "cpu":{"time":"2026-11-15T06:%02d:%02dZ","usageCoreNanoSeconds":%d},"memory":{"workingSetBytes":%d}
                """;
        return "{\"node\":{" + figures.formatted(now / 60, now % 60, now * 500_000_000L, 3L << 30) + "},\"pods\":[{"
                + "\"podRef\":{\"namespace\":\"default\",\"name\":\"p\"},\"containers\":[{\"name\":\"c\","
                + figures.formatted(now / 60, now % 60, now * 250_000_001L, 5 * 1024 + 1) + "}]}]}";
    }

    @Test
    void nodesTellWhatTheyUse() throws Exception {
        var list = server.get(BASE + "/nodes").json();

        assertThat(Json.textAt(list, "kind")).isEqualTo("NodeMetricsList");
        assertThat(list.path("items")).hasSize(1);
        var node = list.path("items").get(0);
        assertThat(Json.textAt(node, "metadata", "name")).isEqualTo("here");
        assertThat(Json.textAt(node, "metadata", "labels", "zone")).isEqualTo("a");
        assertThat(Json.textAt(node, "usage", "cpu")).isEqualTo("500m");
        assertThat(Json.textAt(node, "usage", "memory")).isEqualTo("3Gi");
        assertThat(Json.textAt(node, "window")).isEqualTo("10s");
        assertThat(server.get(BASE + "/nodes?labelSelector=zone%3Db").json().path("items"))
                .isEmpty();
    }

    @Test
    void podsTellWhatTheirContainersUse() throws Exception {
        var pod = server.get(BASE + "/namespaces/default/pods/p").json();

        assertThat(Json.textAt(pod, "kind")).isEqualTo("PodMetrics");
        var container = Json.listAt(pod, "containers").get(0);
        assertThat(Json.textAt(container, "name")).isEqualTo("c");
        assertThat(Json.textAt(container, "usage", "cpu")).isEqualTo("250000001n");
        assertThat(Json.textAt(container, "usage", "memory")).isEqualTo("5121");
        assertThat(server.get(BASE + "/pods?labelSelector=app%3Dp").json().path("items"))
                .hasSize(1);
        assertThat(server.get(BASE + "/pods?labelSelector=app%3Dq").json().path("items"))
                .isEmpty();
    }

    @Test
    void whatIsNotKnownIsNotFound() throws Exception {
        assertThat(server.get(BASE + "/nodes/silent").message()).isEqualTo("nodes.metrics.k8s.io \"silent\" not found");
        assertThat(server.get(BASE + "/nodes/other").message()).isEqualTo("nodes \"other\" not found");
        assertThat(server.get(BASE + "/namespaces/default/pods/q").message()).isEqualTo("pods \"q\" not found");
        assertThat(server.get(BASE + "/namespaces/default/pods/waiting").message())
                .isEqualTo("pods.metrics.k8s.io \"default/waiting\" not found");
        assertThat(server.get(BASE + "/nodes?watch=1").message())
                .isEqualTo("watch is not supported on resources of kind \"nodes.metrics.k8s.io\"");
        assertThat(server.get(BASE + "/others").code()).isEqualTo(404);
        assertThat(server.delete(BASE + "/nodes/here").code()).isEqualTo(405);
    }

    @Test
    void fieldsSelectByName() throws Exception {
        String selected = BASE + "/pods?fieldSelector=metadata.name%3D";

        assertThat(server.get(selected + "p,metadata.namespace%3Ddefault")
                        .json()
                        .path("items"))
                .hasSize(1);
        assertThat(server.get(selected + "q").json().path("items")).isEmpty();
        assertThat(server.get(BASE + "/pods?fieldSelector=spec.nodeName%3Dhere").message())
                .isEqualTo("\"spec.nodeName\" is not a known field selector: only \"metadata.name\","
                        + " \"metadata.namespace\"");
    }

    @Test
    void tablesHaveAColumnForEachResource() throws Exception {
        String table = "application/json;as=Table;v=v1;g=meta.k8s.io";
        var pods = server.get(BASE + "/pods", "Accept", table).json();
        var node = server.get(BASE + "/nodes/here?includeObject=Object", "Accept", table)
                .json();

        assertThat(Json.textAt(pods, "kind")).isEqualTo("Table");
        assertThat(pods.path("columnDefinitions").findValuesAsText("name"))
                .containsExactly("Name", "cpu", "memory", "Window");
        assertThat(pods.path("columnDefinitions").findValuesAsText("format"))
                .containsExactly("name", "quantity", "quantity", "duration");
        assertThat(Json.listAt(pods, "rows").get(0).path("cells").toString())
                .isEqualTo("[\"p\",\"250000001n\",\"5121\",\"10s\"]");
        assertThat(Json.textAt(Json.listAt(pods, "rows").get(0), "object", "kind"))
                .isEqualTo("PartialObjectMetadata");
        assertThat(Json.textAt(Json.listAt(node, "rows").get(0), "object", "kind"))
                .isEqualTo("NodeMetrics");
        assertThat(server.get(BASE + "/pods?labelSelector=app%3Dq", "Accept", table)
                        .body())
                .contains("\"columnDefinitions\":null,\"rows\":null");
    }

    @Test
    void metadataAloneIsGiven() throws Exception {
        var list = server.get(
                        BASE + "/pods", "Accept", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io")
                .json();

        assertThat(Json.textAt(list, "kind")).isEqualTo("PartialObjectMetadataList");
        assertThat(Json.textAt(list.path("items").get(0), "metadata", "name")).isEqualTo("p");
        assertThat(list.path("items").get(0).has("containers")).isFalse();
    }

    @Test
    void schemasAreDescribed() throws Exception {
        String home = "io.k8s.metrics.pkg.apis.metrics.v1beta1.";
        String address = Json.textAt(
                server.get("/openapi/v3").json(), "paths", "apis/metrics.k8s.io/v1beta1", "serverRelativeURL");
        var third = server.get(address).json();
        var second = server.get("/openapi/v2").json();

        var pod = Json.at(third, "components", "schemas", home + "PodMetrics");
        assertThat(Json.listAt(pod, "required").toString()).isEqualTo("[\"containers\",\"timestamp\",\"window\"]");
        assertThat(Json.textAt(pod, "properties", "containers", "items", "$ref"))
                .isEqualTo("#/components/schemas/" + home + "ContainerMetrics");
        assertThat(Json.textAt(pod, "properties", "window", "$ref")).endsWith(".Duration");
        assertThat(Json.at(third, "paths", "/apis/metrics.k8s.io/v1beta1/namespaces/{namespace}/pods/{name}", "get"))
                .isNotNull();
        assertThat(Json.at(third, "paths", "/apis/metrics.k8s.io/v1beta1/nodes", "post"))
                .isNull();
        assertThat(Json.at(second, "definitions", home + "NodeMetricsList")).isNotNull();
        assertThat(Json.textAt(
                        second,
                        "definitions",
                        home + "ContainerMetrics",
                        "properties",
                        "usage",
                        "additionalProperties",
                        "$ref"))
                .endsWith(".Quantity");
    }

    @Test
    void discoveryShowsTheGroup() throws Exception {
        assertThat(server.get("/apis").body()).contains("metrics.k8s.io/v1beta1");
        assertThat(server.get("/apis/metrics.k8s.io").json().path("versions")).hasSize(1);
        assertThat(server.get(BASE).json().path("resources")).hasSize(2);
        assertThat(server.get("/apis", "Accept", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
                        .body())
                .contains("NodeMetrics");
        assertThat(server.get("/apis/apiregistration.k8s.io/v1/apiservices/v1beta1.metrics.k8s.io")
                        .code())
                .isEqualTo(200);
    }

    @Test
    void nobodyIsAskedTwiceWithinAMoment() throws Exception {
        server.get(BASE + "/nodes");
        long before = SECONDS.get();

        server.get(BASE + "/nodes");
        server.get(BASE + "/pods");

        assertThat(SECONDS.get()).isEqualTo(before);

        NANOS.addAndGet(TimeUnit.SECONDS.toNanos(6));
        server.get(BASE + "/nodes");
        assertThat(SECONDS.get()).isEqualTo(before + 10);
    }
}
