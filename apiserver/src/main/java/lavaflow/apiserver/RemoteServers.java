package lavaflow.apiserver;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import javax.net.ssl.SSLSocketFactory;

import lavaflow.access.User;
import lavaflow.kube.ApiException;

import org.jspecify.annotations.Nullable;

/** Asks other API servers: on behalf of a client, or to learn what they serve. */
final class RemoteServers {
    /** They are about one connection, or say who asks, which this server says anew. */
    private static final Set<String> NOT_PASSED_ON = Set.of(
            "connection",
            "keep-alive",
            "proxy-authenticate",
            "proxy-authorization",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade",
            "host",
            "content-length",
            "expect",
            "authorization",
            "audit-id",
            "x-forwarded-for");

    private static final Pattern ESCAPED = Pattern.compile("[^A-Za-z0-9!#$&'*+.^_`|~-]");
    private static final int DISCOVERY_MILLIS = 5_000;
    private static final int MAX_DOCUMENT = 16 << 20;

    private final WebhookTargets targets;
    private final WebhookTrust trust = new WebhookTrust();
    private final @Nullable FrontProxy frontProxy;

    RemoteServers(Stored stored, @Nullable FrontProxy frontProxy) {
        this.targets = new WebhookTargets(stored);
        this.frontProxy = frontProxy;
    }

    private RemoteConnection connect(RemoteService service) throws IOException {
        List<InetSocketAddress> addresses =
                targets.endpoints(service.serviceNamespace(), service.serviceName(), service.port());
        Identity client = frontProxy == null ? null : frontProxy.client();
        SSLSocketFactory sockets = trust.sockets(service.caBundle(), client, service.insecure());
        return RemoteConnection.open(addresses, service.serverName(), sockets);
    }

    /** A document of another server, asked for in its own name; null where it says anything but 200. */
    byte @Nullable [] document(RemoteService service, String path, String accept) throws IOException {
        try (RemoteConnection connection = connect(service)) {
            connection.timeout(DISCOVERY_MILLIS);
            connection.write("GET " + path + " HTTP/1.1\r\nHost: " + service.serverName() + "\r\nAccept: " + accept
                    + "\r\nConnection: close\r\n" + identity(AGGREGATOR) + "\r\n");
            connection.flush();
            RemoteConnection.Head head = connection.head();
            if (head.code() != 200) {
                throw new IOException("bad status from " + url(service) + ": " + head.code());
            }
            ByteArrayOutputStream body = new ByteArrayOutputStream() {
                @Override
                public synchronized void write(byte[] bytes, int offset, int length) {
                    if (size() + length > MAX_DOCUMENT) {
                        throw new IllegalStateException("the document of " + service.name() + " is too large");
                    }
                    super.write(bytes, offset, length);
                }
            };
            connection.copyBody(head, body);
            return body.toByteArray();
        } catch (ApiException | IllegalStateException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private static final User AGGREGATOR = new User("system:aggregator", List.of(User.MASTERS, User.AUTHENTICATED));

    static String url(RemoteService service) {
        return "https://" + service.serverName() + ":" + service.port() + service.path();
    }

    /** Passes a request on and its answer back, whatever it is and however long it takes. */
    void pass(Exchange exchange, RemoteService service, User user, String auditId) throws IOException {
        RemoteConnection connection;
        try {
            connection = connect(service);
        } catch (ApiException e) {
            Endpoints.plain(exchange, 503, "service unavailable\n");
            return;
        } catch (IOException e) {
            Endpoints.plain(exchange, 503, "error trying to reach service: " + WebhookTrust.goText(e) + "\n");
            return;
        }
        try (connection) {
            exchange.onAbort(connection::close);
            send(exchange, connection, service, user, auditId);
            RemoteConnection.Head head;
            try {
                head = connection.head();
            } catch (IOException e) {
                Endpoints.plain(exchange, 503, "error trying to reach service: " + WebhookTrust.goText(e) + "\n");
                return;
            }
            answer(exchange, connection, head);
        }
    }

    private void send(Exchange exchange, RemoteConnection connection, RemoteService service, User user, String auditId)
            throws IOException {
        String query = exchange.rawQuery();
        StringBuilder head = new StringBuilder(1024);
        head.append(exchange.method()).append(' ').append(exchange.rawPath());
        head.append(query.isEmpty() ? "" : "?" + query).append(" HTTP/1.1\r\n");
        header(head, "Host", service.serverName());
        for (String name : exchange.headerNames()) {
            String lower = name.toLowerCase(Locale.ROOT);
            boolean aboutUser = lower.startsWith("x-remote-") || lower.startsWith("impersonate-");
            if (!NOT_PASSED_ON.contains(lower) && !aboutUser && !lower.startsWith(":")) {
                exchange.headers(name).forEach(value -> header(head, name, value));
            }
        }
        String via = exchange.header("X-Forwarded-For");
        header(head, "X-Forwarded-For", via == null ? exchange.remoteAddress() : via + ", " + exchange.remoteAddress());
        header(head, "Audit-Id", auditId);
        header(head, "Connection", "close");
        head.append(identity(user));
        boolean body = !exchange.method().equals("GET") && !exchange.method().equals("HEAD");
        if (body) {
            header(head, "Transfer-Encoding", "chunked");
        }
        connection.write(head.append("\r\n").toString());
        if (body) {
            connection.writeChunked(exchange.body());
        }
        connection.flush();
    }

    private static void header(StringBuilder head, String name, String value) {
        head.append(name).append(": ").append(value.replaceAll("[\\r\\n]", " ")).append("\r\n");
    }

    private static String identity(User user) {
        StringBuilder head = new StringBuilder();
        header(head, FrontProxy.USER, user.name());
        if (!user.uid().isEmpty()) {
            header(head, FrontProxy.UID, user.uid());
        }
        user.groups().forEach(group -> header(head, FrontProxy.GROUP, group));
        user.extra().forEach((key, values) -> {
            String name = FrontProxy.EXTRA
                    + ESCAPED.matcher(key)
                            .replaceAll(match -> String.format(
                                    Locale.ROOT, "%%%02X", (int) match.group().charAt(0)));
            values.forEach(value -> header(head, name, value));
        });
        return head.toString();
    }

    private static void answer(Exchange exchange, RemoteConnection connection, RemoteConnection.Head head)
            throws IOException {
        String type = "";
        for (var header : head.headers()) {
            String lower = header.getKey().toLowerCase(Locale.ROOT);
            if (lower.equals("content-type")) {
                type = header.getValue();
            } else if (!NOT_PASSED_ON.contains(lower) && !lower.equals("date")) {
                exchange.addHeader(header.getKey(), header.getValue());
            }
        }
        boolean empty = exchange.method().equals("HEAD") || head.code() == 204 || head.code() == 304;
        if (empty || head.code() == 101) {
            exchange.send(head.code() == 101 ? 501 : head.code(), type, new byte[0]);
            return;
        }
        try (var out = exchange.stream(head.code(), type)) {
            out.flush();
            connection.copyBody(head, out);
        }
    }
}
