package lavaflow.nodeserver;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class NodeServerTest {
    @TempDir
    private static Path directory;

    private static TestingNode node;
    private static NodeServer server;
    private static SSLContext known;
    private static final CountDownLatch UNFOLLOWED = new CountDownLatch(1);

    /** The owner of the certificate may everything, the token "good" lets look at metrics only. */
    private static final class Access implements NodeAccess {
        @Override
        public Optional<Caller> byCertificate(List<X509Certificate> chain) {
            return chain.isEmpty() ? Optional.empty() : Optional.of(new Caller("api", "", List.of(), Map.of()));
        }

        @Override
        public Optional<Caller> byToken(String token) {
            return token.equals("good")
                    ? Optional.of(new Caller("scraper", "", List.of(), Map.of()))
                    : Optional.empty();
        }

        @Override
        public boolean allows(Caller caller, Wish wish) {
            return caller.name().equals("api") || wish.equals(new Wish("get", List.of("metrics")));
        }
    }

    @BeforeAll
    static void start() throws Exception {
        TestingKeys keys = TestingKeys.selfSigned(directory, "CN=node");
        known = TestingKeys.selfSigned(directory, "CN=api").client();
        node = new TestingNode();
        node.run("default", "p", "uid-1", "c", "d");
        Path log = Files.writeString(directory.resolve("c.log"), """
                2026-11-15T06:45:41.735598401+00:00 stdout F one
                2026-11-15T06:45:42.735598401+00:00 stdout F two
                """);
        node.log("p-c", log, ContainerLogs.Life.OVER);
        node.log("p-d", log, new ContainerLogs.Life() {
            @Override
            public boolean isOver() {
                return false;
            }

            @Override
            public AutoCloseable onEnd(Runnable action) {
                return UNFOLLOWED::countDown;
            }
        });
        Path shown = Files.createDirectories(directory.resolve("shown/sub"));
        Files.writeString(shown.resolveSibling("some.log"), "said\n");
        Files.createSymbolicLink(shown.resolve("out"), Path.of("/etc/hostname"));
        server = new NodeServer(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                keys.key(),
                List.of(keys.certificate()),
                new Access(),
                node,
                new NodeRoutes.Settings(directory.resolve("shown"), InstantSource.system()));
        server.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static TestingClient client() throws IOException {
        return new TestingClient(known, server.port());
    }

    @Test
    void nobodyUnknownIsAnswered() throws Exception {
        try (TestingClient client = new TestingClient(TestingKeys.nobody(), server.port())) {
            assertThat(client.ask("GET", "/healthz")).isEqualTo("401 Unauthorized\n");
            assertThat(client.ask("GET", "/metrics/resource", "Authorization: Bearer bad"))
                    .startsWith("401");
        }
    }

    @Test
    void whoIsKnownMayDoWhatTheyMay() throws Exception {
        try (TestingClient client = new TestingClient(TestingKeys.nobody(), server.port())) {
            assertThat(client.ask("GET", "/metrics/resource", "Authorization: Bearer good"))
                    .startsWith("200 # TYPE node_cpu");
            assertThat(client.ask("GET", "/pods", "Authorization: Bearer good"))
                    .isEqualTo("403 Forbidden (user=scraper, verb=get, resource=nodes, subresource(s)=[pods proxy])\n");
        }
    }

    @Test
    void aCommandIsNotOnlyRead() throws Exception {
        try (TestingClient client = new TestingClient(TestingKeys.nobody(), server.port())) {
            assertThat(client.ask("GET", "/exec/default/p/c?command=x&output=1", "Authorization: Bearer good"))
                    .contains("verb=create");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            /healthz                                             | 200 ok
            /nothing                                             | 404 404 page not found
            /metrics/nothing                                     | 404 404 page not found
            /containerLogs/default/p/c                           | 200 one
            /containerLogs/default/p/c?tailLines=1               | 200 two
            /containerLogs/default/q/c                           | 404 pod does not exist
            /containerLogs/default/p/e                           | 404 container "e" not found in pod "p"
            /containerLogs/default/p                             | 404 404 page not found
            /containerLogs/default/p/c?tailLines=-1              | 422 {"message": "Invalid request."}
            /containerLogs/default/p/c?tailLines=x               | 400 {"message": "Unable to decode query."}
            /containerLogs/default/p/c?sinceTime=x               | 400 {"message": "Unable to decode query."}
            /containerLogs/default/p/c?stream=Stdout&tailLines=1 | 422 {"message": "Invalid request."}
            /containerLogs/default/p/c?previous=true             | 400 previous terminated container "c" in pod "p" not found
            /exec/default/p/c?command=x                          | 400 you must specify at least 1 of stdin, stdout, stderr
            /exec/default/p/c?output=1                           | 400 you must specify at least one command
            /exec/default/p/e?command=x&output=1                 | 404 container not found ("e")
            /exec/default/q/c?command=x&output=1                 | 404 pod does not exist
            /exec/default/p/uid-2/c?command=x&output=1           | 404 pod does not exist
            /exec/default/p/c?command=x&output=1                 | 400 unable to upgrade: missing upgrade headers in request
            /portForward/default/p                               | 400 unable to upgrade: missing upgrade headers in request
            /logs/some.log                                       | 200 said
            /logs/../c.log                                       | 404 404 page not found
            /logs/%2e%2e/c.log                                   | 404 404 page not found
            /logs/..%2fc.log                                     | 404 404 page not found
            /logs/sub/out                                        | 404 404 page not found
            """)
    void pathsAnswerAsKubeletsDo(String path, String answer) throws Exception {
        try (TestingClient client = client()) {
            assertThat(client.ask("GET", path)).startsWith(answer);
        }
    }

    @Test
    void oneConnectionServesManyRequests() throws Exception {
        try (TestingClient client = client()) {
            for (int i = 0; i < 5; i++) {
                assertThat(client.ask("GET", "/healthz")).isEqualTo("200 ok");
                assertThat(client.ask("GET", "/stats/summary")).contains("\"podRef\"");
            }
        }
    }

    @Test
    void podsAreShown() throws Exception {
        try (TestingClient client = client()) {
            String answer = client.ask("GET", "/pods");
            ObjectNode list = Json.parseObject(answer.substring(4).getBytes(java.nio.charset.StandardCharsets.UTF_8));
            assertThat(Json.textAt(list, "kind")).isEqualTo("PodList");
            assertThat(list.path("items")).hasSize(1);
            assertThat(client.ask("GET", "/runningpods/")).contains("uid-1");
            assertThat(client.ask("GET", "/metrics/cadvisor"))
                    .contains("container_memory_working_set_bytes{container=\"c\",id=\"/kubepods/poduid-1/c\","
                            + "namespace=\"default\",pod=\"p\"} 10485760");
        }
    }

    @Test
    void aCommandCanBeRunWithoutStreams() throws Exception {
        try (TestingClient client = client()) {
            assertThat(client.ask("POST", "/run/default/p/c?cmd=echo%20hello", "Content-Length: 0"))
                    .isEqualTo("200 hello\n");
            assertThat(client.ask("POST", "/run/default/p/c?cmd=false", "Content-Length: 0"))
                    .isEqualTo("500 \ncommand terminated with exit code 1");
            assertThat(client.ask("GET", "/run/default/p/c?cmd=false")).startsWith("405");
        }
    }

    @Test
    void whatIsNoRequestIsRefused() throws Exception {
        for (String nonsense : List.of(
                "nonsense\r\n\r\n",
                "GET / HTTP/2.0\r\n\r\n",
                "GET relative HTTP/1.1\r\n\r\n",
                "GET /%zz HTTP/1.1\r\n\r\n",
                "GET / HTTP/1.1\r\nno colon\r\n\r\n",
                "GET / HTTP/1.1\r\nX: " + "x".repeat(70_000) + "\r\n\r\n",
                "GET / HTTP/1.1\r\n" + "X: y\r\n".repeat(200) + "\r\n")) {
            try (TestingClient client = client()) {
                client.say(nonsense);
                assertThat(client.head()).startsWith("HTTP/1.1 400 ");
            }
        }
    }

    @Test
    void followingEndsWithItsClient() throws Exception {
        try (TestingClient client = client()) {
            client.say("GET /containerLogs/default/p/d?follow=true HTTP/1.1\r\nHost: x\r\n\r\n");
            assertThat(client.head()).startsWith("HTTP/1.1 200 OK");
            assertThat(new String(client.in().readNBytes(13), java.nio.charset.StandardCharsets.US_ASCII))
                    .isEqualTo("8\r\none\ntwo\n\r\n");
        }

        assertThat(UNFOLLOWED.await(60, TimeUnit.SECONDS)).isTrue();
    }
}
