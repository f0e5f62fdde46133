package lavaflow.apiserver;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

import lavaflow.kube.ApiException;
import lavaflow.kube.DecodingException;
import lavaflow.kube.GoJsonSyntax;
import lavaflow.kube.GoQuote;
import lavaflow.kube.GoText;
import lavaflow.kube.Json;
import lavaflow.kube.Yaml;
import lavaflow.store.Store;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Asks webhooks: posts JSON to a URL or to a service of the cluster and reads JSON back.
 *
 * <p>Plain HTTP/1.1 over sockets of our own rather than the JDK's client: the address that is dialled, the name the
 * certificate has to be for and the time all of it may take are chosen apart, and nothing is loaded before the first
 * call. Redirects are not followed: a webhook could make the server ask things its author may not. Any thread may call.
 */
public final class WebhookClient implements AutoCloseable {
    private static final int IDLE_PER_TARGET = 8;
    private static final int MAX_YAML_BYTES = 64 << 10;
    private static final long IDLE_NANOS = Duration.ofSeconds(30).toNanos();

    /** What is posted, and how long the answer may be. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Document(byte[] body, int mostBytes) {}

    private final WebhookTargets targets;
    private final WebhookTrust trust = new WebhookTrust();
    /** Connections that wait for their next request, the most recently used first. */
    private final Map<String, Deque<WebhookConnection>> idle = new LinkedHashMap<>();

    private boolean closed;

    public WebhookClient(Store store) {
        this.targets = new WebhookTargets(new Stored(store));
    }

    /**
     * Posts a document and returns the answer.
     *
     * @param clientConfig {@code url} or {@code service}, and {@code caBundle}, as webhook configurations and custom
     *     resource definitions have them
     * @param mostBytes what an answer may be long; more is a failure
     */
    public ObjectNode post(JsonNode clientConfig, ObjectNode document, Duration timeout, int mostBytes)
            throws WebhookFailure {
        WebhookTargets.Target target = targets.target(clientConfig, timeout);
        WebhookConnection.Response response = exchange(target, new Document(Json.bytes(document), mostBytes), timeout);
        if (response.code() < 200 || response.code() > 206) {
            throw badStatus(response);
        }
        return parsed(response);
    }

    private static ObjectNode parsed(WebhookConnection.Response response) throws WebhookFailure {
        String text = new String(response.body(), StandardCharsets.UTF_8);
        if (text.isEmpty()) {
            throw new WebhookFailure(
                    "0-length response with status code: " + response.code() + " and content type: "
                            + response.contentType(),
                    response.code());
        }
        JsonNode tree = tree(response);
        if (!(tree instanceof ObjectNode answer)) {
            throw new WebhookFailure(
                    "couldn't get version/kind; json parse error: json: cannot unmarshal "
                            + GoText.jsonKind(tree)
                            + " into Go value of type struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\";"
                            + " Kind string \"json:\\\"kind,omitempty\\\"\" }",
                    response.code());
        }
        return answer;
    }

    /** What is no JSON may be YAML, as everywhere in upstream's decoders; only short texts are looked at so. */
    private static JsonNode tree(WebhookConnection.Response response) throws WebhookFailure {
        try {
            return Json.parseUntrusted(response.body());
        } catch (JsonProcessingException e) {
            if (response.body().length <= MAX_YAML_BYTES) {
                try {
                    return Yaml.parse(response.body()).root();
                } catch (DecodingException neither) {
                    // Told below, as a problem of JSON.
                }
            }
            throw new WebhookFailure(
                    "couldn't get version/kind; json parse error: " + GoJsonSyntax.complaint(response.body()),
                    response.code());
        }
    }

    private static WebhookFailure badStatus(WebhookConnection.Response response) {
        int code = response.code();
        String text = new String(response.body(), StandardCharsets.UTF_8).strip();
        boolean html = response.contentType().startsWith("text/html");
        String said = html || text.length() > 2048 ? "unknown" : text;
        String message = switch (code) {
            case 400 -> "the server rejected our request for an unknown reason";
            case 401 -> "the server has asked for the client to provide credentials";
            case 403 -> said.isEmpty() ? "forbidden" : said;
            case 404 -> "the server could not find the requested resource";
            case 405 -> "the server does not allow this method on the requested resource";
            case 406 -> "the server was unable to respond with a content type that the client supports";
            case 409 -> "the server reported a conflict";
            case 415 -> "the server was unable to respond with a content type that the client supports";
            case 422 -> "the server rejected our request due to an error in our request";
            case 429 -> "the server has received too many requests and has asked us to try again later";
            case 503 -> "the server is currently unable to handle the request";
            case 504 ->
                "the server was unable to return a response in the time allotted, but may still be processing"
                        + " the request";
            default ->
                code >= 500
                        ? "an error on the server (" + GoQuote.quote(said)
                                + ") has prevented the request from succeeding"
                        : "the server responded with the status code " + code + " but did not return more information";
        };
        return new WebhookFailure(message, code);
    }

    private WebhookConnection.Response exchange(WebhookTargets.Target target, Document document, Duration timeout)
            throws WebhookFailure {
        String prefix = "Post " + GoQuote.quote(target.url()) + ": ";
        List<InetSocketAddress> addresses;
        try {
            addresses = target.addresses().get();
        } catch (ApiException e) {
            throw new WebhookFailure(prefix + e.getMessage(), 0);
        }
        Deadline deadline = new Deadline(timeout);
        try (deadline) {
            return attempt(target, addresses, document, deadline);
        } catch (IOException e) {
            if (deadline.passed()) {
                throw new WebhookFailure(prefix + "context deadline exceeded", 0);
            }
            throw new WebhookFailure(prefix + WebhookTrust.goText(e), 0);
        }
    }

    private WebhookConnection.Response attempt(
            WebhookTargets.Target target, List<InetSocketAddress> addresses, Document document, Deadline deadline)
            throws IOException {
        WebhookConnection waiting = takeIdle(target.key());
        if (waiting != null) {
            try {
                return ask(target, waiting, document, deadline);
            } catch (EOFException | SocketException e) {
                // The webhook closed it while nobody looked; a new one tells how things are.
                if (deadline.passed() || waiting.hasAnswered()) {
                    throw e;
                }
            }
        }
        IOException last = null;
        for (InetSocketAddress address : addresses) {
            WebhookConnection fresh;
            try {
                fresh = WebhookConnection.open(
                        address, target.serverName(), trust.sockets(target.caBundle()), deadline);
            } catch (java.net.ConnectException e) {
                last = e;
                continue;
            }
            return ask(target, fresh, document, deadline);
        }
        throw last == null ? new IOException("no address to connect to") : last;
    }

    private WebhookConnection.Response ask(
            WebhookTargets.Target target, WebhookConnection connection, Document document, Deadline deadline)
            throws IOException {
        boolean reusable = false;
        deadline.closes(connection);
        try {
            WebhookConnection.Response response =
                    connection.post(target.hostHeader(), target.path(), document.body(), document.mostBytes());
            reusable = response.keepsAlive() && !deadline.passed();
            return response;
        } finally {
            deadline.release();
            if (reusable) {
                keepIdle(target.key(), connection);
            } else {
                connection.close();
            }
        }
    }

    private @Nullable WebhookConnection takeIdle(String key) {
        synchronized (idle) {
            Deque<WebhookConnection> waiting = idle.get(key);
            while (waiting != null && !waiting.isEmpty()) {
                WebhookConnection connection = waiting.pop();
                if (System.nanoTime() - connection.idleSince() < IDLE_NANOS) {
                    return connection;
                }
                connection.close();
            }
            idle.remove(key);
            return null;
        }
    }

    private void keepIdle(String key, WebhookConnection connection) {
        synchronized (idle) {
            Deque<WebhookConnection> waiting = idle.computeIfAbsent(key, _ -> new ArrayDeque<>());
            if (closed || waiting.size() >= IDLE_PER_TARGET) {
                connection.close();
                return;
            }
            connection.rest(System.nanoTime());
            waiting.push(connection);
        }
    }

    @Override
    public void close() {
        synchronized (idle) {
            closed = true;
            idle.values().forEach(waiting -> waiting.forEach(WebhookConnection::close));
            idle.clear();
        }
    }

    /** Closes what a call is waiting on when its time is over; a slow drip of bytes does not move it. */
    static final class Deadline implements AutoCloseable {
        private final AtomicBoolean passed = new AtomicBoolean();
        private final long endNanos;
        private final Thread clock;
        private @Nullable AutoCloseable waitingOn;

        Deadline(Duration timeout) {
            this.endNanos = System.nanoTime() + timeout.toNanos();
            this.clock = Thread.ofVirtual().unstarted(() -> await(timeout));
            clock.start();
        }

        private void await(Duration timeout) {
            try {
                Thread.sleep(timeout);
            } catch (InterruptedException e) {
                return;
            }
            passed.set(true);
            synchronized (this) {
                quietly(waitingOn);
            }
        }

        private static void quietly(@Nullable AutoCloseable what) {
            if (what == null) {
                return;
            }
            try {
                what.close();
            } catch (Exception e) {
                // It is being given up anyway.
            }
        }

        /** What to close when the time is over. */
        synchronized void closes(AutoCloseable what) {
            waitingOn = what;
            if (passed.get()) {
                quietly(what);
            }
        }

        synchronized void release() {
            waitingOn = null;
        }

        boolean passed() {
            return passed.get() || System.nanoTime() >= endNanos;
        }

        @Override
        public void close() {
            release();
            clock.interrupt();
        }
    }
}
