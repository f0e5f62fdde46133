package lavaflow.remote;

import java.net.http.HttpClient;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLContext;

import org.jspecify.annotations.Nullable;

/**
 * Java's clients with one set of credentials: one for requests, which share a connection of HTTP/2, one for watches, which
 * have connections of their own. When others have taken their place they go, but not before what runs through them has ended.
 */
final class Clients {
    /** As client-go; the handshake counts, which takes its time on a busy machine. */
    private static final Duration CONNECTING = Duration.ofSeconds(30);

    private final ServerAccess access;
    private final @Nullable SSLContext tls;
    private final Proxies proxies;
    /** Callbacks run on virtual threads: they may block and there may be many. */
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    private final HttpClient requests;
    private @Nullable HttpClient watches;
    private int users;
    private boolean retired;

    Clients(ServerAccess access) {
        boolean encrypted = access.server().startsWith("https:");
        this.access = access;
        this.tls = encrypted ? Tls.of(access) : null;
        this.proxies = Proxies.of(access, System.getenv());
        // Without encryption a client would have to ask for HTTP/2 in its first request, which not every server takes
        // well.
        this.requests = client(encrypted ? HttpClient.Version.HTTP_2 : HttpClient.Version.HTTP_1_1);
    }

    private HttpClient client(HttpClient.Version version) {
        HttpClient.Builder builder = HttpClient.newBuilder()
                .version(version)
                .connectTimeout(CONNECTING)
                .followRedirects(HttpClient.Redirect.NEVER)
                .proxy(proxies)
                .executor(threads);
        if (tls != null) {
            builder.sslContext(tls);
        }
        return builder.build();
    }

    ServerAccess access() {
        return access;
    }

    HttpClient requests() {
        return requests;
    }

    /** Made when it is first needed: most commands watch nothing. */
    synchronized HttpClient watches() {
        HttpClient present = watches;
        if (present == null) {
            present = client(HttpClient.Version.HTTP_1_1);
            watches = present;
        }
        return present;
    }

    /** Says that something runs through them until {@link #left}; false where others have taken their place. */
    synchronized boolean entered() {
        users += retired ? 0 : 1;
        return !retired;
    }

    void left() {
        boolean last;
        synchronized (this) {
            users--;
            last = retired && users == 0;
        }
        if (last) {
            close();
        }
    }

    /** Lets nothing new through. */
    void retire() {
        boolean unused;
        synchronized (this) {
            unused = !retired && users == 0;
            retired = true;
        }
        if (unused) {
            close();
        }
    }

    synchronized boolean isGone() {
        return retired && users == 0;
    }

    /** Cuts off what runs through them. */
    void close() {
        requests.shutdownNow();
        HttpClient opened;
        synchronized (this) {
            opened = watches;
        }
        if (opened != null) {
            opened.shutdownNow();
        }
    }
}
