package lavaflow.apiserver;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;

import lavaflow.kinds.PodStreams;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** What containers have said, as the kubelet of their node tells it. */
final class PodLogs {
    private static final List<String> PROTOCOLS = List.of("binary.k8s.io", "base64.binary.k8s.io");
    private static final int MOST_REFUSAL = 50_000;

    private final Nodes nodes;
    private final RemoteConnections connections;

    PodLogs(Nodes nodes, RemoteConnections connections) {
        this.nodes = nodes;
        this.connections = connections;
    }

    /** Answers nothing for a pod that has no node yet: it has said nothing. */
    void serve(Exchange exchange, ObjectNode pod, LogOptions options, Answer answer) throws IOException {
        String container = PodStreams.container(pod, options.container());
        String node = Json.textAt(pod, "spec", "nodeName");
        if (node.isEmpty()) {
            answer.nothing();
            return;
        }
        Nodes.Kubelet kubelet = nodes.kubelet("pods", node);
        String target = "/containerLogs/" + Metadata.namespace(pod) + "/" + Metadata.name(pod) + "/" + container
                + options.parameters();
        RemoteConnections.Lease lease = open(kubelet, target, options.blindly());
        RemoteConnection connection = lease.connection();
        boolean whole = false;
        try {
            exchange.onAbort(connection::close);
            connection.await(Relay.LOOK_MILLIS, exchange::requireClient);
            RemoteConnection.Head head = ask(lease, kubelet, target);
            if (head.code() < 200 || head.code() > 206) {
                throw refusal(Metadata.name(pod), connection, head);
            }
            if (exchange.wantsWebSocket()) {
                overWebSocket(exchange, connection, head);
                whole = true; // it changed hands
                return;
            }
            copy(exchange, connection, head);
            connections.giveBack(lease);
            whole = true;
        } finally {
            if (!whole) {
                connection.close();
            }
        }
    }

    private RemoteConnections.Lease open(Nodes.Kubelet kubelet, String target, boolean blindly) throws IOException {
        try {
            // A new one each: whether a used one still works shows only when the question is asked.
            return RemoteConnections.fresh(nodes.place(kubelet, blindly));
        } catch (IOException e) {
            throw unreachable(kubelet, target, e);
        }
    }

    private static ApiException unreachable(Nodes.Kubelet kubelet, String target, IOException why) {
        String url = "https://" + kubelet.authority() + target;
        return ApiException.of(500, "", "Get \"" + url + "\": " + WebhookTrust.goText(why));
    }

    private static RemoteConnection.Head ask(RemoteConnections.Lease lease, Nodes.Kubelet kubelet, String target)
            throws IOException {
        try {
            lease.connection().write("GET " + target + " HTTP/1.1\r\nHost: " + kubelet.authority() + "\r\n\r\n");
            lease.connection().flush();
            return lease.connection().head();
        } catch (IOException e) {
            throw unreachable(kubelet, target, e);
        }
    }

    private static void copy(Exchange exchange, RemoteConnection connection, RemoteConnection.Head head)
            throws IOException {
        OutputStream out = exchange.stream(200, "text/plain");
        try {
            out.flush();
            connection.copyBody(head, out);
        } catch (IOException e) {
            exchange.breakOff();
            throw e;
        }
        out.close();
    }

    private static void overWebSocket(Exchange exchange, RemoteConnection connection, RemoteConnection.Head head)
            throws IOException {
        String asked = String.join(",", exchange.headers("Sec-WebSocket-Protocol"));
        boolean text = asked.contains("base64.binary.k8s.io");
        exchange.upgrade(PROTOCOLS, socket -> {
            socket.onClose(connection::close);
            connection.await(Integer.MAX_VALUE, () -> {});
            try (connection) {
                socket.send(new byte[0]); // says that everything stands
                connection.copyBody(head, new OutputStream() {
                    @Override
                    public void write(int one) throws IOException {
                        write(new byte[] {(byte) one}, 0, 1);
                    }

                    @Override
                    public void write(byte[] bytes, int offset, int length) throws IOException {
                        byte[] message = java.util.Arrays.copyOfRange(bytes, offset, offset + length);
                        if (text) {
                            socket.send(Base64.getEncoder().encodeToString(message));
                        } else {
                            socket.send(message);
                        }
                    }
                });
            }
        });
    }

    /** What a kubelet refuses, in its words. */
    private static ApiException refusal(String pod, RemoteConnection connection, RemoteConnection.Head head)
            throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        connection.copyBody(head, new OutputStream() {
            @Override
            public void write(int one) {
                write(new byte[] {(byte) one}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) {
                body.write(bytes, offset, Math.min(length, MOST_REFUSAL - body.size()));
            }
        });
        String said = body.toString(StandardCharsets.UTF_8);
        return switch (head.code()) {
            case 500 -> ApiException.internal(said);
            case 400 -> ApiException.badRequest(said);
            default -> generic(head.code(), pod, said);
        };
    }

    private static ApiException generic(int code, String pod, String said) {
        String reason = switch (code) {
            case 401 -> "Unauthorized";
            case 403 -> "Forbidden";
            case 404 -> "NotFound";
            case 405 -> "MethodNotAllowed";
            case 422 -> "Invalid";
            case 503 -> "ServiceUnavailable";
            default -> code >= 500 ? "InternalError" : "";
        };
        String message = switch (code) {
            case 401 -> "the server has asked for the client to provide credentials";
            case 403 -> said.isEmpty() ? "forbidden" : said;
            case 404 -> "the server could not find the requested resource";
            case 422 -> "the server rejected our request due to an error in our request";
            default -> "the server responded with the status code " + code + " but did not return more information";
        };
        return ApiException.of(code, reason, message + " ( pods " + pod + ")");
    }
}
