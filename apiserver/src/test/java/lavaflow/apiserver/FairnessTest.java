package lavaflow.apiserver;

import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Flow control seen from outside. */
class FairnessTest {
    private static final String SCHEMAS = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas";
    private static final String LEVELS = "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations";

    @TempDir
    private Path directory;

    private TestingServer server;

    @BeforeEach
    void start() throws Exception {
        // Who waits for a seat here waits for what the test does next, however long a busy machine takes over it.
        server = new TestingServer(directory, settings -> settings.withQueueTime(Duration.ofMinutes(10)));
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
    }

    private HttpClient client(String user) throws Exception {
        return server.client(server.authority().issueClient(user, List.of("dev"), Instant.now()));
    }

    private static String schema(String name, String user, String level) {
        return """
                {"metadata":{"name":"%s"},"spec":{"matchingPrecedence":50,"priorityLevelConfiguration":{"name":"%s"},
                "rules":[{"subjects":[{"kind":"User","user":{"name":"%s"}}],"nonResourceRules":[{"verbs":["*"],
                "nonResourceURLs":["*"]}],"resourceRules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"],
                "clusterScope":true,"namespaces":["*"]}]}]}}
                """.formatted(name, level, user);
    }

    private String uid(String path) throws Exception {
        return Json.textAt(server.get(path).json(), "metadata", "uid");
    }

    @Test
    void everyAnswerNamesItsSchemaAndLevel() throws Exception {
        TestingServer.Reply reply = server.get("/version");

        assertThat(reply.response().headers().firstValue("X-Kubernetes-PF-FlowSchema-UID"))
                .hasValue(uid(SCHEMAS + "/exempt"));
        assertThat(reply.response().headers().firstValue("X-Kubernetes-PF-PriorityLevel-UID"))
                .hasValue(uid(LEVELS + "/exempt"));
    }

    @Test
    void aNewClusterHasTheSuggestedObjects() throws Exception {
        assertThat(server.get(SCHEMAS).json().get("items")).hasSize(11);
        assertThat(server.get(LEVELS).json().get("items")).hasSize(8);
        JsonNode annotations = server.get(SCHEMAS + "/catch-all").json().at("/metadata/annotations");
        assertThat(Json.textAt(annotations, "apf.kubernetes.io/autoupdate-spec"))
                .isEqualTo("true");
    }

    private String dangling(String name) {
        try {
            for (JsonNode condition : server.get(SCHEMAS + "/" + name).json().at("/status/conditions")) {
                return Json.textAt(condition, "status") + " " + Json.textAt(condition, "reason");
            }
            return "";
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aSchemaSaysWhetherItsLevelExists() throws Exception {
        server.post(SCHEMAS, schema("own", "jane", "own"));
        await().atMost(Duration.ofMinutes(1)).until(() -> dangling("own").equals("True NotFound"));
        server.post(LEVELS, """
                {"metadata":{"name":"own"},"spec":{"type":"Limited","limited":{"limitResponse":{"type":"Reject"}}}}
                """);
        await().atMost(Duration.ofMinutes(1)).until(() -> dangling("own").equals("False Found"));
    }

    /** A client at a level with one seat, which a request of its own takes for as long as its body does not end. */
    private HttpClient busy(String user, PipedInputStream body) throws Exception {
        server.post("/apis/rbac.authorization.k8s.io/v1/clusterroles", """
                {"metadata":{"name":"all"},"rules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"]},
                {"verbs":["*"],"nonResourceURLs":["*"]}]}
                """);
        server.post("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", """
                {"metadata":{"name":"all"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole",
                "name":"all"},"subjects":[{"kind":"Group","name":"dev","apiGroup":"rbac.authorization.k8s.io"}]}
                """);
        server.post(LEVELS, """
                {"metadata":{"name":"one"},"spec":{"type":"Limited","limited":{"nominalConcurrencyShares":0,
                "borrowingLimitPercent":0,"limitResponse":{"type":"Reject"}}}}
                """);
        server.post(SCHEMAS, schema("one", user, "one"));
        HttpClient client = client(user);
        String uid = uid(SCHEMAS + "/one");
        await().atMost(Duration.ofMinutes(1))
                .until(() -> server.send(client, "GET", "/version", "")
                        .response()
                        .headers()
                        .firstValue("X-Kubernetes-PF-FlowSchema-UID")
                        .filter(uid::equals)
                        .isPresent());
        await().atMost(Duration.ofMinutes(1))
                .until(() ->
                        server.send(client, "GET", "/api/v1/configmaps", "").code() == 200);
        HttpRequest slow = HttpRequest.newBuilder(server.uri("/api/v1/namespaces/default/configmaps"))
                .POST(HttpRequest.BodyPublishers.ofInputStream(() -> body))
                .build();
        // A seat is given back after the answer has gone out: the last one may still be taken.
        await().atMost(Duration.ofMinutes(1))
                .until(() -> measured("executing_seats").equals("0"));
        var _ = client.sendAsync(slow, HttpResponse.BodyHandlers.ofString());
        await().atMost(Duration.ofMinutes(1))
                .until(() -> measured("executing_seats").equals("1"));
        return client;
    }

    private String measured(String gauge) throws Exception {
        return server.get("/metrics")
                .body()
                .replaceAll(
                        "(?s).*current_" + gauge + "\\{flow_schema=\"one\",priority_level=\"one\"} (\\d+)\\n.*", "$1");
    }

    @Test
    void aLevelWithoutFreeSeatsRefuses() throws Exception {
        try (PipedOutputStream unfinished = new PipedOutputStream()) {
            HttpClient jane = busy("jane", new PipedInputStream(unfinished));

            TestingServer.Reply reply = server.send(jane, "GET", "/version", "");
            assertThat(reply.code()).isEqualTo(429);
            assertThat(reply.body()).isEqualTo("Too many requests, please try again later.\n");
            assertThat(reply.response().headers().firstValue("Retry-After")).hasValue("1");
            assertThat(reply.response().headers().firstValue("X-Kubernetes-PF-PriorityLevel-UID"))
                    .hasValue(uid(LEVELS + "/one"));
            assertThat(server.get("/version").code()).isEqualTo(200);
            assertThat(server.send(client("joe"), "GET", "/version", "").code()).isEqualTo(200);
            assertThat(server.get("/metrics").body())
                    .contains("apiserver_flowcontrol_rejected_requests_total{flow_schema=\"one\","
                            + "priority_level=\"one\",reason=\"concurrency-limit\"}");

            server.delete(SCHEMAS + "/one");
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> server.send(jane, "GET", "/version", "").code() == 200);
        }
    }

    /**
     * A noisy client keeps two hundred requests in the air at a level that runs two at once. Another client of the same level
     * is served all the same, never refused. How many requests go before it depends on time here; FlowControlTest counts them.
     */
    @Test
    void aNoisyClientDoesNotStarveTheOthers() throws Exception {
        server.post(LEVELS, """
                {"metadata":{"name":"small"},"spec":{"type":"Limited","limited":{"nominalConcurrencyShares":1,
                "borrowingLimitPercent":0,"limitResponse":{"type":"Queue","queuing":{"queues":64,"handSize":4,
                "queueLengthLimit":50}}}}}
                """);
        String spec = schema("small", "*", "small")
                .replace("\"rules\"", "\"distinguisherMethod\":{\"type\":\"ByUser\"},\"rules\"");
        server.post(SCHEMAS, spec);
        HttpClient noisy = client("noisy");
        HttpClient quiet = client("quiet");
        await().atMost(Duration.ofMinutes(1))
                .until(() -> server.send(quiet, "GET", "/version", "")
                        .response()
                        .headers()
                        .firstValue("X-Kubernetes-PF-FlowSchema-UID")
                        .equals(java.util.Optional.of(uid(SCHEMAS + "/small"))));
        Map<Integer, Integer> codes = new ConcurrentHashMap<>();
        List<Thread> flood = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            flood.add(Thread.ofVirtual().start(() -> {
                for (int round = 0; round < 20; round++) {
                    try {
                        codes.merge(server.send(noisy, "GET", "/version", "").code(), 1, Integer::sum);
                    } catch (Exception e) {
                        codes.merge(-1, 1, Integer::sum);
                    }
                }
            }));
        }
        for (int i = 0; i < 20; i++) {
            assertThat(server.send(quiet, "GET", "/version", "").code()).isEqualTo(200);
        }
        for (Thread thread : flood) {
            thread.join();
        }

        assertThat(codes.keySet()).isSubsetOf(200, 429);
    }

    private String waiting() throws Exception {
        return measured("inqueue_requests");
    }

    /** Lets requests queue at a level that refused them, and makes one wait there: until that is so they are still refused. */
    private CompletableFuture<HttpResponse<String>> firstInQueue(HttpClient client) throws Exception {
        server.patch(LEVELS + "/one", "application/merge-patch+json", """
                {"spec":{"limited":{"limitResponse":{"type":"Queue","queuing":{"queues":1,"handSize":1,"queueLengthLimit":10}}}}}
                """);
        HttpRequest question = HttpRequest.newBuilder(server.uri("/version")).build();
        AtomicReference<CompletableFuture<HttpResponse<String>>> sent =
                new AtomicReference<>(client.sendAsync(question, HttpResponse.BodyHandlers.ofString()));
        await().atMost(Duration.ofMinutes(1)).until(() -> {
            if (sent.get().isDone()) {
                assertThat(sent.get().join().statusCode()).isEqualTo(429);
                sent.set(client.sendAsync(question, HttpResponse.BodyHandlers.ofString()));
            }
            return waiting().equals("1");
        });
        return sent.get();
    }

    private static String request(String method, String body) {
        return method + " /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: localhost\r\n"
                + (body.isEmpty()
                        ? "\r\n"
                        : "Content-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
    }

    /** Clients that would otherwise wait until their time is over, and be counted so. */
    @Test
    @SuppressWarnings("try") // closing is what it is about
    void whoLeavesWhileWaitingLeavesTheQueueAtOnce() throws Exception {
        try (PipedOutputStream unfinished = new PipedOutputStream()) {
            HttpClient jane = busy("jane", new PipedInputStream(unfinished));
            var stream = firstInQueue(client("jane"));
            try (RawConnection reader = new RawConnection(jane.sslContext(), server.port(), "http/1.1");
                    RawConnection writer = new RawConnection(jane.sslContext(), server.port(), "http/1.1")) {
                reader.say(request("GET", ""));
                writer.say(request("POST", "{\"metadata\":{\"name\":\"never\"}}"));
                await().atMost(Duration.ofMinutes(1)).until(() -> waiting().equals("3"));
                stream.cancel(true);
                await().atMost(Duration.ofMinutes(1)).until(() -> waiting().equals("2"));
                reader.close();
                await().atMost(Duration.ofMinutes(1)).until(() -> waiting().equals("1"));
                writer.close();
                await().atMost(Duration.ofMinutes(1)).until(() -> waiting().equals("0"));
            }
            assertThat(server.get("/metrics").body())
                    .contains("apiserver_flowcontrol_rejected_requests_total{flow_schema=\"one\","
                            + "priority_level=\"one\",reason=\"cancelled\"} 3\n");
        }
        assertThat(server.get("/api/v1/namespaces/default/configmaps/never").code())
                .isEqualTo(404);
    }

    /** Looking whether the client is still there reads into its body, which must reach the server all the same. */
    @Test
    @SuppressWarnings("try") // closing is what it is about
    void whoWaitsIsServedWithItsWholeBody() throws Exception {
        try (PipedOutputStream unfinished = new PipedOutputStream()) {
            HttpClient jane = busy("jane", new PipedInputStream(unfinished));
            var first = firstInQueue(client("jane"));
            try (RawConnection small = new RawConnection(jane.sslContext(), server.port(), "http/1.1");
                    RawConnection large = new RawConnection(jane.sslContext(), server.port(), "http/1.1")) {
                small.say(request("POST", "{\"metadata\":{\"name\":\"small\"},\"data\":{\"k\":\"v\"}}"));
                large.say(request(
                        "POST",
                        "{\"metadata\":{\"name\":\"large\"},\"data\":{\"k\":\"" + "v".repeat(100_000) + "\"}}"));
                await().atMost(Duration.ofMinutes(1)).until(() -> waiting().equals("3"));
                await().atMost(Duration.ofMinutes(1))
                        .pollDelay(Duration.ofMillis(600))
                        .until(() -> waiting().equals("3"));
                unfinished.close();

                assertThat(first.get(60, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
                assertThat(small.statusLine()).isEqualTo("HTTP/1.1 201 Created");
                assertThat(large.statusLine()).isEqualTo("HTTP/1.1 201 Created");
            }
        }
        assertThat(server.get("/api/v1/namespaces/default/configmaps/large")
                        .json()
                        .at("/data/k")
                        .asText())
                .hasSize(100_000);
        assertThat(server.get("/api/v1/namespaces/default/configmaps/small")
                        .json()
                        .at("/data/k")
                        .asText())
                .isEqualTo("v");
    }

    @Test
    void watchesHoldNoSeat() throws Exception {
        server.post(LEVELS, """
                {"metadata":{"name":"one"},"spec":{"type":"Limited","limited":{"nominalConcurrencyShares":1,
                "borrowingLimitPercent":0,"limitResponse":{"type":"Reject"}}}}
                """);
        try (var first = server.stream("/api/v1/configmaps?watch=1");
                var second = server.stream("/api/v1/configmaps?watch=1")) {
            assertThat(first).isNotSameAs(second);
            await().atMost(Duration.ofMinutes(1)).until(() -> server.watches() == 2);
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> server.get("/metrics")
                            .body()
                            .contains("apiserver_flowcontrol_current_executing_seats{flow_schema=\"exempt\","
                                    + "priority_level=\"exempt\"} 1\n"));
        }
    }
}
