package lavaflow.nodeserver;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.ApiException;
import lavaflow.kube.GoQuote;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Requests that become conversations: exec, attach, port-forward, over SPDY or a WebSocket. */
final class NodeStreams {
    private static final String TUNNELLED = "SPDY/3.1+" + PortsOverSpdy.PROTOCOL;
    private static final int MOST_PORTS = 64;

    private final NodeView view;

    NodeStreams(NodeView view) {
        this.view = view;
    }

    /** The container (or, for a port, the pod) a path is about: /VERB/NAMESPACE/POD[/UID]/CONTAINER. */
    static NodeView.Target target(NodeView view, NodeRequest request, boolean withContainer) {
        List<String> path = request.segments();
        int shortest = withContainer ? 4 : 3;
        if (path.size() < shortest || path.size() > shortest + 1 || path.contains("")) {
            throw ApiException.of(404, "NotFound", "404 page not found\n");
        }
        String uid = path.size() > shortest ? path.get(3) : "";
        ObjectNode pod = view.findPod(path.get(1), path.get(2))
                .filter(each -> uid.isEmpty() || uid.equals(Json.textAt(each, "metadata", "uid")))
                .orElseThrow(() -> ApiException.of(404, "NotFound", "pod does not exist"));
        String container = withContainer ? path.getLast() : "";
        if (withContainer && !hasContainer(pod, container)) {
            throw ApiException.of(404, "NotFound", "container not found (" + GoQuote.quote(container) + ")");
        }
        return new NodeView.Target(path.get(1), path.get(2), Json.textAt(pod, "metadata", "uid"), container);
    }

    static boolean hasContainer(ObjectNode pod, String name) {
        for (String list : List.of("containers", "initContainers", "ephemeralContainers")) {
            for (JsonNode container : Json.listAt(pod, "spec", list)) {
                if (Json.textAt(container, "name").equals(name)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** False where the connection is used up. */
    boolean serve(NodeRequest request, NodeRoutes.Conversation conversation) throws IOException {
        if (!request.method().equals("GET") && !request.method().equals("POST")) {
            throw ApiException.of(405, "MethodNotAllowed", "405: Method Not Allowed");
        }
        if (request.segments().getFirst().equals("portForward")) {
            return forward(request, conversation);
        }
        NodeView.StreamRequest wishes = wishes(request);
        NodeView.Target target = target(view, request, true);
        boolean exec = request.segments().getFirst().equals("exec");
        List<String> command = exec ? request.parameters("command") : List.of();
        if (exec && command.isEmpty()) {
            throw ApiException.badRequest("you must specify at least one command");
        }
        RemoteCommand remote = new RemoteCommand(
                () -> exec ? view.exec(target, command, wishes) : view.attach(target, wishes), command);
        if (request.upgrade().equals("websocket")) {
            String protocol = webSocket(request, conversation.reply(), CommandOverWebSocket.PROTOCOLS);
            new CommandOverWebSocket(protocol, wishes).hold(conversation.in(), conversation.out(), remote);
        } else {
            String protocol = spdy(request, conversation.reply(), CommandOverSpdy.PROTOCOLS, "channel.k8s.io");
            new CommandOverSpdy(protocol, wishes).hold(conversation.in(), conversation.out(), remote);
        }
        return false;
    }

    private static NodeView.StreamRequest wishes(NodeRequest request) {
        boolean tty = request.flag("tty");
        boolean stdin = request.flag("stdin") || request.flag("input");
        boolean stdout = request.flag("stdout") || request.flag("output");
        // A terminal has no stream of errors beside the other.
        boolean stderr = (request.flag("stderr") || request.flag("error")) && !tty;
        if (!stdin && !stdout && !stderr) {
            throw ApiException.badRequest("you must specify at least 1 of stdin, stdout, stderr");
        }
        return new NodeView.StreamRequest(stdin, stdout, stderr, tty);
    }

    private boolean forward(NodeRequest request, NodeRoutes.Conversation conversation) throws IOException {
        PortForwarding forwarding = new PortForwarding(view, target(view, request, false));
        if (!request.upgrade().equals("websocket")) {
            spdy(request, conversation.reply(), List.of(PortsOverSpdy.PROTOCOL), PortsOverSpdy.PROTOCOL);
            new PortsOverSpdy(forwarding).hold(conversation.in(), conversation.out());
            return false;
        }
        if (request.list("sec-websocket-protocol").contains(TUNNELLED)) {
            webSocket(request, conversation.reply(), List.of(TUNNELLED));
            WebSocket socket = new WebSocket(conversation.in(), conversation.out());
            new PortsOverSpdy(forwarding).hold(socket.asInput(), socket.asOutput());
            return false;
        }
        List<Integer> ports = ports(request);
        String protocol = webSocket(request, conversation.reply(), PortsOverWebSocket.PROTOCOLS);
        new PortsOverWebSocket(forwarding, ports, protocol.contains("base64"))
                .hold(conversation.in(), conversation.out());
        return false;
    }

    private static List<Integer> ports(NodeRequest request) {
        List<Integer> ports = new ArrayList<>();
        List<String> given = new ArrayList<>(request.parameters("ports"));
        given.addAll(request.parameters("port"));
        for (String list : given) {
            for (String text : list.split(",", -1)) {
                boolean valid = text.matches("[0-9]{1,5}") && Integer.parseInt(text) <= 0xffff;
                if (!valid || Integer.parseInt(text) == 0 || ports.size() == MOST_PORTS) {
                    throw ApiException.badRequest("query parameter \"port\" must be greater than zero");
                }
                ports.add(Integer.parseInt(text));
            }
        }
        if (ports.isEmpty()) {
            throw ApiException.badRequest("query parameter \"port\" is required");
        }
        return ports;
    }

    /** Answers the handshake; the protocol that was chosen, empty where the client named none. */
    private static String webSocket(NodeRequest request, NodeReply reply, List<String> supported) throws IOException {
        String key = request.header("sec-websocket-key");
        if (key.isEmpty() || !request.header("sec-websocket-version").equals("13")) {
            throw ApiException.badRequest("bad WebSocket handshake\n");
        }
        List<String> offered = request.list("sec-websocket-protocol");
        String chosen = offered.stream().filter(supported::contains).findFirst().orElse("");
        if (chosen.isEmpty() && !offered.isEmpty()) {
            throw ApiException.badRequest("none of the WebSocket protocols " + offered + " is supported\n");
        }
        if (!chosen.isEmpty()) {
            reply.header("Sec-WebSocket-Protocol", chosen);
        }
        reply.header("Sec-WebSocket-Accept", WebSocket.accept(key));
        reply.switchTo("websocket");
        return chosen;
    }

    private static String spdy(NodeRequest request, NodeReply reply, List<String> supported, String oldest)
            throws IOException {
        if (!request.upgrade().equals("spdy/3.1")) {
            throw ApiException.badRequest("unable to upgrade: missing upgrade headers in request");
        }
        List<String> offered = request.list("x-stream-protocol-version");
        String chosen = offered.isEmpty()
                ? oldest
                : offered.stream().filter(supported::contains).findFirst().orElse("");
        if (chosen.isEmpty()) {
            reply.header("X-Accepted-Stream-Protocol-Versions", String.join(", ", supported));
            throw ApiException.of(
                    403,
                    "Forbidden",
                    "unable to negotiate protocol: client supports " + offered + ", server accepts " + supported);
        }
        if (!offered.isEmpty()) {
            reply.header("X-Stream-Protocol-Version", chosen);
        }
        reply.switchTo("SPDY/3.1");
        return chosen;
    }
}
