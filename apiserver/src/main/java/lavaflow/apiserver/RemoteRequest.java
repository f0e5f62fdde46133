package lavaflow.apiserver;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

import lavaflow.access.User;

import org.jspecify.annotations.Nullable;

/** A client's request as another API server gets to read it: the same, but for who asks, which this server says. */
record RemoteRequest(Exchange exchange, RemoteService service, User user, String auditId) implements PassedRequest {
    /** They are about one connection, or say who asks, which this server says anew. */
    private static final Set<String> NOT_PASSED_ON = Set.of(
            "connection",
            "keep-alive",
            "proxy-authenticate",
            "proxy-authorization",
            "proxy-connection",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade",
            "http2-settings",
            "host",
            "content-length",
            "expect",
            "authorization",
            "audit-id",
            "x-forwarded-for");

    private static final Pattern ESCAPED = Pattern.compile("[^A-Za-z0-9!#$&'*+.^_`|~-]");

    static boolean isPassedOn(String header) {
        return !NOT_PASSED_ON.contains(header.toLowerCase(Locale.ROOT));
    }

    /**
     * The protocol the client wants to change to, null where it does not. HTTP/2 without encryption is never one: over such a connection a
     * client could say itself who it is.
     */
    static @Nullable String wantedProtocol(Exchange exchange) {
        String wanted = exchange.header("Upgrade");
        boolean asked = exchange.headers("Connection").stream()
                .flatMap(value -> List.of(value.split(",", -1)).stream())
                .anyMatch(value -> value.strip().equalsIgnoreCase("upgrade"));
        return !asked || wanted == null || wanted.toLowerCase(Locale.ROOT).startsWith("h2") ? null : wanted;
    }

    @Override
    public boolean isRepeatable() {
        return !hasBody();
    }

    private boolean hasBody() {
        return hasBody(exchange);
    }

    static boolean hasBody(Exchange exchange) {
        String method = exchange.method();
        return !method.equals("GET") && !method.equals("HEAD") && !method.equals("OPTIONS");
    }

    @Override
    public void send(RemoteConnection connection) throws IOException {
        StringBuilder head = head();
        if (hasBody()) {
            header(head, "Transfer-Encoding", "chunked");
        }
        connection.write(head.append("\r\n").toString());
        if (hasBody()) {
            connection.writeChunked(exchange.body());
        }
        connection.flush();
    }

    @Override
    public void sendUpgrade(RemoteConnection connection, String protocol) throws IOException {
        StringBuilder head = head();
        header(head, "Connection", "Upgrade");
        header(head, "Upgrade", protocol);
        if (hasBody()) {
            header(head, "Content-Length", "0");
        }
        connection.write(head.append("\r\n").toString());
        connection.flush();
    }

    @Override
    public void unreachable(IOException failure) throws IOException {
        RemoteServers.unreachable(exchange, failure);
    }

    @Override
    public void unavailable(String why) throws IOException {
        RemoteServers.unavailable(exchange, why);
    }

    private StringBuilder head() {
        String query = exchange.rawQuery();
        StringBuilder head = new StringBuilder(1024);
        head.append(exchange.method()).append(' ').append(exchange.rawPath());
        head.append(query.isEmpty() ? "" : "?" + query).append(" HTTP/1.1\r\n");
        header(head, "Host", service.serverName());
        passHeaders(exchange, head);
        header(head, "Audit-Id", auditId);
        return head.append(identity(user));
    }

    /** The client's headers, but for those about its connection and about who it is. */
    static void passHeaders(Exchange exchange, StringBuilder head) {
        for (String name : exchange.headerNames()) {
            String lower = name.toLowerCase(Locale.ROOT);
            boolean aboutUser = lower.startsWith("x-remote-") || lower.startsWith("impersonate-");
            if (lower.equals(WebSocketToken.HEADER)) {
                List<String> protocols = WebSocketToken.withoutTokens(exchange.headers(name));
                if (!protocols.isEmpty()) {
                    header(head, name, String.join(", ", protocols));
                }
            } else if (isPassedOn(lower) && !aboutUser && !lower.startsWith(":")) {
                exchange.headers(name).forEach(value -> header(head, name, value));
            }
        }
        List<String> via = new ArrayList<>(exchange.headers("X-Forwarded-For"));
        via.add(exchange.remoteAddress());
        header(head, "X-Forwarded-For", String.join(", ", via));
    }

    static void header(StringBuilder head, String name, String value) {
        head.append(name).append(": ").append(value.replaceAll("[\\r\\n]", " ")).append("\r\n");
    }

    /** The headers that say who asks. */
    static String identity(User user) {
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
}
