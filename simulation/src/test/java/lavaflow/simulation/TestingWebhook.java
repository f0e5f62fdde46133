package lavaflow.simulation;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

import lavaflow.apiserver.CertificateAuthority;
import lavaflow.apiserver.Identity;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;

/** A real program behind HTTPS that lets nobody through, or does not answer at all. Its waiting is real, not the cluster's. */
final class TestingWebhook implements AutoCloseable {
    private static final char[] PASSWORD = "unused".toCharArray();

    private final CertificateAuthority authority = CertificateAuthority.create("webhooks", Instant.now());
    private final HttpsServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final AtomicInteger reviews = new AtomicInteger();
    private final CountDownLatch over = new CountDownLatch(1);
    private final boolean silent;
    private final String message;

    private TestingWebhook(boolean silent, String message) throws IOException, GeneralSecurityException {
        this.silent = silent;
        this.message = message;
        server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(identified()));
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    static TestingWebhook denying(String message) throws IOException, GeneralSecurityException {
        return new TestingWebhook(false, message);
    }

    static TestingWebhook silent() throws IOException, GeneralSecurityException {
        return new TestingWebhook(true, "");
    }

    private SSLContext identified() throws IOException, GeneralSecurityException {
        Identity identity = authority.issueServer("webhook", List.of(), List.of("127.0.0.1"), Instant.now());
        KeyStore keys = KeyStore.getInstance("PKCS12");
        keys.load(null, null);
        keys.setKeyEntry("webhook", identity.key(), PASSWORD, new Certificate[] {identity.certificate()});
        KeyManagerFactory managers = KeyManagerFactory.getInstance("PKIX");
        managers.init(keys, PASSWORD);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        return context;
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            ObjectNode asked = (ObjectNode) Json.parse(exchange.getRequestBody().readAllBytes());
            reviews.incrementAndGet();
            if (silent) {
                over.await();
                return;
            }
            ObjectNode review =
                    Json.object().put("apiVersion", "admission.k8s.io/v1").put("kind", "AdmissionReview");
            ObjectNode response = review.putObject("response");
            response.put("uid", Json.textAt(asked, "request", "uid")).put("allowed", false);
            response.putObject("status").put("message", message);
            byte[] bytes = Json.string(review).getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Where it is, and who vouches for it, in YAML. */
    String address() {
        String bundle = Base64.getEncoder()
                .encodeToString(authority.identity().certificatePem().getBytes(StandardCharsets.UTF_8));
        return "{url: \"https://127.0.0.1:" + server.getAddress().getPort() + "/review\", caBundle: " + bundle + "}";
    }

    /** How often it was asked. */
    int reviews() {
        return reviews.get();
    }

    @Override
    public void close() {
        over.countDown();
        server.stop(0);
        threads.close();
    }
}
