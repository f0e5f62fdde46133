package lavaflow.apiserver;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.SocketTimeoutException;
import java.time.Duration;

import lavaflow.access.User;
import lavaflow.kube.ApiException;

import org.jspecify.annotations.Nullable;

/** Asks other API servers: on behalf of a client, or to learn what they serve. */
final class RemoteServers implements AutoCloseable {
    /** Upstream's: how long a request that is no watch may take, and how long one that only asks what is served. */
    static final Duration REQUEST_TIME = Duration.ofSeconds(60);

    private static final Duration DISCOVERY_TIME = Duration.ofSeconds(5);
    private static final int MAX_DOCUMENT = 16 << 20;

    /** A document of another server. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Document(int code, String tag, byte[] body) {}

    private final WebhookTargets targets;
    private final WebhookTrust trust = new WebhookTrust();
    private final Relay relay;
    private final RemoteConnections connections;
    private final @Nullable FrontProxy frontProxy;

    RemoteServers(Stored stored, @Nullable FrontProxy frontProxy) {
        this(stored, frontProxy, new RemoteUpgrades());
    }

    RemoteServers(Stored stored, @Nullable FrontProxy frontProxy, RemoteUpgrades upgrades) {
        this.targets = new WebhookTargets(stored);
        this.frontProxy = frontProxy;
        this.relay = new Relay(upgrades);
        this.connections = relay.connections();
    }

    RemoteConnections connections() {
        return connections;
    }

    private RemoteConnections.Place place(RemoteService service) throws IOException {
        Identity client = frontProxy == null ? null : frontProxy.client();
        return new RemoteConnections.Place(
                targets.endpoints(service.serviceNamespace(), service.serviceName(), service.port()),
                service.serverName(),
                trust.sockets(service.caBundle(), client, service.insecure()));
    }

    /** A document of another server, asked for in the name of a component; whatever the server says. */
    Document document(RemoteService service, User asker, String path, String accept, String knownTag)
            throws IOException {
        try {
            RemoteConnections.Lease lease = connections.take(place(service));
            try {
                return document(lease.connection(), service, asker, path, accept, knownTag);
            } catch (IOException e) {
                lease.connection().close();
                if (!lease.used() || e instanceof SocketTimeoutException) {
                    throw e;
                }
            } finally {
                connections.giveBack(lease);
            }
            RemoteConnections.Lease again = RemoteConnections.fresh(lease.place());
            try {
                return document(again.connection(), service, asker, path, accept, knownTag);
            } finally {
                connections.giveBack(again);
            }
        } catch (ApiException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private static Document document(
            RemoteConnection connection, RemoteService service, User asker, String path, String accept, String knownTag)
            throws IOException {
        long begin = System.nanoTime();
        connection.await(1_000, () -> Relay.expire(begin, DISCOVERY_TIME));
        connection.write("GET " + path + " HTTP/1.1\r\nHost: " + service.serverName() + "\r\nAccept: " + accept
                + (knownTag.isEmpty() ? "" : "\r\nIf-None-Match: " + knownTag)
                + "\r\n" + RemoteRequest.identity(asker) + "\r\n");
        connection.flush();
        RemoteConnection.Head head = connection.head();
        Bounded body = new Bounded(service.name(), begin);
        if (head.code() == 204 || head.code() == 304) {
            connection.noBody();
        } else {
            connection.copyBody(head, body);
        }
        String tag = head.header("Etag");
        return new Document(head.code(), tag == null ? "" : tag, body.bytes.toByteArray());
    }

    /** Refuses to grow beyond what any document of an API server needs, or to take longer. */
    private static final class Bounded extends OutputStream {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final String name;
        private final long begin;

        Bounded(String name, long begin) {
            this.name = name;
            this.begin = begin;
        }

        @Override
        public void write(int one) throws IOException {
            write(new byte[] {(byte) one}, 0, 1);
        }

        @Override
        public void write(byte[] some, int offset, int length) throws IOException {
            if (bytes.size() + length > MAX_DOCUMENT) {
                throw new IOException("the document of " + name + " is too large");
            }
            Relay.expire(begin, DISCOVERY_TIME);
            bytes.write(some, offset, length);
        }
    }

    /** Passes a request on and its answer back, whatever it is and however long it takes. */
    void pass(Exchange exchange, RemoteService service, User user, String auditId, boolean longRunning)
            throws IOException {
        RemoteConnections.Place place;
        try {
            place = place(service);
        } catch (ApiException e) {
            unavailable(exchange, "service unavailable");
            return;
        } catch (IOException e) {
            unreachable(exchange, e);
            return;
        }
        Duration limit = longRunning ? null : isDiscovery(exchange) ? DISCOVERY_TIME : REQUEST_TIME;
        relay.pass(new RemoteRequest(exchange, service, user, auditId), place, limit);
    }

    /** Exactly {@code /apis/GROUP/VERSION}. */
    private static boolean isDiscovery(Exchange exchange) {
        return RequestInfo.segments(exchange.rawPath()).size() == 3;
    }

    static void unreachable(Exchange exchange, IOException failure) throws IOException {
        unavailable(exchange, "error trying to reach service: " + WebhookTrust.goText(failure));
    }

    static void unavailable(Exchange exchange, String why) throws IOException {
        exchange.setHeader("X-Content-Type-Options", "nosniff");
        Endpoints.plain(exchange, 503, why + "\n");
    }

    @Override
    public void close() {
        relay.close();
    }
}
