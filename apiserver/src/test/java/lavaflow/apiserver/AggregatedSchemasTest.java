package lavaflow.apiserver;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** What servers behind APIServices serve and describe, as this server's clients see it. */
class AggregatedSchemasTest {
    private static final String GROUP = "raw.example.com";
    private static final String AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

    @TempDir
    private Path directory;

    private TestingServer server;
    private TestingBackend backend;

    @BeforeEach
    void start() throws Exception {
        server = new TestingServer(directory);
        backend = new TestingBackend();
        backend.onJson("/apis/" + GROUP + "/v1", """
                {"kind":"APIResourceList","apiVersion":"v1","groupVersion":"raw.example.com/v1","resources":[
                {"name":"things","singularName":"thing","namespaced":true,"kind":"Thing","verbs":["get","list"]}]}""");
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        backend.close();
    }

    private String condition() throws Exception {
        JsonNode condition = server.get("/apis/apiregistration.k8s.io/v1/apiservices/v1." + GROUP)
                .json()
                .at("/status/conditions/0");
        return Json.textAt(condition, "status") + " " + Json.textAt(condition, "reason") + ": "
                + Json.textAt(condition, "message");
    }

    private JsonNode discovered() throws Exception {
        for (JsonNode group : server.get("/apis", "Accept", AGGREGATED).json().get("items")) {
            if (Json.textAt(group, "metadata", "name").equals(GROUP)) {
                return group.at("/versions/0");
            }
        }
        return Json.object();
    }

    @Test
    void definitionsOfOthersArePublishedUnderNamesOfTheirOwn() throws Exception {
        backend.onJson("/openapi/v2", """
                {"swagger":"2.0","paths":{"/apis/raw.example.com/v1/things":{"get":{"responses":{"200":{"schema":
                {"$ref":"#/definitions/com.example.raw.Thing"}}}}},"/api/v1/pods":{"get":{}},"/version/":{}},
                "definitions":{"com.example.raw.Thing":{"type":"object","properties":{"metadata":
                {"$ref":"#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}}},
                "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta":{"type":"object","description":"other"},
                "com.example.raw.Unused":{"type":"object"}}}""");
        JsonNode own = server.get("/openapi/v2").json();

        backend.register(server, GROUP);

        await().atMost(Duration.ofMinutes(1))
                .until(() -> server.get("/openapi/v2").body().contains("com.example.raw.Thing"));
        JsonNode all = server.get("/openapi/v2").json();
        assertThat(all.at("/definitions/com.example.raw.Thing/properties/metadata/$ref")
                        .asText())
                .isEqualTo("#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta_v2");
        assertThat(all.at("/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"))
                .isEqualTo(own.at("/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"));
        assertThat(all.get("paths").has("/apis/raw.example.com/v1/things")).isTrue();
        assertThat(all.get("paths").get("/api/v1/namespaces/{namespace}/pods"))
                .isEqualTo(own.get("paths").get("/api/v1/namespaces/{namespace}/pods"));
        assertThat(all.get("paths").has("/api/v1/pods/")).isFalse();
        assertThat(all.get("definitions").has("com.example.raw.Unused")).isFalse();
        assertThat(backend.asked("/openapi/v2").getFirst().head()).contains("X-Remote-User: system:aggregator");

        server.delete("/apis/apiregistration.k8s.io/v1/apiservices/v1." + GROUP);
        await().atMost(Duration.ofMinutes(1))
                .until(() -> !server.get("/openapi/v2").body().contains("com.example.raw.Thing"));
    }

    @Test
    void aServerThatHangsUpOnceIsAvailableAllTheSame() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        backend.on("/apis/" + GROUP + "/v1", (_, _, out) -> {
            if (asked.incrementAndGet() == 1) {
                throw new IOException("not now");
            }
            TestingBackend.say(out, TestingBackend.json("{}"));
        });

        backend.register(server, GROUP);

        await().atMost(Duration.ofMinutes(1)).until(() -> condition().matches("(True|False).*"));
        assertThat(condition()).isEqualTo("True Passed: all checks passed");
    }

    @Test
    void aDocumentWithoutEndIsNotReadToItsEnd() throws Exception {
        backend.on("/openapi/v2", (_, _, out) -> {
            TestingBackend.say(out, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
            while (true) {
                TestingBackend.say(out, "4000\r\n" + " ".repeat(0x4000) + "\r\n");
            }
        });

        backend.register(server, GROUP);

        await().atMost(Duration.ofMinutes(1)).until(() -> condition().equals("True Passed: all checks passed"));
        assertThat(server.get("/openapi/v2").code()).isEqualTo(200);
    }

    @Test
    void theIndexOfSchemasHasTheOtherServersOwnAddress() throws Exception {
        backend.onJson("/openapi/v3", """
                {"paths":{"apis/raw.example.com/v1":{"serverRelativeURL":"/openapi/v3/apis/raw.example.com/v1?hash=ABC"},
                "apis/apps/v1":{"serverRelativeURL":"/openapi/v3/apis/apps/v1?hash=EVIL"}}}""");
        backend.onJson("/openapi/v3/apis/raw.example.com/v1", "{\"openapi\":\"3.0.0\"}");

        backend.register(server, GROUP);

        await().atMost(Duration.ofMinutes(1))
                .until(() -> server.get("/openapi/v3").body().contains("hash=ABC"));
        assertThat(server.get("/openapi/v3").body()).doesNotContain("EVIL");
        assertThat(server.get("/openapi/v3/apis/raw.example.com/v1?hash=ABC").body())
                .isEqualTo("{\"openapi\":\"3.0.0\"}");
    }

    @Test
    void aServerThatStopsAnsweringIsUnavailableAndWhatItServedIsStale() throws Exception {
        backend.register(server, GROUP);
        await().atMost(Duration.ofMinutes(1))
                .until(() -> Json.textAt(discovered(), "freshness").equals("Current"));
        assertThat(discovered().at("/resources/0/resource").asText()).isEqualTo("things");

        backend.on(
                "/apis/" + GROUP + "/v1",
                (_, _, out) -> TestingBackend.say(out, "HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n"));
        server.patch(
                "/apis/apiregistration.k8s.io/v1/apiservices/v1." + GROUP,
                "application/merge-patch+json",
                "{\"metadata\":{\"labels\":{\"look\":\"again\"}}}");

        await().atMost(Duration.ofMinutes(1)).until(() -> condition().startsWith("False"));
        String url = "https://localhost:" + backend.port() + "/apis/" + GROUP + "/v1";
        assertThat(condition())
                .isEqualTo("False FailedDiscoveryCheck: failing or missing response from " + url + ": bad status from "
                        + url + ": 500");
        await().atMost(Duration.ofMinutes(1))
                .until(() -> Json.textAt(discovered(), "freshness").equals("Stale"));
        assertThat(discovered().at("/resources/0/resource").asText()).isEqualTo("things");
        assertThat(server.get("/apis").body()).contains(GROUP + "/v1");
        assertThat(server.get("/apis/" + GROUP).code()).isEqualTo(200);
        assertThat(server.get("/apis/" + GROUP + "/v1").body()).isEqualTo("service unavailable\n");
    }

    @Test
    void groupsStandWhereTheirPriorityPutsThem() throws Exception {
        backend.register(server, GROUP);
        server.patch(
                "/apis/apiregistration.k8s.io/v1/apiservices/v1." + GROUP,
                "application/merge-patch+json",
                "{\"spec\":{\"groupPriorityMinimum\":16250}}");

        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(
                                server.get("/apis").json().get("groups").findValuesAsText("name"))
                        .containsSubsequence("apiregistration.k8s.io", "node.k8s.io", GROUP, "discovery.k8s.io"));
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(server.get("/apis", "Accept", AGGREGATED)
                                .json()
                                .get("items")
                                .findValuesAsText("name"))
                        .containsSubsequence("node.k8s.io", GROUP, "discovery.k8s.io"));
    }
}
