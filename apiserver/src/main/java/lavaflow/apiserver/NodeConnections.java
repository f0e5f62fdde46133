package lavaflow.apiserver;

import java.io.IOException;

import lavaflow.access.Attributes;
import lavaflow.access.User;
import lavaflow.kube.KindInfo;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What only nodes can answer: logs, commands, ports and programs of pods. */
final class NodeConnections implements AutoCloseable {
    private final Relay relay = new Relay(new RemoteUpgrades());
    private final Nodes nodes;
    private final PodLogs logs;
    private final PodStreaming streaming;
    private final Proxies proxies;
    private final Authorization authorization;

    NodeConnections(Stored stored, @Nullable NodeClient client, Authorization authorization) {
        this.nodes = new Nodes(stored, client);
        this.logs = new PodLogs(nodes, relay.connections());
        this.streaming = new PodStreaming(nodes, relay);
        this.proxies = new Proxies(stored, nodes, relay);
        this.authorization = authorization;
    }

    Nodes nodes() {
        return nodes;
    }

    RemoteConnections connections() {
        return relay.connections();
    }

    void log(Exchange exchange, ObjectNode pod, LogOptions options, Answer answer) throws IOException {
        logs.serve(exchange, pod, options, answer);
    }

    /** Commands are never only read: whoever opens a WebSocket, which is a GET, must be allowed to create one. */
    void requireCreation(User user, RequestInfo info, Query query) {
        Attributes asked = Authorization.attributes(info, query);
        authorization.check(
                user,
                new Attributes(
                        true,
                        "create",
                        asked.namespace(),
                        asked.group(),
                        asked.version(),
                        asked.resource(),
                        asked.subresource(),
                        asked.name(),
                        asked.path(),
                        "",
                        ""));
    }

    void stream(Exchange exchange, ObjectNode pod, KindInfo.Subresource sub, ObjectNode options) throws IOException {
        streaming.connect(exchange, pod, sub.name(), options);
    }

    void proxy(Exchange exchange, Call call) throws IOException {
        proxies.serve(exchange, call);
    }

    @Override
    public void close() {
        relay.close();
    }
}
