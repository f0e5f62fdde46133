package lavaflow.apiserver;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocketFactory;

import org.jspecify.annotations.Nullable;

/** Connections to other API servers between two requests: few, and not for long. Safe for all threads. */
final class RemoteConnections implements AutoCloseable {
    private static final int MOST_OF_A_SERVER = 16;
    private static final int MOST = 128;
    /** Shorter than servers wait: upstream's hang up after 90 seconds. */
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(60);

    /**
     * What connections must have in common to stand in for each other: whom they reach, and how that was made sure.
     *
     * @param sockets null without TLS
     */
    record Place(
            List<InetSocketAddress> addresses,
            String serverName,
            @Nullable SSLSocketFactory sockets) {}

    /** A connection, and whether it has been used before. */
    record Lease(RemoteConnection connection, Place place, boolean used) {}

    private record Server(
            InetSocketAddress address,
            String serverName,
            @Nullable SSLSocketFactory sockets) {}

    private record Idle(RemoteConnection connection, long since) {}

    private final Map<Server, Deque<Idle>> idle = new LinkedHashMap<>();
    private int count;
    private boolean closed;

    /** One that waits for work, else a new one. */
    Lease take(Place place) throws IOException {
        for (InetSocketAddress address : place.addresses()) {
            RemoteConnection waiting = poll(new Server(address, place.serverName(), place.sockets()));
            if (waiting != null) {
                return new Lease(waiting, place, true);
            }
        }
        return fresh(place);
    }

    static Lease fresh(Place place) throws IOException {
        RemoteConnection opened = RemoteConnection.open(place.addresses(), place.serverName(), place.sockets());
        return new Lease(opened, place, false);
    }

    private @Nullable RemoteConnection poll(Server server) {
        List<RemoteConnection> useless = new ArrayList<>();
        try {
            synchronized (this) {
                Deque<Idle> waiting = idle.get(server);
                long now = System.nanoTime();
                while (waiting != null && !waiting.isEmpty()) {
                    Idle last = waiting.removeLast();
                    count--;
                    if (now - last.since() < IDLE_NANOS && !last.connection().isStale()) {
                        return last.connection();
                    }
                    useless.add(last.connection());
                }
                return null;
            }
        } finally {
            useless.forEach(RemoteConnection::close);
        }
    }

    /** Keeps a connection for the next request where its server does too; closes it otherwise. */
    void giveBack(Lease lease) {
        if (!lease.connection().isReusable() || !keep(lease)) {
            lease.connection().close();
        }
    }

    private synchronized boolean keep(Lease lease) {
        Place place = lease.place();
        Server server = new Server(lease.connection().address(), place.serverName(), place.sockets());
        Deque<Idle> waiting = idle.computeIfAbsent(server, _ -> new ArrayDeque<>());
        if (closed || count >= MOST || waiting.size() >= MOST_OF_A_SERVER) {
            return false;
        }
        waiting.addLast(new Idle(lease.connection(), System.nanoTime()));
        count++;
        return true;
    }

    /** Closes what has waited for too long. */
    void prune() {
        closeAll(collect(IDLE_NANOS));
    }

    private synchronized List<RemoteConnection> collect(long longerThan) {
        List<RemoteConnection> collected = new ArrayList<>();
        long now = System.nanoTime();
        for (Iterator<Deque<Idle>> servers = idle.values().iterator(); servers.hasNext(); ) {
            Deque<Idle> waiting = servers.next();
            while (!waiting.isEmpty() && now - waiting.getFirst().since() >= longerThan) {
                collected.add(waiting.removeFirst().connection());
                count--;
            }
            if (waiting.isEmpty()) {
                servers.remove();
            }
        }
        return collected;
    }

    private static void closeAll(List<RemoteConnection> connections) {
        connections.forEach(RemoteConnection::close);
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        closeAll(collect(Long.MIN_VALUE));
    }
}
