package lavaflow.apiserver;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Clients that break the rules of the transport are refused, and the server serves the others as before. */
class TransportAttackTest {
    private static final String MAPS = "/api/v1/namespaces/default/configmaps";

    @TempDir
    private static Path directory;

    private static TestingServer server;
    private static SSLContext context;

    @BeforeAll
    static void start() throws Exception {
        server = new TestingServer(directory);
        context = server.anonymous().sslContext();
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    @AfterEach
    void theServerIsHealthy() throws Exception {
        assertThat(server.get("/readyz").code()).isEqualTo(200);
        assertThat(server.get(MAPS).code()).isEqualTo(200);
    }

    private static RawConnection http1() throws Exception {
        return new RawConnection(context, server.port(), "http/1.1");
    }

    private static RawConnection http2() throws Exception {
        return new RawConnection(context, server.port(), "h2");
    }

    /** Listens on a port of its own and hangs up so early that the slowest machine can make it do so. */
    private static HttpTransport impatient() throws Exception {
        HttpTransport transport = new HttpTransport(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                server.authority().issueServer("slow", List.of("localhost"), List.of("127.0.0.1"), Instant.now()),
                new JettyHandler(exchange -> {
                    try {
                        Endpoints.plain(exchange, 200, "fine");
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                }),
                new HttpTransport.Limits(Duration.ofMillis(500), 50));
        transport.start();
        return transport;
    }

    private static boolean isCutOff(RawConnection.Flood flood) throws Exception {
        try (HttpTransport transport = impatient();
                RawConnection connection = new RawConnection(context, transport.port(), "h2").preface()) {
            return connection.isCutOff(200_000, round -> flood.write(connection, round));
        }
    }

    /** The code of the answer, 0 where the server hangs up without one. */
    private static int code(String request) throws Exception {
        try (RawConnection connection = http1()) {
            String line = connection.say(request).statusLine();
            return line.isEmpty() ? 0 : Integer.parseInt(line.split(" ", -1)[1]);
        } catch (IOException e) {
            // Hung up while it was still being spoken to.
            return 0;
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 5\r\nTransfer-Encoding: chunked",
                "Content-Length: 5\r\nContent-Length: 6",
                "Content-Length: 5, 6",
                "Content-Length: +5",
                "Content-Length: -1",
                "Content-Length: 0x5",
                "Transfer-Encoding: chunked, identity",
                "Transfer-Encoding: xchunked",
                "Transfer-Encoding : chunked",
                "Transfer-Encoding:\u000bchunked",
                "X: a\r\n folded",
                "Bad\u0000Name: a",
                ": nameless",
            })
    void requestsThatTwoServersCouldReadDifferentlyAreRefused(String headers) throws Exception {
        String smuggled = "POST /version HTTP/1.1\r\nHost: localhost\r\n" + headers
                + "\r\n\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";

        try (RawConnection connection = http1()) {
            String heard = connection.say(smuggled).heard();
            assertThat(heard).startsWith("HTTP/1.1 ").doesNotContain("HTTP/1.1 200");
            assertThat(heard.split("HTTP/1.1 ", -1)).as("one answer: %s", heard).hasSize(2);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET /version HTTP/1.1\r\n\r\n", "GET /version HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"})
    void aRequestNamesExactlyOneHost(String request) throws Exception {
        assertThat(code(request)).isEqualTo(400);
    }

    @Test
    void aGiantHeaderIsRefused() throws Exception {
        assertThat(code("GET /version HTTP/1.1\r\nHost: localhost\r\nX: " + "a".repeat(1 << 20) + "\r\n\r\n"))
                .isIn(431, 0);
    }

    @Test
    void manyHeadersAreRefused() throws Exception {
        assertThat(code("GET /version HTTP/1.1\r\nHost: localhost\r\n" + "X: a\r\n".repeat(100_000) + "\r\n"))
                .isIn(431, 0);
    }

    @Test
    void aGiantPathIsRefused() throws Exception {
        assertThat(code("GET /" + "a".repeat(1 << 20) + " HTTP/1.1\r\nHost: localhost\r\n\r\n"))
                .isIn(414, 431, 0);
        assertThat(code("GET /" + "a".repeat(20_000) + " HTTP/1.1\r\nHost: localhost\r\n\r\n"))
                .isEqualTo(414);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/v1/namespaces/default/../../../../healthz",
                "/api/v1/%2e%2e/%2e%2e/healthz",
                "/healthz/../api/v1/secrets",
                "/healthz/..%2fapi/v1/secrets",
                "/healthz;/../api/v1/secrets",
                "/version/../api/v1/secrets",
                "//api/v1/secrets",
                "/api/v1/secrets%00",
                "/healthz%00/../api/v1/secrets",
            })
    void pathsAreNotShortenedBehindThePublicOnes(String path) throws Exception {
        int code = code("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");

        assertThat(code).isIn(400, 401, 403, 404);
    }

    @Test
    void absoluteAddressesAndConnectReachNothingElse() throws Exception {
        assertThat(code("CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1:22\r\n\r\n"))
                .isGreaterThanOrEqualTo(400);
        assertThat(code("GET http://127.0.0.1:1/api/v1/secrets HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n"))
                .isIn(400, 401);
    }

    @Test
    void deepJsonIsRefused() throws Exception {
        int depth = 100_000;
        String deep = "{\"metadata\":{\"name\":\"a\"},\"data\":" + "[".repeat(depth) + "]".repeat(depth) + "}";

        assertThat(server.post(MAPS, deep).code()).isEqualTo(400);
        assertThat(server.patch(
                                MAPS + "/a",
                                "application/merge-patch+json",
                                "{\"a\":".repeat(depth) + "1" + "}".repeat(depth))
                        .code())
                .isIn(400, 404);
    }

    @Test
    void anAliasBombIsRefused() throws Exception {
        StringBuilder bomb = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for (int i = 1; i < 12; i++) {
            bomb.append("a").append(i).append(": &a").append(i).append(" [");
            bomb.append(("*a" + (i - 1) + ",").repeat(10)).append("]\n");
        }

        assertThat(server.send(server.admin(), "POST", MAPS, bomb.toString(), "Content-Type", "application/yaml")
                        .code())
                .isIn(400, 413);
        assertThat(server.apply(MAPS + "/a", "m", bomb.toString()).code()).isIn(400, 413);
    }

    @Test
    void aGiantBodyIsRefused() throws Exception {
        String body = "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"" + "x".repeat(4 << 20) + "\"}}";

        assertThat(server.post(MAPS, body).code()).isEqualTo(413);
    }

    @Test
    void slowHeadersAndBodiesHoldUpNobody() throws Exception {
        List<RawConnection> slow = new ArrayList<>();
        try {
            for (int i = 0; i < 100; i++) {
                slow.add(http1().say("GET /version HTTP/1.1\r\nHost: loc"));
                slow.add(http1().say("POST " + MAPS + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{"));
            }
            for (int i = 0; i < 20; i++) {
                assertThat(server.get("/version").code()).isEqualTo(200);
            }
        } finally {
            for (RawConnection connection : slow) {
                connection.close();
            }
        }
    }

    @Test
    void aHeaderThatTakesTooLongIsCutOff() throws Exception {
        try (HttpTransport transport = impatient();
                RawConnection quick = new RawConnection(context, transport.port(), "http/1.1");
                RawConnection slow = new RawConnection(context, transport.port(), "http/1.1")) {
            assertThat(quick.say("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").statusLine())
                    .isEqualTo("HTTP/1.1 200 OK");
            slow.say("GET / HTTP/1.1\r\nHost: localhost\r\n\r\nGET / HTTP/1.1\r\nHo");

            assertThat(slow.isCutOff(1, _ -> slow.say("s"))).isTrue();
            assertThat(quick.say("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                            .heard())
                    .contains("fine");
        }
    }

    @Test
    void thousandsOfConnectionsHoldUpNobody() throws Exception {
        List<Socket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < 2_000; i++) {
                sockets.add(new Socket(InetAddress.getLoopbackAddress(), server.port()));
            }
            assertThat(server.get("/version").code()).isEqualTo(200);
            assertThat(server.send(server.anonymous(), "GET", "/healthz", "").code())
                    .isEqualTo(200);
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    @Test
    void aFloodOfPingsIsCutOff() throws Exception {
        assertThat(isCutOff((connection, _) -> connection.frame(RawConnection.PING, 0, 0, new byte[8])))
                .isTrue();
    }

    @Test
    void aFloodOfSettingsIsCutOff() throws Exception {
        assertThat(isCutOff((connection, _) -> connection.frame(RawConnection.SETTINGS, 0, 0, new byte[0])))
                .isTrue();
    }

    @Test
    void aRapidResetIsCutOff() throws Exception {
        assertThat(isCutOff((connection, round) -> {
                    int stream = 2 * round + 1;
                    connection.frame(RawConnection.HEADERS, 0x5, stream, RawConnection.request());
                    connection.frame(RawConnection.RST_STREAM, 0, stream, new byte[] {0, 0, 0, 8});
                }))
                .isTrue();
    }

    @Test
    void headersThatNeverEndAreCutOff() throws Exception {
        try (RawConnection connection = http2().preface()) {
            connection.frame(RawConnection.HEADERS, 0x1, 1, RawConnection.request());
            assertThat(connection.isCutOff(
                            100_000, _ -> connection.frame(RawConnection.CONTINUATION, 0, 1, new byte[1024])))
                    .isTrue();
        }
    }

    @Test
    void emptyFramesWithoutEndAreCutOff() throws Exception {
        assertThat(isCutOff((connection, round) -> {
                    if (round == 0) {
                        connection.frame(RawConnection.HEADERS, 0x4, 1, RawConnection.request());
                    }
                    connection.frame(RawConnection.DATA, 0, 1, new byte[0]);
                }))
                .isTrue();
    }

    @Test
    void aRequestOverHttp2CannotCarryHeadersOfAConnection() throws Exception {
        try (RawConnection connection = http2().preface()) {
            byte[] start = RawConnection.request();
            byte[] extra = "transfer-encoding".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
            byte[] value = "chunked".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
            byte[] block = java.util.Arrays.copyOf(start, start.length + 3 + extra.length + value.length);
            int at = start.length;
            block[at++] = 0x00;
            block[at++] = (byte) extra.length;
            System.arraycopy(extra, 0, block, at, extra.length);
            at += extra.length;
            block[at++] = (byte) value.length;
            System.arraycopy(value, 0, block, at, value.length);
            connection.frame(RawConnection.HEADERS, 0x5, 1, block);
            connection.frame(RawConnection.GOAWAY, 0, 0, new byte[8]);

            assertThat(connection.say("").heard()).doesNotContain("gitVersion");
        }
    }
}
