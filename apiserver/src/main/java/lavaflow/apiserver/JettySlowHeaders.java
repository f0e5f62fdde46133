package lavaflow.apiserver;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * Hangs up on clients that take too long over the header of one request. A byte now and then keeps a connection from being
 * idle, and nothing else would ever end it.
 */
final class JettySlowHeaders implements Connection.Listener {
    private record Seen(long message, long sinceNanos) {}

    private final long mostNanos;
    private final Map<HttpConnection, Seen> connections = new ConcurrentHashMap<>();

    JettySlowHeaders(Duration most) {
        this.mostNanos = most.toNanos();
    }

    void start(Scheduler scheduler) {
        long pause = Math.max(1, TimeUnit.NANOSECONDS.toMillis(mostNanos) / 4);
        scheduler.schedule(
                () -> {
                    sweep(System.nanoTime());
                    start(scheduler);
                },
                pause,
                TimeUnit.MILLISECONDS);
    }

    @Override
    public void onOpened(Connection connection) {
        if (connection instanceof HttpConnection http) {
            connections.put(http, new Seen(-1, 0));
        }
    }

    @Override
    public void onClosed(Connection connection) {
        if (connection instanceof HttpConnection http) {
            connections.remove(http);
        }
    }

    /** Looks at parsers that other threads use: what is seen may be old, but a header that takes long is seen again. */
    private void sweep(long now) {
        connections.forEach((connection, seen) -> {
            HttpParser.State state = connection.getParser().getState();
            boolean inHeader =
                    state.compareTo(HttpParser.State.START) > 0 && state.compareTo(HttpParser.State.CONTENT) < 0;
            long message = connection.getMessagesIn();
            if (!inHeader) {
                connections.replace(connection, seen, new Seen(-1, now));
            } else if (seen.message() != message) {
                connections.replace(connection, seen, new Seen(message, now));
            } else if (now - seen.sinceNanos() > mostNanos) {
                connection.getEndPoint().close();
            }
        });
    }
}
