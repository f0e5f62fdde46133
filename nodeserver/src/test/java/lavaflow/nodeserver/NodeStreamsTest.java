package lavaflow.nodeserver;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLContext;

import lavaflow.kube.Json;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Commands and ports, over both protocols, with real processes and sockets. */
class NodeStreamsTest {
    private static final String SUCCESS = "{\"metadata\":{},\"status\":\"Success\"}";

    @TempDir
    private static Path directory;

    private static TestingNode node;
    private static NodeServer server;
    private static SSLContext known;
    private static ServerSocket echo;

    @BeforeAll
    static void start() throws Exception {
        TestingKeys keys = TestingKeys.selfSigned(directory, "CN=node");
        known = TestingKeys.selfSigned(directory, "CN=api").client();
        node = new TestingNode();
        node.run("default", "p", "uid-1", "c");
        NodeAccess everybody = new NodeAccess() {
            @Override
            public Optional<Caller> byCertificate(List<X509Certificate> chain) {
                return Optional.of(new Caller("api", "", List.of(), Map.of()));
            }

            @Override
            public Optional<Caller> byToken(String token) {
                return Optional.empty();
            }

            @Override
            public boolean allows(Caller caller, Wish wish) {
                return true;
            }
        };
        server = new NodeServer(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                keys.key(),
                List.of(keys.certificate()),
                everybody,
                node,
                new NodeRoutes.Settings(null, InstantSource.system()));
        server.start();
        echo = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.startVirtualThread(NodeStreamsTest::echoAll);
    }

    @AfterAll
    static void stop() throws IOException {
        server.close();
        echo.close();
    }

    /** Says everything again, and ends when the other side does. */
    private static void echoAll() {
        while (!echo.isClosed()) {
            try {
                Socket socket = echo.accept();
                Thread.startVirtualThread(() -> {
                    try (socket;
                            InputStream in = socket.getInputStream();
                            OutputStream out = socket.getOutputStream()) {
                        in.transferTo(out);
                    } catch (IOException e) {
                        // Gone.
                    }
                });
            } catch (IOException e) {
                return;
            }
        }
    }

    private static TestingClient client() throws IOException {
        return new TestingClient(known, server.port());
    }

    private static String shell(String script) {
        return "/exec/default/p/c?command=sh&command=-c&command="
                + java.net.URLEncoder.encode(script, java.nio.charset.StandardCharsets.UTF_8);
    }

    @Test
    void aWebSocketOfVersionFiveCanEndTheInputAlone() throws Exception {
        try (TestingClient client = client()) {
            assertThat(client.webSocket(shell("cat; echo end >&2") + "&input=1&output=1&error=1", "v5.channel.k8s.io"))
                    .startsWith("HTTP/1.1 101 ")
                    .contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
                    .contains("Sec-WebSocket-Protocol: v5.channel.k8s.io");
            assertThat(client.message()).as("everything stands").containsExactly(1);
            client.message(false, (byte) 0, (byte) 'h', (byte) 'i');
            client.message(false, (byte) 255, (byte) 0);

            String[] said = client.channels();
            assertThat(said[1]).isEqualTo("hi");
            assertThat(said[2]).isEqualTo("end\n");
            assertThat(said[3]).isEqualTo(SUCCESS);
        }
    }

    @Test
    void anExitCodeIsTold() throws Exception {
        try (TestingClient client = client()) {
            client.webSocket(shell("exit 3") + "&output=1", "v4.channel.k8s.io");

            var status = Json.parse(client.channels()[3]);
            assertThat(Json.textAt(status, "reason")).isEqualTo("NonZeroExitCode");
            assertThat(Json.textAt(status, "message")).endsWith("exit code 3");
            assertThat(Json.string(Json.at(status, "details", "causes")))
                    .isEqualTo("[{\"reason\":\"ExitCode\",\"message\":\"3\"}]");
        }
    }

    @Test
    void theOldestProtocolTellsInWords() throws Exception {
        try (TestingClient client = client()) {
            client.webSocket(shell("echo out; exit 3") + "&output=1", "channel.k8s.io");

            String[] said = client.channels();
            assertThat(said[1]).isEqualTo("out\n");
            assertThat(said[3]).startsWith("command terminated with non-zero exit code:");
        }
    }

    @Test
    void channelsMayBeText() throws Exception {
        try (TestingClient client = client()) {
            client.webSocket("/exec/default/p/c?command=cat&input=1&output=1", "v4.base64.channel.k8s.io");
            assertThat(client.message()).asString().isEqualTo("1");
            client.message(true, "0aGk=".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
            assertThat(client.message()).asString().isEqualTo("1aGk=");
        }
    }

    @Test
    void aCommandThatCannotBeRunIsExplained() throws Exception {
        try (TestingClient client = client()) {
            client.webSocket("/exec/default/p/c?command=no-such-program&output=1", "v5.channel.k8s.io");

            var status = Json.parse(client.channels()[3]);
            assertThat(Json.textAt(status, "reason")).isEqualTo("InternalError");
            assertThat(Json.textAt(status, "message"))
                    .startsWith("Internal error occurred: error executing command in container: ");
        }
    }

    @Test
    void protocolsNobodySpeaksAreRefused() throws Exception {
        try (TestingClient client = client()) {
            assertThat(client.webSocket(shell("true") + "&output=1", "v9.channel.k8s.io"))
                    .startsWith("HTTP/1.1 400 ");
        }
        try (TestingClient client = client()) {
            assertThat(client.spdy(shell("true") + "&output=1", "v9.channel.k8s.io"))
                    .startsWith("HTTP/1.1 403 ")
                    .contains("X-Accepted-Stream-Protocol-Versions: v5.channel.k8s.io, v4.channel.k8s.io");
        }
    }

    @Test
    void theProcessEndsWithItsClient() throws Exception {
        long pid;
        try (TestingClient client = client()) {
            client.webSocket(shell("echo $$; exec sleep 1000") + "&output=1", "v5.channel.k8s.io");
            client.message();
            byte[] said = client.message();
            assertThat(said).isNotNull();
            pid = Long.parseLong(new String(said, java.nio.charset.StandardCharsets.US_ASCII)
                    .substring(1)
                    .strip());
            assertThat(ProcessHandle.of(pid)).isPresent();
        }
        await().atMost(Duration.ofMinutes(1))
                .until(() ->
                        ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isEmpty());
    }

    @Test
    void spdyHasAStreamForEachOfTheirs() throws Exception {
        try (TestingClient client = client()) {
            assertThat(client.spdy(
                            shell("cat; exit 2") + "&input=1&output=1", "v5.channel.k8s.io", "v4.channel.k8s.io"))
                    .startsWith("HTTP/1.1 101 ")
                    .contains("X-Stream-Protocol-Version: v5.channel.k8s.io");
            TestingSpdy spdy = new TestingSpdy(client.in(), client.out());
            spdy.open(1, Map.of("streamtype", "error"));
            spdy.open(3, Map.of("streamType", "stdin"));
            spdy.open(5, Map.of("streamtype", "stdout"));
            spdy.say(3, "hello", true);

            assertThat(spdy.all(5)).isEqualTo("hello");
            assertThat(spdy.all(1)).contains("NonZeroExitCode").contains("\"message\":\"2\"");
            assertThat(spdy.next().type()).isEqualTo(TestingSpdy.GOAWAY);
        }
    }

    @Test
    void theSizeOfATerminalArrives() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/script")), "needs script to have a terminal");
        try (TestingClient client = client()) {
            client.webSocket("/exec/default/p/c?command=cat&input=1&output=1&tty=1", "v5.channel.k8s.io");
            client.message(
                    false, "\4{\"Width\":123,\"Height\":45}".getBytes(java.nio.charset.StandardCharsets.US_ASCII));

            await().atMost(Duration.ofMinutes(1)).until(() -> node.sizes().contains("123x45"));
        }
    }

    @Test
    void aProgramCanBeAttachedTo() throws Exception {
        Process program = new ProcessBuilder("sh", "-c", "read line; echo got $line").start();
        node.program("c", program);
        try (TestingClient client = client()) {
            client.webSocket("/attach/default/p/c?input=1&output=1", "v5.channel.k8s.io");
            client.message();
            client.message(false, "\0it\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII));

            String[] said = client.channels();
            assertThat(said[1]).isEqualTo("got it\n");
            assertThat(said[3]).isEqualTo(SUCCESS);
        }
    }

    @Test
    void manyConnectionsToAPortShareOneOfSpdy() throws Exception {
        try (TestingClient client = client()) {
            client.spdy("/portForward/default/p", "portforward.k8s.io");
            TestingSpdy spdy = new TestingSpdy(client.in(), client.out());
            for (int i = 0; i < 20; i++) {
                Map<String, String> port = Map.of("port", Integer.toString(echo.getLocalPort()), "requestid", "" + i);
                spdy.open(4 * i + 1, with(port, "error"));
                spdy.open(4 * i + 3, with(port, "data"));
                spdy.say(4 * i + 3, "hello " + i, true);
                assertThat(spdy.all(4 * i + 3)).isEqualTo("hello " + i);
            }
        }
    }

    private static Map<String, String> with(Map<String, String> headers, String type) {
        Map<String, String> more = new java.util.LinkedHashMap<>(headers);
        more.put("streamtype", type);
        return more;
    }

    @Test
    void aPortNobodyListensAtIsExplained() throws Exception {
        // Has a port that nobody else can get, and does not listen.
        try (java.net.Socket deaf = new java.net.Socket();
                TestingClient client = client()) {
            deaf.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            int port = deaf.getLocalPort();
            client.spdy("/portForward/default/p/uid-1", "portforward.k8s.io");
            TestingSpdy spdy = new TestingSpdy(client.in(), client.out());
            spdy.open(1, Map.of("streamtype", "error", "port", "" + port, "requestid", "7"));
            spdy.open(3, Map.of("streamtype", "data", "port", "" + port, "requestid", "7"));

            assertThat(spdy.all(1))
                    .isEqualTo("error forwarding port " + port + " to pod p_default, uid uid-1: Connection refused");
        }
    }

    @Test
    void aStreamForNoPortIsReset() throws Exception {
        try (TestingClient client = client()) {
            client.spdy("/portForward/default/p", "portforward.k8s.io");
            TestingSpdy spdy = new TestingSpdy(client.in(), client.out());
            spdy.open(1, Map.of("streamtype", "error", "port", "99999"));
            spdy.next();
            assertThat(spdy.next().type()).isEqualTo(TestingSpdy.RST_STREAM);
        }
    }

    @Test
    void portsAreForwardedOverChannelsToo() throws Exception {
        try (TestingClient client = client()) {
            client.webSocket("/portForward/default/p?port=" + echo.getLocalPort(), "v4.channel.k8s.io");
            byte[] name = {(byte) echo.getLocalPort(), (byte) (echo.getLocalPort() >> 8)};
            assertThat(client.message()).containsExactly(0, name[0], name[1]);
            assertThat(client.message()).containsExactly(1, name[0], name[1]);
            client.message(false, (byte) 0, (byte) 'h', (byte) 'i');
            assertThat(client.message()).containsExactly(0, 'h', 'i');
        }
    }

    @Test
    void spdyMayTravelInsideAWebSocket() throws Exception {
        try (TestingClient client = client()) {
            assertThat(client.webSocket("/portForward/default/p", "SPDY/3.1+portforward.k8s.io"))
                    .contains("Sec-WebSocket-Protocol: SPDY/3.1+portforward.k8s.io");
            var frames = new java.io.ByteArrayOutputStream();
            TestingSpdy spdy = new TestingSpdy(InputStream.nullInputStream(), frames);
            spdy.control(3, TestingSpdy.PING, new byte[] {0, 0, 0, 1});
            client.message(false, frames.toByteArray());

            assertThat(client.message()).containsExactly(0x80, 3, 0, 6, 0, 0, 0, 4, 0, 0, 0, 1);
        }
    }
}
