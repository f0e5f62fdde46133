package lavaflow.remote;

import java.util.concurrent.Executors;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;

/**
 * The library's clients with one set of credentials: one for requests, which share a connection of HTTP/2, one for watches, which
 * have connections of their own. When others have taken their place they go, but not before what runs through them has ended.
 */
final class Clients {
    /** Callbacks of the client run on virtual threads: they may block and there may be many. */
    private static final class Factory extends JdkHttpClientFactory {
        @Override
        protected java.net.http.HttpClient.Builder createNewHttpClientBuilder() {
            return java.net.http.HttpClient.newBuilder().executor(Executors.newVirtualThreadPerTaskExecutor());
        }
    }

    private final HttpClient requests;
    private final HttpClient watches;
    private int users;
    private boolean retired;

    Clients(Config config) {
        Factory factory = new Factory();
        this.requests = factory.newBuilder(config).build();
        this.watches = factory.newBuilder(config).preferHttp11().build();
    }

    HttpClient requests() {
        return requests;
    }

    HttpClient watches() {
        return watches;
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
        requests.close();
        watches.close();
    }
}
