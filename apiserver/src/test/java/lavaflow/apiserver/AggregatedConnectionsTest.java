package lavaflow.apiserver;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import lavaflow.access.User;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/** Connections to the servers behind APIServices: used again, handed over to other protocols, given up with their clients. */
class AggregatedConnectionsTest {
    private static final String BASE = "/apis/raw.example.com/v1";

    @TempDir
    private static Path directory;

    private static TestingServer server;
    private static TestingBackend backend;

    @BeforeAll
    static void start() throws Exception {
        server = new TestingServer(directory);
        backend = new TestingBackend();
        backend.onJson(BASE, """
                {"kind":"APIResourceList","apiVersion":"v1","groupVersion":"raw.example.com/v1","resources":[]}""");
        backend.on(BASE + "/echo", AggregatedConnectionsTest::echo);
        backend.register(server, "raw.example.com");
        // Its group is listed before anybody looked whether it answers.
        await().atMost(Duration.ofMinutes(1))
                .until(() -> server.get("/apis/apiregistration.k8s.io/v1/apiservices/v1.raw.example.com")
                        .body()
                        .contains("all checks passed"));
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
        backend.close();
    }

    /** Agrees to any protocol, and says everything again, beginning with a greeting. */
    private static void echo(TestingBackend.Asked asked, InputStream in, OutputStream out) throws IOException {
        String protocol = asked.has("Upgrade: SPDY/3.1") ? "SPDY/3.1" : "websocket";
        TestingBackend.say(
                out,
                "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: " + protocol
                        + "\r\nX-Stream-Protocol-Version: v4.channel.k8s.io\r\n\r\nhello ");
        byte[] buffer = new byte[1024];
        for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
            if (new String(buffer, 0, read, StandardCharsets.ISO_8859_1).contains("bye")) {
                throw new IOException("bye");
            }
            out.write(buffer, 0, read);
            out.flush();
        }
        throw new IOException("the client left");
    }

    private static RawConnection raw() throws IOException {
        return new RawConnection(server.admin().sslContext(), server.port(), "http/1.1");
    }

    private static String upgrade(String method, String path, String protocol, String... headers) {
        String more = headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n";
        return method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: " + protocol
                + "\r\n" + more + "\r\n";
    }

    @Test
    void otherProtocolsAreSpokenThroughThisServer() throws Exception {
        try (RawConnection client = raw()) {
            client.say(upgrade("POST", BASE + "/echo", "SPDY/3.1", "X-Stream-Protocol-Version: v4.channel.k8s.io"));

            assertThat(client.statusLine()).isEqualTo("HTTP/1.1 101 Switching Protocols");
            assertThat(client.until("hello "))
                    .containsIgnoringCase("Connection: Upgrade")
                    .contains("Upgrade: SPDY/3.1")
                    .contains("X-Stream-Protocol-Version: v4.channel.k8s.io");
            assertThat(client.say("one").until("one")).isEqualTo("one");
            assertThat(client.say("two").until("two")).isEqualTo("two");
        }
        assertThat(backend.asked(BASE + "/echo").getFirst().head())
                .contains("X-Remote-User: admin")
                .contains("Upgrade: SPDY/3.1")
                .doesNotContain("Authorization");
    }

    @Test
    void theFirstBytesOfTheClientMayComeWithItsRequest() throws Exception {
        try (RawConnection client = raw()) {
            client.say(upgrade("GET", BASE + "/echo", "websocket") + "early");

            assertThat(client.until("early")).contains("101").contains("hello ");
        }
    }

    @Test
    void whenTheOtherServerHangsUpSoDoesThisOne() throws Exception {
        try (RawConnection client = raw()) {
            client.say(upgrade("GET", BASE + "/echo", "websocket")).until("hello ");

            assertThat(client.say("bye").heard()).isEmpty();
        }
    }

    @Test
    void whenTheClientHangsUpTheOtherServerLearnsOfIt() throws Exception {
        CountDownLatch left = new CountDownLatch(1);
        backend.on(BASE + "/left", (asked, in, out) -> {
            try {
                echo(asked, in, out);
            } finally {
                left.countDown();
            }
        });

        try (RawConnection client = raw()) {
            client.say(upgrade("GET", BASE + "/left", "websocket")).until("hello ");
        }

        assertThat(left.await(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void webSocketsWorkFromEndToEnd() throws Exception {
        backend.on(BASE + "/socket", (asked, _, out) -> {
            String key = asked.head().replaceAll("(?is).*sec-websocket-key: ([^\r]*)\r.*", "$1");
            TestingBackend.say(
                    out,
                    "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                            + "Sec-WebSocket-Accept: " + accept(key) + "\r\n\r\n");
            out.write(new byte[] {(byte) 0x81, 2, 'h', 'i', (byte) 0x88, 0});
            out.flush();
        });
        var heard = new java.util.concurrent.CompletableFuture<String>();

        server.admin()
                .newWebSocketBuilder()
                .buildAsync(
                        java.net.URI.create(
                                server.uri(BASE + "/socket").toString().replace("https:", "wss:")),
                        new java.net.http.WebSocket.Listener() {
                            @Override
                            public java.util.concurrent.CompletionStage<?> onText(
                                    java.net.http.WebSocket socket, CharSequence data, boolean last) {
                                heard.complete(data.toString());
                                return null;
                            }
                        })
                .join();

        assertThat(heard.get(60, TimeUnit.SECONDS)).isEqualTo("hi");
    }

    private static String accept(String key) {
        try {
            byte[] digest = java.security.MessageDigest.getInstance("SHA-1")
                    .digest((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").getBytes(StandardCharsets.US_ASCII));
            return Base64.getEncoder().encodeToString(digest);
        } catch (java.security.NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aRefusalOfTheOtherServerIsPassedOnAndTheConnectionStaysHttp() throws Exception {
        backend.on(
                BASE + "/refused",
                (_, _, out) -> TestingBackend.say(
                        out, "HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\nno!\n"));

        try (RawConnection client = raw()) {
            client.say(upgrade("GET", BASE + "/refused", "websocket"));
            assertThat(client.statusLine()).isEqualTo("HTTP/1.1 403 Forbidden");
            assertThat(client.until("0\r\n\r\n")).contains("text/plain").contains("no!");
            // What follows must not reach the other server in this server's name.
            client.say("GET " + BASE + "/smuggled HTTP/1.1\r\nHost: localhost\r\nX-Remote-User: boss\r\n\r\n");
            assertThat(client.statusLine()).contains("404");
        }
        assertThat(backend.asked(BASE + "/smuggled"))
                .singleElement()
                .satisfies(asked -> assertThat(asked.head())
                        .contains("X-Remote-User: admin")
                        .doesNotContain("boss"));
    }

    @Test
    void anAnswerThatIsNeitherAgreementNorRefusalIsAnError() throws Exception {
        backend.onJson(BASE + "/plain", "{}");

        try (RawConnection client = raw()) {
            client.say(upgrade("GET", BASE + "/plain", "websocket"));

            assertThat(client.statusLine()).contains("503");
            assertThat(client.until("200\n")).contains("invalid upgrade response: status code 200");
        }
    }

    @Test
    void unencryptedHttp2IsNoProtocolToChangeTo() throws Exception {
        backend.onJson(BASE + "/h2c", "{}");

        try (RawConnection client = raw()) {
            client.say(upgrade("GET", BASE + "/h2c", "h2c"));

            assertThat(client.statusLine()).isEqualTo("HTTP/1.1 200 OK");
        }
        assertThat(backend.asked(BASE + "/h2c").getFirst().has("Upgrade")).isFalse();
    }

    @Test
    void aTokenInTheNameOfAProtocolSaysWhoAsksAndGoesNoFurther() throws Exception {
        server.post("/api/v1/namespaces/default/serviceaccounts", "{\"metadata\":{\"name\":\"browser\"}}");
        server.post("/apis/rbac.authorization.k8s.io/v1/clusterroles", """
                {"metadata":{"name":"echo"},"rules":[{"verbs":["get","list"],"apiGroups":["raw.example.com"],"resources":["echo"]}]}
                """);
        server.post("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", """
                {"metadata":{"name":"echo"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole",
                "name":"echo"},"subjects":[{"kind":"ServiceAccount","name":"browser","namespace":"default"}]}
                """);
        String token = server.post(
                        "/api/v1/namespaces/default/serviceaccounts/browser/token",
                        "{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"TokenRequest\",\"spec\":{}}")
                .json()
                .at("/status/token")
                .asText();
        String name = "base64url.bearer.authorization.k8s.io."
                + Base64.getUrlEncoder().withoutPadding().encodeToString(token.getBytes(StandardCharsets.US_ASCII));
        HttpClient anonymous = server.anonymous();

        await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
            try (RawConnection client = new RawConnection(anonymous.sslContext(), server.port(), "http/1.1")) {
                client.say(upgrade(
                        "GET", BASE + "/echo?browser", "websocket", "Sec-WebSocket-Protocol: " + name + ", chat"));
                assertThat(client.statusLine()).contains("101");
            }
        });
        assertThat(backend.asked(BASE + "/echo?browser").getLast().head())
                .contains("X-Remote-User: system:serviceaccount:default:browser")
                .containsIgnoringCase("Sec-WebSocket-Protocol: chat\r\n")
                .doesNotContain("bearer");
        // Without another protocol the answer would have to name the token.
        try (RawConnection client = new RawConnection(anonymous.sslContext(), server.port(), "http/1.1")) {
            client.say(upgrade("GET", BASE + "/echo", "websocket", "Sec-WebSocket-Protocol: " + name));
            assertThat(client.statusLine()).contains("401");
        }
    }

    @Test
    void oneConnectionServesManyRequests() throws Exception {
        backend.onJson(BASE + "/many", "{}");

        for (int i = 0; i < 20; i++) {
            assertThat(server.post(BASE + "/many", "{\"a\":1}").code()).isEqualTo(200);
        }

        // Those who look whether the server is there, and what it serves, leave connections behind that may be taken as
        // well.
        assertThat(backend.asked(BASE + "/many").stream()
                        .map(TestingBackend.Asked::connection)
                        .distinct())
                .hasSizeBetween(1, 3);
    }

    @Test
    void aConnectionTheOtherServerClosedMeanwhileIsReplacedUnnoticed() throws Exception {
        backend.onJson(BASE + "/again", "{\"still\":\"there\"}");
        server.get(BASE + "/again");
        backend.dropIdleConnections();

        assertThat(server.get(BASE + "/again").body()).isEqualTo("{\"still\":\"there\"}");
    }

    @Test
    void anAnswerThatBreaksOffLooksBrokenToTheClient() {
        backend.on(BASE + "/broken", (_, _, out) -> {
            TestingBackend.say(out, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n");
            throw new IOException("enough");
        });

        assertThatThrownBy(() -> server.get(BASE + "/broken")).isInstanceOf(IOException.class);
    }

    @Test
    void trailersAndInterimAnswersDoNotConfuseTheNextRequest() throws Exception {
        backend.on(
                BASE + "/odd",
                (_, _, out) -> TestingBackend.say(
                        out,
                        "HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Trailer: yes\r\n\r\n"));

        assertThat(server.get(BASE + "/odd").body()).isEqualTo("ok");
        assertThat(server.get(BASE + "/odd").body()).isEqualTo("ok");
    }

    @Test
    void aQuietWatchEndsWithItsClient() throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        backend.on(BASE + "/things", (_, in, out) -> {
            TestingBackend.say(out, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nc\r\n{\"type\":\"a\"}\r\n");
            try {
                if (in.read() < 0) {
                    throw new IOException("the client left");
                }
            } finally {
                ended.countDown();
            }
        });

        try (RawConnection client = raw()) {
            client.say("GET " + BASE + "/things?watch=1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assertThat(client.until("}")).contains("{\"type\":\"a\"}");
        }

        assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aWatchOverHttp2IsGivenUpAtOnce() throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        backend.on(BASE + "/others", (_, in, out) -> {
            TestingBackend.say(out, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n");
            try {
                if (in.read() < 0) {
                    throw new IOException("the client left");
                }
            } finally {
                ended.countDown();
            }
        });

        try (BufferedReader watch = new BufferedReader(
                new InputStreamReader(server.stream(BASE + "/others?watch=1"), StandardCharsets.UTF_8))) {
            assertThat(watch.read()).isEqualTo('{');
        }

        assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void onlySoManyConversationsAreHeldAtOnce() throws Exception {
        LocalExchange exchange = new LocalExchange(BASE + "/echo");
        RemoteUpgrades full = new RemoteUpgrades(0, Duration.ofSeconds(1));

        full.pass(new RemoteRequest(exchange, null, User.ANONYMOUS, "id"), "websocket", connect());

        assertThat(exchange.status()).isEqualTo(503);
        assertThat(new String(exchange.answer(), StandardCharsets.UTF_8)).isEqualTo("too many upgraded connections\n");
    }

    @Test
    void aConversationInWhichNobodySpeaksEnds() throws Exception {
        RemoteUpgrades upgrades = new RemoteUpgrades(1, Duration.ofMillis(300));
        RemoteConnection connection = connect();
        connection.write(upgrade("GET", BASE + "/echo", "websocket"));
        connection.head();
        try (var nothing = new PipedInputStream();
                var _ = new PipedOutputStream(nothing)) {
            assertThatThrownBy(() -> upgrades.relay(connection).hold(nothing, OutputStream.nullOutputStream()))
                    .hasMessage("nothing was said for too long");
        }
    }

    private static RemoteConnection connect() throws IOException {
        return RemoteConnection.open(
                List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), backend.port())),
                "backend.default.svc",
                new WebhookTrust().sockets(backend.caBundle(), null, false));
    }
}
