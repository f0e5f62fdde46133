package lavaflow.remote;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import org.jspecify.annotations.Nullable;

/**
 * One API server: its address, the credentials of a kubeconfig, and bounds on what is asked of it. The only class that knows
 * the client library.
 *
 * <p>Requests share a connection of HTTP/2. Watches have connections of their own: there may be more of them than a
 * connection has streams, and the JDK's client refuses instead of opening a second one. Credentials may change meanwhile.
 */
final class Connection implements Streams, AutoCloseable {
    /** Longer than a server takes for anything but a watch. */
    private static final Duration PATIENCE = Duration.ofSeconds(70);
    /** As client-go; the handshake counts, which takes its time on a busy machine. */
    private static final Duration CONNECTING = Duration.ofSeconds(30);
    /** As client-go: a server that is too busy says when to come back, but not forever. */
    private static final int RETURNS = 10;

    private static final int REFUSAL_BYTES = 1 << 20;

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
    private final Config config;
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
        Config whose = read(settings);
        // Made anew: from a kubeconfig the library would take its user's credentials again as soon as a token is
        // refused.
        Config config = new ConfigBuilder(Config.empty())
                .withAutoConfigure(false)
                .withMasterUrl(whose.getMasterUrl())
                .withCaCertData(whose.getCaCertData())
                .withCaCertFile(whose.getCaCertFile())
                .withTrustCerts(whose.isTrustCerts())
                .withDisableHostnameVerification(whose.isDisableHostnameVerification())
                .withHttpProxy(whose.getHttpProxy())
                .withHttpsProxy(whose.getHttpsProxy())
                .withNoProxy(whose.getNoProxy())
                .build();
        return new Connection(settings, config);
    }

    private Connection(Settings settings, Config config) {
        this.settings = settings;
        this.config = config;
        this.server = server(config);
        this.clients = clients(config, settings);
        this.rate = new RequestRate(settings.perSecond(), settings.burst(), System::nanoTime);
        this.reachability = new Reachability(server);
    }

    private static Clients clients(Config config, Settings settings) {
        config.setUserAgent(settings.userAgent());
        // Whether and when to ask again is decided here: the library would also repeat what may have been done.
        config.setRequestRetryBackoffLimit(0);
        config.setConnectionTimeout((int) CONNECTING.toMillis());
        return new Clients(config);
    }

    /** Uses what the kubeconfig says of its user now for everything that begins from now on; what is under way goes on. */
    void renew() {
        Clients before = clients;
        clients = clients(read(settings), settings);
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

    private static Config read(Settings settings) {
        Config config = ofKubeconfig(settings);
        if (settings.server() != null) {
            config.setMasterUrl(settings.server());
        }
        return config;
    }

    private static Config ofKubeconfig(Settings settings) {
        try {
            if (settings.kubeconfig() == null) {
                return Config.autoConfigure(settings.context());
            }
            File file = settings.kubeconfig().toFile();
            if (!file.canRead()) {
                throw new IllegalArgumentException("cannot read the kubeconfig " + file);
            }
            return Config.fromKubeconfig(settings.context(), file);
        } catch (KubernetesClientException e) {
            throw new IllegalArgumentException(
                    "the kubeconfig " + settings.kubeconfig() + " does not fit: " + e.getMessage(), e);
        }
    }

    static String server(Settings settings) {
        return server(read(settings));
    }

    private static String server(Config config) {
        return config.getMasterUrl().replaceAll("/+$", "");
    }

    String server() {
        return server;
    }

    /** The certificates that vouch for the server, PEM; null where those of the system do. */
    @Nullable
    String certificateAuthority() throws IOException {
        if (config.getCaCertData() != null) {
            return new String(Base64.getDecoder().decode(config.getCaCertData()), StandardCharsets.UTF_8);
        }
        return config.getCaCertFile() == null ? null : Files.readString(Path.of(config.getCaCertFile()));
    }

    Answer get(String path, String accept) {
        return send(request(path, accept).build());
    }

    /** Asks again for something known; its body is empty and its code 304 where that is still true. */
    Answer getChanged(String path, String accept, @Nullable String etag) {
        HttpRequest.Builder request = request(path, accept);
        if (etag != null) {
            request.header("If-None-Match", etag);
        }
        return send(request.build());
    }

    ObjectNode write(String method, String path, String contentType, ObjectNode body) {
        return write(method, path, contentType, body, null);
    }

    /**
     * @param token of the one who asks; null for the user of the kubeconfig
     */
    ObjectNode write(String method, String path, String contentType, ObjectNode body, @Nullable String token) {
        HttpRequest.Builder request = request(path, "application/json").method(method, contentType, Json.string(body));
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        return object(send(request.build()).body());
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
        return clients.requests().newHttpRequestBuilder().uri(server + path).header("Accept", accept);
    }

    private Answer send(HttpRequest request) {
        for (int attempt = 0; ; attempt++) {
            LockSupport.parkNanos(rate.takeTurn());
            HttpResponse<byte[]> response = exchange(request);
            int code = response.code();
            if (code < 300 || code == 304) {
                return new Answer(code, response.body(), response.header("ETag"));
            }
            Duration pause = pauseAskedFor(response);
            if (pause == null || attempt == RETURNS) {
                throw refusal(code, response.body());
            }
            LockSupport.parkNanos(pause.toNanos());
        }
    }

    private static @Nullable Duration pauseAskedFor(HttpResponse<?> response) {
        String seconds = response.header("Retry-After");
        if (seconds == null || (response.code() != 429 && response.code() < 500)) {
            return null;
        }
        try {
            return Duration.ofSeconds(Math.clamp(Long.parseLong(seconds.strip()), 0, 60));
        } catch (NumberFormatException _) {
            return null;
        }
    }

    private HttpResponse<byte[]> exchange(HttpRequest request) {
        underWay.acquireUninterruptibly();
        CompletableFuture<HttpResponse<byte[]>> asked = new CompletableFuture<>();
        Clients through = enter();
        try {
            asked = through.requests().sendAsync(request, byte[].class);
            HttpResponse<byte[]> response = asked.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            reachability.reached();
            return response;
        } catch (ExecutionException e) {
            throw unreachable(e);
        } catch (IllegalStateException e) {
            throw closed(e);
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

    /** What the library says of a client that was closed. */
    private ApiException closed(IllegalStateException e) {
        return ApiException.of(
                503, "ServiceUnavailable", "the connection to " + server + " is closed: " + e.getMessage());
    }

    /** There is no Status when nobody answers; callers handle it like a server that cannot serve. */
    private ApiException unreachable(Throwable failure) {
        Throwable cause = failure;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        String what = cause.getMessage();
        if (what == null) {
            what = cause instanceof ConnectException
                    ? "connection refused"
                    : cause.getClass().getSimpleName();
        }
        if (cause instanceof HttpTimeoutException) {
            return ApiException.of(504, "Timeout", server + " did not answer: " + what);
        }
        reachability.failed(what);
        return ApiException.of(503, "ServiceUnavailable", "cannot reach " + server + ": " + what);
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
        HttpRequest request = through.watches()
                .newHttpRequestBuilder()
                .uri(server + path)
                .header("Accept", accept)
                .forStreaming()
                .build();
        Streaming streaming = new Streaming(listener, through);
        try {
            var _ = through.watches().consumeBytes(request, streaming).whenComplete(streaming::answered);
        } catch (IllegalStateException e) {
            streaming.ended(closed(e));
        }
        return streaming;
    }

    /** An answer under way. The library hands over a chunk only after it was asked for one. */
    private final class Streaming implements AsyncBody.Consumer<List<ByteBuffer>>, Stream {
        private final Listener listener;
        private final Clients through;
        private final ByteArrayOutputStream refusal = new ByteArrayOutputStream();
        private volatile int code;
        private volatile boolean cancelled;
        private volatile @Nullable AsyncBody body;

        Streaming(Listener listener, Clients through) {
            this.listener = listener;
            this.through = through;
        }

        private void ended(@Nullable ApiException why) {
            through.left();
            listener.ended(why);
        }

        void answered(@Nullable HttpResponse<AsyncBody> response, @Nullable Throwable failure) {
            if (failure != null || response == null) {
                ended(unreachable(failure == null ? new IOException("no answer") : failure));
                return;
            }
            reachability.reached();
            code = response.code();
            if (code == 200) {
                listener.opened();
            }
            AsyncBody opened = response.body();
            body = opened;
            var _ = opened.done().whenComplete((_, broken) -> ended(end(broken)));
            if (cancelled) {
                opened.cancel();
            } else {
                opened.consume();
            }
        }

        private @Nullable ApiException end(@Nullable Throwable broken) {
            if (code == 200) {
                // Servers that stop and connections that are cut: not worth a line, the next request tells what is
                // wrong.
                return broken == null ? null : ApiException.of(503, "ServiceUnavailable", "the watch was cut off");
            }
            return refusal(code, refusal.toByteArray());
        }

        @Override
        public void consume(List<ByteBuffer> chunk, AsyncBody from) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            for (ByteBuffer part : chunk) {
                byte[] copy = new byte[part.remaining()];
                part.get(copy);
                bytes.writeBytes(copy);
            }
            boolean more = true;
            if (code == 200) {
                more = listener.bytes(bytes.toByteArray());
            } else if (refusal.size() < REFUSAL_BYTES) {
                refusal.writeBytes(bytes.toByteArray());
            }
            if (more) {
                from.consume();
            }
        }

        @Override
        public void more() {
            AsyncBody opened = body;
            if (opened != null) {
                opened.consume();
            }
        }

        @Override
        public void cancel() {
            cancelled = true;
            AsyncBody opened = body;
            if (opened != null) {
                opened.cancel();
            }
        }
    }

    @Override
    public void close() {
        clients.close();
        older.forEach(Clients::close);
    }
}
