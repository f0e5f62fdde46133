package lavaflow.apiserver;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import lavaflow.kube.Json;
import lavaflow.store.Mutation;
import lavaflow.store.Store;
import lavaflow.store.StoreOptions;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Webhooks are asked over TLS within bounds of time and size, and failures are told in upstream's words. */
final class WebhookClientTest {
    private static final Duration SECONDS = Duration.ofSeconds(60);
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final int MOST = 1 << 20;

    @TempDir
    private Path directory;

    private Store store;
    private WebhookClient client;

    @BeforeEach
    void open() throws Exception {
        store = Store.open(directory, StoreOptions.defaults());
        client = new WebhookClient(store);
    }

    @AfterEach
    void close() throws Exception {
        client.close();
        store.close();
    }

    private static ObjectNode question() {
        return Json.object().put("kind", "AdmissionReview");
    }

    private void assertFails(JsonNode config, Duration timeout, String message) {
        assertThatThrownBy(() -> client.post(config, question(), timeout, MOST))
                .isInstanceOf(WebhookFailure.class)
                .hasMessage(message);
    }

    @Test
    void anAnswerIsParsed() throws Exception {
        try (TestingWebhook webhook = TestingWebhook.saying(TestingWebhook.json("{\"kind\":\"X\"}"))) {
            ObjectNode answer = client.post(webhook.config(), question(), SECONDS, MOST);
            assertThat(Json.textAt(answer, "kind")).isEqualTo("X");
        }
    }

    @Test
    void connectionsAreUsedAgain() throws Exception {
        try (TestingWebhook webhook = TestingWebhook.saying(TestingWebhook.json("{}"))) {
            for (int i = 0; i < 5; i++) {
                client.post(webhook.config(), question(), SECONDS, MOST);
            }
            assertThat(webhook.connections()).isEqualTo(1);
        }
    }

    @Test
    void aConnectionClosedMeanwhileIsReplaced() throws Exception {
        try (TestingWebhook webhook = new TestingWebhook(List.of(), List.of("127.0.0.1"), (_, out) -> {
            out.write(TestingWebhook.json("{}").getBytes(StandardCharsets.UTF_8));
            out.flush();
            out.close();
        })) {
            client.post(webhook.config(), question(), SECONDS, MOST);
            client.post(webhook.config(), question(), SECONDS, MOST);
            assertThat(webhook.connections()).isEqualTo(2);
        }
    }

    @Test
    void chunkedAnswersAreRead() throws Exception {
        String response = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"a\":\r\n2;x\r\n1}\r\n0\r\n\r\n";
        try (TestingWebhook webhook = TestingWebhook.saying(response)) {
            assertThat(Json.longAt(client.post(webhook.config(), question(), SECONDS, MOST), 0, "a"))
                    .isEqualTo(1);
        }
    }

    @Test
    void aWebhookThatHangsIsGivenUp() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        try (TestingWebhook webhook = new TestingWebhook(List.of(), List.of("127.0.0.1"), (_, _) -> never.await())) {
            assertFails(
                    webhook.config(),
                    SHORT,
                    "Post \"https://127.0.0.1:" + webhook.port() + "/hook?timeout=0s\": context deadline exceeded");
        }
    }

    @Test
    void aWebhookThatDripsIsGivenUp() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        try (TestingWebhook webhook = new TestingWebhook(List.of(), List.of("127.0.0.1"), (_, out) -> {
            do {
                out.write('H');
                out.flush();
            } while (!never.await(20, java.util.concurrent.TimeUnit.MILLISECONDS));
        })) {
            assertThatThrownBy(() -> client.post(webhook.config(), question(), SHORT, MOST))
                    .hasMessageContaining("context deadline exceeded");
        }
    }

    @Test
    void aWebhookThatFloodsIsCutOff() throws Exception {
        try (TestingWebhook webhook = new TestingWebhook(List.of(), List.of("127.0.0.1"), (_, out) -> {
            out.write("HTTP/1.1 200 OK\r\n\r\n".getBytes(StandardCharsets.UTF_8));
            byte[] flood = new byte[1 << 16];
            while (true) {
                out.write(flood);
            }
        })) {
            assertThatThrownBy(() -> client.post(webhook.config(), question(), SECONDS, MOST))
                    .hasMessageContaining("larger than " + MOST + " bytes");
        }
    }

    @Test
    void headersAreBoundedToo() throws Exception {
        try (TestingWebhook webhook = new TestingWebhook(List.of(), List.of("127.0.0.1"), (_, out) -> {
            out.write("HTTP/1.1 200 OK\r\n".getBytes(StandardCharsets.UTF_8));
            while (true) {
                out.write("X: y\r\n".getBytes(StandardCharsets.UTF_8));
            }
        })) {
            assertThatThrownBy(() -> client.post(webhook.config(), question(), SECONDS, MOST))
                    .hasMessageContaining("headers exceeded");
        }
    }

    @Test
    void aGiantAnnouncementIsRefusedUnread() throws Exception {
        try (TestingWebhook webhook =
                TestingWebhook.saying("HTTP/1.1 200 OK\r\nContent-Length: 2000000000\r\n\r\n{}")) {
            assertThatThrownBy(() -> client.post(webhook.config(), question(), SECONDS, MOST))
                    .hasMessageContaining("larger than " + MOST + " bytes");
        }
    }

    @Test
    void redirectsAreNotFollowed() throws Exception {
        try (TestingWebhook other = TestingWebhook.saying(TestingWebhook.json("{}"));
                TestingWebhook webhook =
                        TestingWebhook.saying("HTTP/1.1 307 Temporary Redirect\r\nLocation: https://127.0.0.1:"
                                + other.port() + "/\r\nContent-Length: 0\r\n\r\n")) {
            assertFails(
                    webhook.config(),
                    SECONDS,
                    "the server responded with the status code 307 but did not return more information");
            assertThat(other.connections()).isZero();
        }
    }

    @Test
    void badStatusesAreTold() throws Exception {
        try (TestingWebhook webhook = TestingWebhook.saying(
                "HTTP/1.1 500 No\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\noops\n")) {
            assertFails(
                    webhook.config(),
                    SECONDS,
                    "an error on the server (\"oops\") has prevented the request from succeeding");
        }
    }

    @Test
    void garbageIsNoAnswer() throws Exception {
        try (TestingWebhook webhook = TestingWebhook.saying("SSH-2.0-OpenSSH\r\n\r\n")) {
            assertThatThrownBy(() -> client.post(webhook.config(), question(), SECONDS, MOST))
                    .hasMessageContaining("malformed HTTP response \"SSH-2.0-OpenSSH\"");
        }
    }

    @Test
    void deepAnswersAreRefused() throws Exception {
        try (TestingWebhook webhook = TestingWebhook.saying(TestingWebhook.json("[".repeat(100_000)))) {
            assertThatThrownBy(() -> client.post(webhook.config(), question(), SECONDS, MOST))
                    .isInstanceOf(WebhookFailure.class);
        }
    }

    @Test
    void aStrangersCertificateIsNotBelieved() throws Exception {
        try (TestingWebhook webhook = TestingWebhook.saying(TestingWebhook.json("{}"));
                TestingWebhook other = TestingWebhook.saying(TestingWebhook.json("{}"))) {
            ObjectNode config = webhook.config().put("caBundle", other.caBundle());
            assertThatThrownBy(() -> client.post(config, question(), SECONDS, MOST))
                    .hasMessageContaining(
                            "tls: failed to verify certificate: x509: certificate signed by unknown authority");
            config.remove("caBundle");
            assertThatThrownBy(() -> client.post(config, question(), SECONDS, MOST))
                    .hasMessageContaining("x509: certificate signed by unknown authority");
        }
    }

    @Test
    void theCertificateMustBeForTheName() throws Exception {
        try (TestingWebhook webhook = new TestingWebhook(List.of("a.b.svc"), List.of(), (_, out) -> out.write('x'))) {
            assertThatThrownBy(() -> client.post(webhook.config(), question(), SECONDS, MOST))
                    .hasMessageContaining(
                            "x509: cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs");
        }
    }

    @Test
    void nobodyListens() throws Exception {
        // Nobody else gets a port that is bound, and nobody answers there.
        try (Socket silent = new Socket()) {
            silent.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            int port = silent.getLocalPort();
            assertFails(
                    Json.object().put("url", "https://127.0.0.1:" + port + "/hook"),
                    SECONDS,
                    "Post \"https://127.0.0.1:" + port + "/hook?timeout=60s\": dial tcp 127.0.0.1:" + port
                            + ": connect: connection refused");
        }
    }

    private void put(String bucket, String key, String yaml) throws Exception {
        ObjectNode object = (ObjectNode)
                lavaflow.kube.Yaml.parse(yaml.getBytes(StandardCharsets.UTF_8)).root();
        store.commit(new Mutation.Put(bucket, key, Mutation.ABSENT, StoredForm.encode(object), false));
    }

    private static ObjectNode service(TestingWebhook webhook) {
        ObjectNode config = Json.object().put("caBundle", webhook.caBundle());
        config.putObject("service")
                .put("namespace", "ns")
                .put("name", "hook")
                .put("path", "/p")
                .put("port", 8443);
        return config;
    }

    @Test
    void aServiceIsReachedThroughAReadyEndpoint() throws Exception {
        try (TestingWebhook webhook = new TestingWebhook(
                List.of("hook.ns.svc"),
                List.of(),
                (_, out) -> out.write(TestingWebhook.json("{\"a\":1}").getBytes(StandardCharsets.UTF_8)))) {
            ObjectNode config = service(webhook);
            String url = "Post \"https://hook.ns.svc:8443/p?timeout=60s\": ";
            assertFails(config, SECONDS, url + "service \"hook\" not found");
            put(
                    "services",
                    "ns/hook",
                    "metadata: {name: hook}\nspec: {clusterIP: 127.0.0.1, ports: [{name: w, port: 1}]}");
            assertFails(config, SECONDS, url + "no service port 8443 found for service \"hook\"");
            config.withObject("/service").put("port", 1);
            String slice = "metadata: {name: %s, labels: {kubernetes.io/service-name: hook}}\n"
                    + "ports: [{name: w, port: %d}]\nendpoints: [{addresses: ['127.0.0.1'], conditions: {ready: %s}}]";
            put("discovery.k8s.io/endpointslices", "ns/a", slice.formatted("a", 1, "false"));
            assertFails(
                    config,
                    SECONDS,
                    "Post \"https://hook.ns.svc:1/p?timeout=60s\": no endpoints available for service \"hook\"");
            put("discovery.k8s.io/endpointslices", "ns/b", slice.formatted("b", webhook.port(), "true"));
            assertThat(Json.longAt(client.post(config, question(), SECONDS, MOST), 0, "a"))
                    .isEqualTo(1);
        }
    }
}
