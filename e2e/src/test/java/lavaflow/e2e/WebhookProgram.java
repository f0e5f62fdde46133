package lavaflow.e2e;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLContext;

import lavaflow.apiserver.CertificateAuthority;
import lavaflow.apiserver.Identity;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;

/**
 * Stands in for the webhook programs that Kubernetes' conformance tests bring as images: the same paths, the same
 * verdicts, as a local process. Some paths more serve the contract suite.
 *
 * <p>As a program: {@code WebhookProgram --port=8444 [--tls-cert-file=F --tls-private-key-file=F] [--sidecar-image=I]};
 * without files it makes a certificate of its own.
 */
final class WebhookProgram implements AutoCloseable {
    private final HttpsServer server;
    private final String caBundle;

    private WebhookProgram(SSLContext tls, InetSocketAddress address, String sidecarImage, String caBundle)
            throws IOException {
        this.caBundle = caBundle;
        this.server = HttpsServer.create(address, 0);
        server.setHttpsConfigurator(new HttpsConfigurator(tls));
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        WebhookVerdicts verdicts = new WebhookVerdicts(sidecarImage);
        server.createContext("/", exchange -> handle(exchange, verdicts));
        server.start();
    }

    /** A server at a free port of 127.0.0.1 with a certificate of its own. */
    static WebhookProgram start() {
        try {
            CertificateAuthority authority = CertificateAuthority.create("webhooks", Instant.now());
            String pem = authority.identity().certificatePem();
            return new WebhookProgram(
                    identified(authority),
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                    "sidecar",
                    Base64.getEncoder().encodeToString(pem.getBytes(StandardCharsets.UTF_8)));
        } catch (Exception e) {
            throw new IllegalStateException("the webhook does not start", e);
        }
    }

    private static SSLContext identified(CertificateAuthority authority) throws Exception {
        Identity identity = authority.issueServer("webhook", List.of("localhost"), List.of("127.0.0.1"), Instant.now());
        return PemFiles.context(identity.certificatePem(), identity.keyPem());
    }

    public static void main(String[] arguments) throws Exception {
        Map<String, String> flags = new LinkedHashMap<>();
        List<String> words = new ArrayList<>(List.of(arguments));
        while (!words.isEmpty()) {
            String word = words.removeFirst();
            int equals = word.indexOf('=');
            if (word.startsWith("--") && equals > 0) {
                flags.put(word.substring(2, equals), word.substring(equals + 1));
            } else if (word.startsWith("--") && !words.isEmpty()) {
                flags.put(word.substring(2), words.removeFirst());
            }
        }
        SSLContext tls = flags.containsKey("tls-cert-file")
                ? PemFiles.context(
                        Files.readString(Path.of(flags.get("tls-cert-file"))),
                        Files.readString(Path.of(flags.getOrDefault("tls-private-key-file", "tls.key"))))
                : identified(CertificateAuthority.create("webhooks", Instant.now()));
        int port = Integer.parseInt(flags.getOrDefault("port", "443"));
        String host = flags.getOrDefault("address", "127.0.0.1");
        WebhookProgram running = new WebhookProgram(
                tls, new InetSocketAddress(host, port), flags.getOrDefault("sidecar-image", "sidecar"), "");
        Runtime.getRuntime().addShutdownHook(new Thread(running::close));
    }

    String url() {
        return "https://127.0.0.1:" + server.getAddress().getPort();
    }

    /** Base64 of the PEM of who signed the certificate. */
    String caBundle() {
        return caBundle;
    }

    private static void handle(HttpExchange exchange, WebhookVerdicts verdicts) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            byte[] body = exchange.getRequestBody().readAllBytes();
            if (path.equals("/readyz")) {
                send(exchange, 200, "text/plain", "ok");
                return;
            }
            if (!(body.length > 0 && Json.parse(body) instanceof ObjectNode review)) {
                send(exchange, 400, "text/plain", "a review is missing");
                return;
            }
            String told = WebhookVerdicts.toldStatus(path, review);
            if (!told.isEmpty()) {
                int space = told.indexOf(' ');
                send(exchange, Integer.parseInt(told.substring(0, space)), "text/plain", told.substring(space + 1));
                return;
            }
            JsonNode answer = verdicts.answer(path, review);
            if (answer == null) {
                send(exchange, 404, "text/plain", "404 page not found\n");
            } else {
                send(exchange, 200, "application/json", answer.isTextual() ? answer.asText() : Json.string(answer));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void send(HttpExchange exchange, int code, String type, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(code, bytes.length == 0 ? -1 : bytes.length);
        if (bytes.length > 0) {
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(bytes);
            }
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
