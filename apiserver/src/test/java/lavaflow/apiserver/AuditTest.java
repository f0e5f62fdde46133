package lavaflow.apiserver;

import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import lavaflow.audit.AuditPolicy;
import lavaflow.audit.Auditor;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** What requests leave in the audit log. */
class AuditTest {
    private static final String POLICY = """
            apiVersion: audit.k8s.io/v1
            kind: Policy
            rules:
            - level: None
              nonResourceURLs: ["/healthz"]
            - level: Metadata
              resources: [{group: "", resources: [secrets]}]
            - level: RequestResponse
              omitManagedFields: true
              resources: [{group: "", resources: [configmaps]}]
            - level: Metadata
            """;

    private static final String MAPS = "/api/v1/namespaces/default/configmaps";
    private static final List<ObjectNode> EVENTS = new CopyOnWriteArrayList<>();

    @TempDir
    private static Path directory;

    private static TestingServer server;

    @BeforeAll
    static void start() throws Exception {
        Auditor auditor = new Auditor(
                AuditPolicy.parse(POLICY), line -> EVENTS.add(Json.parseObject(line)), InstantSource.system());
        server = new TestingServer(directory, auditor, 600);
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    @BeforeEach
    void forget() {
        EVENTS.clear();
    }

    private static List<String> stages() {
        return EVENTS.stream().map(event -> Json.textAt(event, "stage")).toList();
    }

    private static ObjectNode last(int events) {
        await().atMost(Duration.ofMinutes(1)).until(() -> EVENTS.size() == events);
        return EVENTS.getLast();
    }

    @Test
    void aCreateIsWrittenDownWithBothBodies() throws Exception {
        server.post(MAPS, "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"v\"}}");

        ObjectNode event = last(2);
        assertThat(stages()).containsExactly("RequestReceived", "ResponseComplete");
        assertThat(Json.textAt(event, "user", "username")).isEqualTo("admin");
        assertThat(Json.string(event.get("objectRef")))
                .isEqualTo(
                        "{\"resource\":\"configmaps\",\"namespace\":\"default\",\"apiVersion\":\"v1\",\"name\":\"a\"}");
        assertThat(Json.string(event.get("requestObject")))
                .isEqualTo("{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"},"
                        + "\"data\":{\"k\":\"v\"}}");
        assertThat(Json.textAt(event, "responseObject", "metadata", "uid")).isNotEmpty();
        assertThat(event.at("/responseObject/metadata").has("managedFields")).isFalse();
        assertThat(Json.string(event.get("responseStatus"))).isEqualTo("{\"metadata\":{},\"code\":201}");
        assertThat(Json.string(event.get("annotations")))
                .isEqualTo("{\"authorization.k8s.io/decision\":\"allow\",\"authorization.k8s.io/reason\":\"\"}");
    }

    @Test
    void secretsAreWrittenDownWithoutTheirContent() throws Exception {
        server.post("/api/v1/namespaces/default/secrets", "{\"metadata\":{\"name\":\"s\"},\"data\":{\"k\":\"dg==\"}}");
        server.get("/api/v1/namespaces/default/secrets");

        last(4);
        assertThat(EVENTS.toString()).doesNotContain("dg==").doesNotContain("Object\":");
    }

    @Test
    void listsPatchesAndDeletionsShowTheirBodies() throws Exception {
        server.post(MAPS, "{\"metadata\":{\"name\":\"b\"}}");
        server.patch(MAPS + "/b", "application/merge-patch+json", "{\"data\":{\"x\":\"y\"}}");
        assertThat(Json.string(last(4).get("requestObject"))).isEqualTo("{\"data\":{\"x\":\"y\"}}");
        server.get(MAPS + "?limit=10");
        assertThat(Json.textAt(last(6), "responseObject", "kind")).isEqualTo("ConfigMapList");
        assertThat(Json.textAt(EVENTS.getLast(), "requestURI")).isEqualTo(MAPS + "?limit=10");
        server.delete(MAPS + "/b", "{\"propagationPolicy\":\"Background\"}");
        ObjectNode event = last(8);
        assertThat(Json.string(event.get("requestObject")))
                .isEqualTo("{\"kind\":\"DeleteOptions\",\"apiVersion\":\"meta.k8s.io/__internal\","
                        + "\"propagationPolicy\":\"Background\"}");
        assertThat(Json.textAt(event, "responseStatus", "status")).isEqualTo("Success");
    }

    @Test
    void aFailureShowsItsStatus() throws Exception {
        server.get(MAPS + "/none");

        assertThat(Json.string(last(2).get("responseStatus")))
                .isEqualTo(
                        "{\"metadata\":{},\"status\":\"Failure\",\"message\":\"configmaps \\\"none\\\" not found\","
                                + "\"reason\":\"NotFound\",\"details\":{\"name\":\"none\",\"kind\":\"configmaps\"},\"code\":404}");
    }

    @Test
    void aWatchSaysWhenItBegan() throws Exception {
        try (InputStream watch = server.stream(MAPS + "?watch=1")) {
            assertThat(watch).isNotNull();
            last(2);
            assertThat(stages()).containsExactly("RequestReceived", "ResponseStarted");
        }

        last(3);
        assertThat(stages()).containsExactly("RequestReceived", "ResponseStarted", "ResponseComplete");
    }

    @Test
    void whatThePolicyLeavesOutIsNotWrittenDown() throws Exception {
        server.get("/healthz");
        server.get("/version");

        last(2);
        assertThat(Json.textAt(EVENTS.getLast(), "requestURI")).isEqualTo("/version");
    }

    @Test
    void strangersAreWrittenDownOnce() throws Exception {
        server.send(server.anonymous(), "GET", MAPS, "", "Authorization", "Bearer made-up");

        ObjectNode event = last(1);
        assertThat(stages()).containsExactly("ResponseStarted");
        assertThat(event.get("user").isEmpty()).isTrue();
        assertThat(event.at("/responseStatus/code").asInt()).isEqualTo(401);
    }
}
