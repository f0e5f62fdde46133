package lavaflow.apiserver;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Requests that change to another protocol (WebSockets, SPDY): once the other server agreed, bytes are copied both ways until one side
 * leaves. It must agree by a 101: whoever else got hold of the connection would speak to that server in this server's name.
 */
final class RemoteUpgrades {
    private static final int MOST = 1_000;
    /** As long as a kubelet keeps a quiet session. */
    private static final Duration IDLE = Duration.ofHours(4);

    private static final int HANDSHAKE_MILLIS = 30_000;
    private static final int BUFFER_BYTES = 16 << 10;

    private final Semaphore room;
    private final Duration idle;

    RemoteUpgrades() {
        this(MOST, IDLE);
    }

    RemoteUpgrades(int most, Duration idle) {
        this.room = new Semaphore(most);
        this.idle = idle;
    }

    /** Takes over the connection, whatever comes of it. */
    void pass(PassedRequest request, String protocol, RemoteConnection connection) throws IOException {
        if (!room.tryAcquire()) {
            connection.close();
            request.unavailable("too many upgraded connections");
            return;
        }
        boolean changedHands = false;
        try {
            RemoteConnection.Head head;
            try {
                connection.await(HANDSHAKE_MILLIS, () -> {
                    throw new IOException("i/o timeout");
                });
                request.sendUpgrade(connection, protocol);
                head = connection.head();
            } catch (IOException e) {
                request.unreachable(e);
                return;
            }
            if (head.code() == 101) {
                tunnel(request.exchange(), head, connection);
                changedHands = true;
            } else if (head.code() >= 400) {
                Relay.answer(request, connection, head);
            } else {
                request.unavailable("invalid upgrade response: status code " + head.code());
            }
        } finally {
            if (!changedHands) {
                end(connection);
            }
        }
    }

    private void end(RemoteConnection connection) {
        connection.close();
        room.release();
    }

    private void tunnel(Exchange exchange, RemoteConnection.Head head, RemoteConnection connection) throws IOException {
        for (var header : head.headers()) {
            if (RemoteRequest.isPassedOn(header.getKey()) && !header.getKey().equalsIgnoreCase("date")) {
                exchange.addHeader(header.getKey(), header.getValue());
            }
        }
        String protocol = head.header("Upgrade");
        exchange.setHeader("Connection", "Upgrade");
        exchange.setHeader("Upgrade", protocol == null ? "" : protocol);
        exchange.tunnel(idle, relay(connection));
    }

    /** The conversation itself, over a connection whose server agreed to it. */
    Exchange.Tunnel relay(RemoteConnection connection) throws IOException {
        AtomicLong lastWord = new AtomicLong(System.nanoTime());
        connection.await((int) idle.toMillis(), () -> {
            if (System.nanoTime() - lastWord.get() >= idle.toNanos()) {
                throw new IOException("nothing was said for too long");
            }
        });
        return new BothWays(connection, lastWord);
    }

    /** Copies in both directions until either ends. */
    private final class BothWays implements Exchange.Tunnel {
        private final RemoteConnection connection;
        private final AtomicLong lastWord;

        BothWays(RemoteConnection connection, AtomicLong lastWord) {
            this.connection = connection;
            this.lastWord = lastWord;
        }

        @Override
        public void hold(InputStream fromClient, OutputStream toClient) throws IOException {
            try {
                Thread.ofVirtual().name("tunnel to server").start(() -> toServer(fromClient));
                copy(connection.input(), toClient, lastWord);
            } finally {
                end(connection);
            }
        }

        /** Its end is the other direction's end as well, whose reading then fails. */
        private void toServer(InputStream fromClient) {
            try (connection) {
                copy(fromClient, connection.output(), lastWord);
            } catch (IOException e) {
                // One of the two left.
            }
        }

        @Override
        public void abandoned() {
            end(connection);
        }
    }

    private static void copy(InputStream from, OutputStream to, AtomicLong lastWord) throws IOException {
        byte[] buffer = new byte[BUFFER_BYTES];
        for (int read = from.read(buffer); read >= 0; read = from.read(buffer)) {
            lastWord.set(System.nanoTime());
            to.write(buffer, 0, read);
            to.flush();
        }
    }
}
