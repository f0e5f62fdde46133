package lavaflow;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.Base64;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

import lavaflow.apiserver.Admission;
import lavaflow.apiserver.Identity;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers what an API server asks webhooks, each at its path. */
final class WebhookServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WebhookServer.class);
    private static final char[] NO_PASSWORD = new char[0];

    /** More than any object an API server takes, twice. */
    private static final int MOST_BYTES = 16 * 1024 * 1024;

    private final Set<? extends Webhook> webhooks;
    private final Webhook.Cluster cluster;
    private final HttpsServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    WebhookServer(InetSocketAddress listen, Identity identity, Set<? extends Webhook> webhooks, Webhook.Cluster cluster)
            throws IOException {
        this.webhooks = webhooks;
        this.cluster = cluster;
        server = HttpsServer.create(listen, 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context(identity)));
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    private static SSLContext context(Identity identity) throws IOException {
        try {
            KeyStore store = KeyStore.getInstance("JKS"); // as NodeServer
            store.load(null, null);
            store.setKeyEntry("webhooks", identity.key(), NO_PASSWORD, new Certificate[] {identity.certificate()});
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store, NO_PASSWORD);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), null, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException("the certificate of the webhooks cannot be used", e);
        }
    }

    int port() {
        return server.getAddress().getPort();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            Optional<Webhook> webhook = Webhook.at(path).filter(webhooks::contains);
            if (path.equals("/healthz")) {
                send(exchange, 200, "text/plain", "ok");
            } else if (webhook.isEmpty()) {
                send(exchange, 404, "text/plain", "404 page not found\n");
            } else {
                answer(exchange, webhook.get());
            }
        }
    }

    private void answer(HttpExchange exchange, Webhook webhook) throws IOException {
        byte[] body = exchange.getRequestBody().readNBytes(MOST_BYTES + 1);
        try {
            if (body.length > MOST_BYTES) {
                send(exchange, 413, "text/plain", "the request is too large\n");
                return;
            }
            JsonNode request = Json.at(Json.parseUntrusted(body), "request");
            if (request == null) {
                send(exchange, 400, "text/plain", "this is no AdmissionReview\n");
                return;
            }
            send(exchange, 200, "application/json", Json.string(review(webhook, request)));
        } catch (JsonProcessingException _) {
            send(exchange, 400, "text/plain", "this is no JSON\n");
        } catch (ApiException e) {
            // What cannot be looked up cannot be judged; the configuration says what happens then.
            LOG.warn("{} cannot answer: {}", webhook.path(), e.getMessage());
            send(exchange, 500, "text/plain", e.getMessage() + "\n");
        }
    }

    private ObjectNode review(Webhook webhook, JsonNode request) {
        ObjectNode object = Json.objectAt(request, "object");
        ObjectNode changed = object == null ? null : object.deepCopy();
        Webhook.Review asked = new Webhook.Review(
                operation(Json.textAt(request, "operation")),
                Json.textAt(request, "namespace"),
                changed,
                Json.objectAt(request, "oldObject"),
                cluster);
        Webhook.Answer answer = webhook.answer(asked);
        ObjectNode review =
                Json.object().put("apiVersion", "admission.k8s.io/v1").put("kind", "AdmissionReview");
        ObjectNode response = review.putObject("response");
        response.put("uid", Json.textAt(request, "uid")).put("allowed", answer.isYes());
        if (!answer.isYes()) {
            webhook.tellRefusal(response.putObject("status").put("message", answer.refusal()));
        } else if (webhook.isMutating() && object != null && changed != null) {
            ArrayNode patch = JsonChanges.between(object, changed);
            if (!patch.isEmpty()) {
                response.put("patchType", "JSONPatch")
                        .put("patch", Base64.getEncoder().encodeToString(Json.bytes(patch)));
            }
        }
        if (!answer.warnings().isEmpty()) {
            ArrayNode list = response.putArray("warnings");
            answer.warnings().forEach(list::add);
        }
        return review;
    }

    private static Admission.Operation operation(String word) {
        return switch (word) {
            case "UPDATE" -> Admission.Operation.UPDATE;
            case "DELETE" -> Admission.Operation.DELETE;
            case "CONNECT" -> Admission.Operation.CONNECT;
            default -> Admission.Operation.CREATE;
        };
    }

    private static void send(HttpExchange exchange, int code, String type, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(code, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    @Override
    public void close() {
        server.stop(0);
        // Answers that wait for the cluster have nobody left who asked for them.
        threads.shutdownNow();
    }
}
