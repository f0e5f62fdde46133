package lavaflow.remote;

import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertPathBuilderException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * One API server: its address, the credentials of a kubeconfig, and bounds on what is asked of it.
 *
 * <p>Requests share a connection of HTTP/2. Watches have connections of their own: there may be more of them than a
 * connection has streams, and the JDK's client refuses instead of opening a second one. Credentials may change meanwhile.
 */
final class Connection implements Streams, AutoCloseable {
    /** Longer than a server takes for anything but a watch. */
    private static final Duration PATIENCE = Duration.ofSeconds(70);
    /** As client-go: a server that is too busy says when to come back, but not forever. */
    private static final int RETURNS = 10;

    /** What the server said, if it did what it was asked. */
    static final class Answer {
        private final int code;
        private final byte[] body;
        private final @Nullable String etag;

        Answer(int code, byte[] body, @Nullable String etag) {
            this.code = code;
            this.body = body;
            this.etag = etag;
        }

        int code() {
            return code;
        }

        byte[] body() {
            return body;
        }

        @Nullable
        String etag() {
            return etag;
        }
    }

    private final Settings settings;
    private final String server;
    private volatile Clients clients;
    private final Set<Clients> older = ConcurrentHashMap.newKeySet();
    private final RequestRate rate;
    private final Semaphore underWay = new Semaphore(Settings.UNDER_WAY);
    private final Reachability reachability;

    Connection(Settings settings) {
        this(settings, read(settings));
    }

    /** A connection to the same server as nobody: whoever asks brings a token. A certificate would count for more. */
    static Connection ofNobody(Settings settings) {
        return new Connection(settings, read(settings).ofNobody());
    }

    private Connection(Settings settings, ServerAccess access) {
        this.settings = settings;
        this.server = access.server();
        this.clients = new Clients(access);
        this.rate = new RequestRate(settings.perSecond(), settings.burst(), System::nanoTime);
        this.reachability = new Reachability(server);
    }

    /** Uses what the kubeconfig says of its user now for everything that begins from now on; what is under way goes on. */
    void renew() {
        Clients before = clients;
        clients = new Clients(read(settings));
        older.removeIf(Clients::isGone);
        older.add(before);
        before.retire();
    }

    private Clients enter() {
        while (true) {
            Clients now = clients;
            if (now.entered()) {
                return now;
            }
        }
    }

    private static ServerAccess read(Settings settings) {
        return Surroundings.ofProcess().access(settings);
    }

    static String server(Settings settings) {
        return read(settings).server();
    }

    String server() {
        return server;
    }

    /** The certificates that vouch for the server, PEM; null where those of the system do. */
    @Nullable
    String certificateAuthority() {
        return clients.access().authority();
    }

    Answer get(String path, String accept) {
        return send(request(path, accept), null);
    }

    /** Asks again for something known; its body is empty and its code 304 where that is still true. */
    Answer getChanged(String path, String accept, @Nullable String etag) {
        HttpRequest.Builder request = request(path, accept);
        if (etag != null) {
            request.header("If-None-Match", etag);
        }
        return send(request, null);
    }

    ObjectNode write(String method, String path, String contentType, ObjectNode body) {
        return write(method, path, contentType, body, null);
    }

    /**
     * @param token of the one who asks; null for the user of the kubeconfig
     */
    ObjectNode write(String method, String path, String contentType, ObjectNode body, @Nullable String token) {
        HttpRequest.Builder request = request(path, "application/json")
                .header("Content-Type", contentType)
                .method(method, HttpRequest.BodyPublishers.ofByteArray(Json.bytes(body)));
        return object(send(request, token).body());
    }

    static ObjectNode object(byte[] body) {
        try {
            if (Json.parseUntrusted(body) instanceof ObjectNode object) {
                return object;
            }
        } catch (JsonProcessingException e) {
            throw ApiException.internal(
                    "the server answered with something that is no JSON: " + e.getOriginalMessage());
        }
        throw ApiException.internal("the server answered with something that is no object");
    }

    private HttpRequest.Builder request(String path, String accept) {
        return HttpRequest.newBuilder(URI.create(server + path))
                .header("Accept", accept)
                .header("User-Agent", settings.userAgent());
    }

    /** With what the user is known by now. */
    private static HttpRequest signed(HttpRequest.Builder request, Clients through, @Nullable String token) {
        String header = token == null ? through.access().credentials().authorization() : "Bearer " + token;
        if (header != null) {
            request.setHeader("Authorization", header);
        }
        if (token == null) {
            for (Map.Entry<String, String> each : through.access().acting()) {
                request.header(each.getKey(), each.getValue());
            }
        }
        return request.build();
    }

    private Answer send(HttpRequest.Builder request, @Nullable String token) {
        boolean known = token != null;
        for (int attempt = 0; ; attempt++) {
            LockSupport.parkNanos(rate.takeTurn());
            HttpResponse<byte[]> response = exchange(request.copy(), token);
            int code = response.statusCode();
            if (code < 300 || code == 304) {
                return new Answer(
                        code,
                        response.body(),
                        response.headers().firstValue("ETag").orElse(null));
            }
            if (code == 401 && !known) {
                known = true;
                if (clients.access().credentials().refused()) {
                    continue;
                }
            }
            Duration pause = pauseAskedFor(response);
            if (pause == null || attempt == RETURNS) {
                throw refusal(code, response.body());
            }
            LockSupport.parkNanos(pause.toNanos());
        }
    }

    private static @Nullable Duration pauseAskedFor(HttpResponse<?> response) {
        String seconds = response.headers().firstValue("Retry-After").orElse(null);
        if (seconds == null || (response.statusCode() != 429 && response.statusCode() < 500)) {
            return null;
        }
        try {
            return Duration.ofSeconds(Math.clamp(Long.parseLong(seconds.strip()), 0, 60));
        } catch (NumberFormatException _) {
            return null;
        }
    }

    private HttpResponse<byte[]> exchange(HttpRequest.Builder request, @Nullable String token) {
        underWay.acquireUninterruptibly();
        CompletableFuture<HttpResponse<byte[]>> asked = new CompletableFuture<>();
        Clients through = enter();
        try {
            asked = through.requests()
                    .sendAsync(signed(request, through, token), HttpResponse.BodyHandlers.ofByteArray());
            HttpResponse<byte[]> response = asked.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            reachability.reached();
            return response;
        } catch (ExecutionException e) {
            throw unreachable(e);
        } catch (TimeoutException _) {
            asked.cancel(true);
            throw ApiException.of(504, "Timeout", server + " did not answer within " + PATIENCE.toSeconds() + " s");
        } catch (InterruptedException _) {
            asked.cancel(true);
            Thread.currentThread().interrupt();
            throw ApiException.of(503, "ServiceUnavailable", "interrupted while waiting for " + server);
        } finally {
            through.left();
            underWay.release();
        }
    }

    /** There is no Status when nobody answers; callers handle it like a server that cannot serve. */
    private ApiException unreachable(Throwable failure) {
        Throwable cause = failure;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        String what = reason(cause);
        if (cause instanceof HttpTimeoutException) {
            return ApiException.of(504, "Timeout", server + " did not answer: " + what);
        }
        reachability.failed(what);
        return ApiException.of(503, "ServiceUnavailable", "cannot reach " + server + ": " + what);
    }

    private static String reason(Throwable cause) {
        for (Throwable each = cause; each != null; each = each.getCause()) {
            if (each instanceof CertPathBuilderException) {
                return "nobody this program trusts vouches for the server's certificate; certificate-authority-data of the kubeconfig"
                        + " says who does";
            }
        }
        if (cause.getMessage() == null && cause instanceof ConnectException) {
            return "connection refused";
        }
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }

    /** The server's Status, or one made of whatever it, or somebody before it, answered. */
    static ApiException refusal(int code, byte[] body) {
        try {
            if (Json.parseUntrusted(body) instanceof ObjectNode status
                    && Json.textAt(status, "kind").equals("Status")) {
                if (Json.longAt(status, 0, "code") == 0) {
                    status.put("code", code);
                }
                return ApiException.of(status);
            }
        } catch (JsonProcessingException _) {
            // Plain text, such as of a path that is not served.
        }
        String text = new String(body, StandardCharsets.UTF_8).strip();
        String reason = switch (code) {
            case 401 -> "Unauthorized";
            case 403 -> "Forbidden";
            case 404 -> "NotFound";
            case 409 -> "Conflict";
            case 410 -> "Gone";
            case 429 -> "TooManyRequests";
            case 503 -> "ServiceUnavailable";
            case 504 -> "Timeout";
            default -> code >= 500 ? "InternalError" : "";
        };
        return ApiException.of(code, reason, text.isEmpty() ? "the server answered " + code : text);
    }

    @Override
    public Stream open(String path, String accept, Listener listener) {
        Clients through = enter();
        OpenStream stream = new OpenStream(listener, through::left);
        try {
            HttpRequest request = signed(request(path, accept), through, null);
            var _ = through.watches()
                    .sendAsync(request, HttpResponse.BodyHandlers.ofPublisher())
                    .whenComplete((response, failure) -> {
                        if (failure != null || response == null) {
                            stream.end(unreachable(failure == null ? new IOException("no answer") : failure));
                        } else {
                            answered(stream, response);
                        }
                    });
        } catch (ApiException e) {
            stream.end(e);
        }
        return stream;
    }

    private void answered(OpenStream stream, HttpResponse<Flow.Publisher<List<ByteBuffer>>> response) {
        reachability.reached();
        if (response.statusCode() == 401) {
            // Whoever opened it tries again, then with something newer.
            clients.access().credentials().refused();
        }
        stream.begin(response.statusCode(), response.body());
    }

    @Override
    public void close() {
        reachability.close();
        clients.close();
        older.forEach(Clients::close);
    }
}
