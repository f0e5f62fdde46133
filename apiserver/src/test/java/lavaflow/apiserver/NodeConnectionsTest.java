package lavaflow.apiserver;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import lavaflow.kube.Json;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** What clients ask of pods and nodes, as kubelets get to hear it, and what clients hear of their answers. */
class NodeConnectionsTest {
    private static final String PODS = "/api/v1/namespaces/default/pods/";

    @TempDir
    private static Path directory;

    private static TestingServer server;
    private static TestingBackend kubelet;
    /** Nobody else gets a port that is bound, and nobody answers there. */
    private static final Socket SILENT = new Socket();

    @BeforeAll
    static void start() throws Exception {
        server = new TestingServer(directory);
        kubelet = new TestingBackend();
        kubelet.on(
                "/containerLogs/default/one/a",
                (_, _, out) -> TestingBackend.say(
                        out,
                        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nhello\n\r\n0\r\n\r\n"));
        for (String path : List.of("/exec/default/one/a", "/attach/default/one/a", "/portForward/default/one")) {
            kubelet.on(path, (_, _, out) -> {
                TestingBackend.say(
                        out,
                        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n"
                                + "X-Stream-Protocol-Version: v4.channel.k8s.io\r\n\r\nstreams");
                throw new IOException("enough");
            });
        }
        kubelet.on(
                "/healthz", (_, _, out) -> TestingBackend.say(out, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
        node("here", "127.0.0.1", kubelet.port());
        SILENT.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        node("away", "127.0.0.1", SILENT.getLocalPort());
        server.post("/api/v1/nodes", "{\"metadata\":{\"name\":\"nowhere\"}}");
        pod("one", "here", "a");
        pod("two", "here", "a", "b");
        pod("unbound", "", "a");
        pod("lost", "nowhere", "a");
        pod("orphan", "gone", "a");
        pod("silent", "away", "a");
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
        kubelet.close();
        SILENT.close();
    }

    private static void node(String name, String address, int port) throws Exception {
        server.post("/api/v1/nodes", "{\"metadata\":{\"name\":\"" + name + "\"}}");
        server.patch("/api/v1/nodes/" + name + "/status", "application/merge-patch+json", """
                {"status":{"addresses":[{"type":"Hostname","address":"no.such.host.invalid"},
                {"type":"InternalIP","address":"%s"}],"daemonEndpoints":{"kubeletEndpoint":{"Port":%d}}}}
                """.formatted(address, port));
    }

    private static void pod(String name, String node, String... containers) throws Exception {
        StringBuilder list = new StringBuilder();
        for (String container : containers) {
            list.append(list.isEmpty() ? "" : ",").append("{\"name\":\"" + container + "\",\"image\":\"x\"}");
        }
        String bound = node.isEmpty() ? "" : "\"nodeName\":\"" + node + "\",";
        var made = server.post(
                "/api/v1/namespaces/default/pods",
                "{\"metadata\":{\"name\":\"" + name + "\"},\"spec\":{" + bound + "\"containers\":[" + list + "]}}");
        assertThat(made.code()).as(made.body()).isEqualTo(201);
    }

    @Test
    void logsAreTheKubelets() throws Exception {
        var reply = server.get(PODS + "one/log?tailLines=3&timestamps=true&previous=1&sinceTime=2026-01-02T03:04:05.6Z"
                + "&limitBytes=9&pretty=true");

        assertThat(reply.code()).isEqualTo(200);
        assertThat(reply.body()).isEqualTo("hello\n");
        assertThat(reply.response().headers().firstValue("Content-Type")).contains("text/plain");
        assertThat(kubelet.asked("/containerLogs/default/one/a?limitBytes=9&previous=true"
                        + "&sinceTime=2026-01-02T03%3A04%3A05Z&tailLines=3&timestamps=true"))
                .hasSize(1);
    }

    @Test
    void logsCanBeReadOverAWebSocket() throws Exception {
        StringBuilder heard = new StringBuilder();
        CompletableFuture<String> closed = new CompletableFuture<>();
        server.admin()
                .newWebSocketBuilder()
                .subprotocols("binary.k8s.io")
                .buildAsync(
                        URI.create("wss://127.0.0.1:" + server.port() + PODS + "one/log"), new WebSocket.Listener() {
                            @Override
                            public CompletionStage<?> onBinary(WebSocket socket, ByteBuffer data, boolean last) {
                                heard.append(StandardCharsets.UTF_8.decode(data));
                                socket.request(1);
                                return CompletableFuture.completedStage(null);
                            }

                            @Override
                            public CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
                                closed.complete(heard.toString());
                                return CompletableFuture.completedStage(null);
                            }
                        })
                .get(60, TimeUnit.SECONDS);

        assertThat(closed.get(60, TimeUnit.SECONDS)).isEqualTo("hello\n");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            unbound/log                     | 204 |
            two/log                         | 400 | a container name must be specified for pod two, choose one of: [a b]
            two/log?container=c             | 400 | container c is not valid for pod two
            lost/log                        | 500 | no preferred addresses found; known addresses: []
            orphan/log                      | 404 | pods "gone" not found
            absent/log                      | 404 | pods "absent" not found
            one/log?stream=Stdout           | 422 | PodLogOptions "one" is invalid: stream: Forbidden: may not be specified
            one/log?sinceTime=x             | 400 | parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"
            one/exec?command=x&stdout=1     | 400 | Upgrade request required
            unbound/exec?command=x&stdout=1 | 400 | pod unbound does not have a host assigned
            unbound/portforward             | 400 | pod unbound does not have a host assigned
            one/proxy/x                     | 400 | address not allowed
            a:b:c:d/proxy/x                 | 400 | invalid pod request "a:b:c:d"
            """)
    void whatCannotBeAskedIsRefusedAsUpstreamDoes(String path, int code, String message) throws Exception {
        var reply = server.get(PODS + path);

        assertThat(reply.code()).isEqualTo(code);
        if (message != null) {
            assertThat(reply.message()).isEqualTo(message);
        }
    }

    @Test
    void aKubeletThatIsNotThereIsNamed() throws Exception {
        String port = Json.string(Json.at(
                server.get("/api/v1/nodes/away").json(), "status", "daemonEndpoints", "kubeletEndpoint", "Port"));
        String refused = "dial tcp 127.0.0.1:" + port + ": connect: connection refused";

        assertThat(server.get(PODS + "silent/log").message())
                .isEqualTo("Get \"https://127.0.0.1:" + port + "/containerLogs/default/silent/a\": " + refused);
        try (RawConnection client = raw()) {
            client.say(upgrade("POST", PODS + "silent/exec?command=x&stdout=1"));
            assertThat(client.until("\"code\":500")).contains("error dialing backend: " + refused);
        }
    }

    @Test
    void refusalsOfKubeletsAreTold() throws Exception {
        kubelet.on(
                "/containerLogs/default/two/b",
                (_, _, out) ->
                        TestingBackend.say(out, "HTTP/1.1 400 Bad Request\r\nContent-Length: 8\r\n\r\nwaiting!"));

        var reply = server.get(PODS + "two/log?container=b");

        assertThat(reply.code()).isEqualTo(400);
        assertThat(reply.reason()).isEqualTo("BadRequest");
        assertThat(reply.message()).isEqualTo("waiting!");
        assertThat(server.get(PODS + "two/log?container=a").code()).isEqualTo(404);
    }

    private static RawConnection raw() throws IOException {
        return new RawConnection(server.admin().sslContext(), server.port(), "http/1.1");
    }

    private static String upgrade(String method, String path) {
        return method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n"
                + "X-Stream-Protocol-Version: v4.channel.k8s.io\r\nAuthorization: Bearer mine\r\n\r\n";
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            exec?command=sh&command=-c&command=a%20%26b&stdin=true&stdout=true&tty=true | /exec/default/one/a?input=1&output=1&tty=1&command=sh&command=-c&command=a+%26b
            attach?container=a&stdout=true&stderr=true                                   | /attach/default/one/a?output=1&error=1
            portforward?ports=80&ports=81                                                | /portForward/default/one?port=80%2C81
            portforward                                                                  | /portForward/default/one
            """)
    void streamsArePassedOnByteByByte(String path, String asked) throws Exception {
        try (RawConnection client = raw()) {
            client.say(upgrade("POST", PODS + "one/" + path));

            assertThat(client.statusLine()).isEqualTo("HTTP/1.1 101 Switching Protocols");
            assertThat(client.until("streams"))
                    .contains("Upgrade: SPDY/3.1")
                    .contains("X-Stream-Protocol-Version: v4.channel.k8s.io");
        }
        assertThat(kubelet.asked(asked)).isNotEmpty();
        assertThat(kubelet.asked(asked).getLast().head())
                .doesNotContain("Bearer")
                .doesNotContain("X-Remote-User");
    }

    @Test
    void whoMayOnlyReadMayNotRunCommandsOverAWebSocket() throws Exception {
        server.post("/apis/rbac.authorization.k8s.io/v1/clusterroles", """
                {"metadata":{"name":"reads-exec"},"rules":[{"apiGroups":[""],"resources":["pods/exec"],"verbs":["get"]}]}
                """);
        server.post("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", """
                {"metadata":{"name":"reads-exec"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole",
                "name":"reads-exec"},"subjects":[{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"reader"}]}
                """);
        HttpClient reader = server.client(server.authority().issueClient("reader", List.of(), Instant.now()));

        var reply = server.send(reader, "GET", PODS + "one/exec?command=x&stdout=1", "");

        assertThat(reply.code()).isEqualTo(403);
        assertThat(reply.message()).contains("cannot create resource \"pods/exec\"");
    }

    @Test
    void aKubeletIsReachedThroughItsNode() throws Exception {
        assertThat(server.get("/api/v1/nodes/here/proxy/healthz").body()).isEqualTo("ok");
        assertThat(server.get("/api/v1/nodes/here:" + kubelet.port() + "/proxy/healthz")
                        .body())
                .isEqualTo("ok");
        assertThat(server.get("/api/v1/nodes/here:1/proxy/healthz").message()).isEqualTo("address not allowed");
        assertThat(server.get("/api/v1/nodes/other/proxy/healthz").message()).isEqualTo("nodes \"other\" not found");
        assertThat(kubelet.asked("/healthz").getLast().head())
                .contains("X-Forwarded-Uri: /api/v1/nodes/here")
                .contains("X-Forwarded-Proto: https");
    }

    @Test
    void aProgramInAPodIsBelievedWhoeverSignedItsCertificate() throws Exception {
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), kubelet.port());
        try (RemoteConnection connection =
                RemoteConnection.open(List.of(address), "127.0.0.1", new Nodes(null, null).programs())) {
            connection.write("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");

            assertThat(connection.head().code()).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
    void programsAreAskedWithAnyMethod(String method) throws Exception {
        assertThat(server.send(server.admin(), method, "/api/v1/nodes/here/proxy/healthz", "")
                        .body())
                .isEqualTo("ok");
        assertThat(kubelet.asked("/healthz").getLast().head()).startsWith(method + " /healthz ");
    }

    @Test
    void theRootOfAProxyEndsWithASlash() throws Exception {
        var reply = server.get("/api/v1/nodes/here/proxy?a=b");

        assertThat(reply.code()).isEqualTo(301);
        assertThat(reply.response().headers().firstValue("Location")).contains("/api/v1/nodes/here/proxy/?a=b");
    }

    @Test
    void linksOfPagesStayBelowTheProxy() throws Exception {
        kubelet.on(
                "/page",
                (_, _, out) -> TestingBackend.say(
                        out,
                        "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: 33\r\n\r\n"
                                + "<a href=\"/rewriteme\">/nothing</a>"));

        assertThat(server.get("/api/v1/nodes/here/proxy/page").body())
                .isEqualTo("<a href=\"/api/v1/nodes/here/proxy/rewriteme\">/nothing</a>");
    }

    @Test
    void redirectsStayBelowTheProxy() {
        LocalExchange exchange = new LocalExchange("/api/v1/namespaces/n/services/s/proxy/x");
        BackendRequest request = new BackendRequest(exchange, "10.0.0.1:80", "/x", true, "/prefix");

        assertThat(request.answered("Location", "/there")).isEqualTo("/prefix/there");
        assertThat(request.answered("Location", "http://10.0.0.1:80/there")).isEqualTo("/prefix/there");
        assertThat(request.answered("location", "/prefix/there")).isEqualTo("/prefix/there");
        assertThat(request.answered("Location", "there")).isEqualTo("there");
        assertThat(request.answered("Location", "https://elsewhere/there")).isEqualTo("https://elsewhere/there");
        assertThat(request.answered("Location", "//elsewhere/there")).isEqualTo("//elsewhere/there");
        assertThat(request.answered("X-Other", "/there")).isEqualTo("/there");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            web:81/proxy/x    | 503 | no service port 81 found for service "web"
            absent:81/proxy/x | 404 | services "absent" not found
            web/proxy/x       | 404 | services "web" not found
            empty/proxy/x     | 503 | no endpoints available for service "empty"
            led/proxy/x       | 503 | no endpoints available for service "led"
            ::/proxy/x        | 400 | invalid service request "::"
            """)
    void servicesWithoutPodsAreUnavailable(String path, int code, String message) throws Exception {
        for (String name : List.of("web", "empty", "led")) {
            server.post(
                    "/api/v1/namespaces/default/services",
                    "{\"metadata\":{\"name\":\"" + name + "\"},\"spec\":{\"ports\":[{\"port\":80}]}}");
        }
        server.post("/api/v1/namespaces/default/endpoints", "{\"metadata\":{\"name\":\"empty\"}}");
        // Somebody who may write endpoints leads others to an address that is no pod's.
        server.post("/api/v1/namespaces/default/endpoints", """
                {"metadata":{"name":"led"},"subsets":[{"addresses":[{"ip":"10.1.2.3"}],"ports":[{"port":80}]}]}
                """);

        var reply = server.get("/api/v1/namespaces/default/services/" + path);

        assertThat(reply.code()).isEqualTo(code);
        assertThat(reply.message()).isEqualTo(message);
    }
}
