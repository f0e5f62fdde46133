package lavaflow.apiserver;

import java.io.IOException;
import java.io.OutputStream;
import java.net.SocketTimeoutException;
import java.time.Duration;

import lavaflow.kube.ApiException;

import org.jspecify.annotations.Nullable;

/** Passes requests on to other servers and their answers back, whatever they are and however long they take. */
final class Relay implements AutoCloseable {
    static final int LOOK_MILLIS = 5_000;

    private final RemoteConnections connections = new RemoteConnections();
    private final RemoteUpgrades upgrades;

    Relay(RemoteUpgrades upgrades) {
        this.upgrades = upgrades;
    }

    RemoteConnections connections() {
        return connections;
    }

    /** @param limit how long the answer may take, null for as long as it takes */
    void pass(PassedRequest request, RemoteConnections.Place place, @Nullable Duration limit) throws IOException {
        String protocol = RemoteRequest.wantedProtocol(request.exchange());
        RemoteConnections.Lease lease;
        try {
            lease = protocol == null ? connections.take(place) : RemoteConnections.fresh(place);
        } catch (IOException e) {
            request.unreachable(e);
            return;
        }
        if (protocol != null) {
            upgrades.pass(request, protocol, lease.connection());
            return;
        }
        if (!pass(request, lease, limit, lease.used() && request.isRepeatable())) {
            RemoteConnections.Lease again;
            try {
                again = RemoteConnections.fresh(lease.place());
            } catch (IOException e) {
                request.unreachable(e);
                return;
            }
            pass(request, again, limit, false);
        }
    }

    static void expire(long begin, Duration limit) throws SocketTimeoutException {
        if (System.nanoTime() - begin >= limit.toNanos()) {
            throw new SocketTimeoutException("context deadline exceeded");
        }
    }

    /** False where nothing came back and it is worth trying again. */
    private boolean pass(
            PassedRequest request, RemoteConnections.Lease lease, @Nullable Duration limit, boolean mayTryAgain)
            throws IOException {
        RemoteConnection connection = lease.connection();
        Exchange exchange = request.exchange();
        boolean done = false;
        try {
            exchange.onAbort(connection::close);
            long begin = System.nanoTime();
            connection.await(LOOK_MILLIS, () -> {
                if (limit != null) {
                    expire(begin, limit);
                }
                exchange.requireClient();
            });
            RemoteConnection.Head head;
            try {
                request.send(connection);
                head = connection.head();
            } catch (SocketTimeoutException e) {
                if (RemoteServers.REQUEST_TIME.equals(limit)) {
                    throw ApiException.of(
                            504, "Timeout", "Timeout: request did not complete within the allotted timeout");
                }
                request.unreachable(e);
                return true;
            } catch (IOException e) {
                if (mayTryAgain) {
                    return false;
                }
                request.unreachable(e);
                return true;
            }
            answer(request, connection, head);
            done = true;
            return true;
        } finally {
            if (done) {
                connections.giveBack(lease);
            } else {
                connection.close();
            }
        }
    }

    static void answer(PassedRequest request, RemoteConnection connection, RemoteConnection.Head head)
            throws IOException {
        Exchange exchange = request.exchange();
        String type = "";
        for (var header : head.headers()) {
            if (header.getKey().equalsIgnoreCase("Content-Type")) {
                type = header.getValue();
            } else if (RemoteRequest.isPassedOn(header.getKey())
                    && !header.getKey().equalsIgnoreCase("Date")) {
                exchange.addHeader(header.getKey(), request.answered(header.getKey(), header.getValue()));
            }
        }
        boolean empty = exchange.method().equals("HEAD") || head.code() == 204 || head.code() == 304;
        if (empty) {
            connection.noBody();
            exchange.send(head.code(), type, new byte[0]);
            return;
        }
        if (head.code() < 200) {
            request.unavailable("unexpected answer: status code " + head.code());
            return;
        }
        OutputStream out = rewriting(request, head, type, exchange.stream(head.code(), type));
        try {
            out.flush();
            connection.copyBody(head, out);
        } catch (IOException e) {
            exchange.breakOff();
            throw e;
        }
        out.close();
    }

    private static OutputStream rewriting(
            PassedRequest request, RemoteConnection.Head head, String type, OutputStream out) {
        String coding = head.header("Content-Encoding");
        boolean known = coding == null || coding.equalsIgnoreCase("gzip");
        return known && request.isRewritten(type) && head.header("Location") == null
                ? new RewrittenPage(out, coding != null, link -> request.answered("Location", link))
                : out;
    }

    @Override
    public void close() {
        connections.close();
    }
}
