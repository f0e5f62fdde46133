package lavaflow.apiserver;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

import lavaflow.kinds.PodStreams;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Commands in pods, attachments to them and connections to their ports: passed on to the kubelet of the pod's node. */
final class PodStreaming {
    private final Nodes nodes;
    private final Relay relay;

    PodStreaming(Nodes nodes, Relay relay) {
        this.nodes = nodes;
        this.relay = relay;
    }

    /** @param options what the client wants, as admission left it */
    void connect(Exchange exchange, ObjectNode pod, String verb, ObjectNode options) throws IOException {
        boolean ports = verb.equals("portforward");
        String container = ports ? "" : PodStreams.container(pod, Json.textAt(options, "container"));
        Nodes.Kubelet kubelet = nodes.kubelet("pods", PodStreams.node(pod));
        if (RemoteRequest.wantedProtocol(exchange) == null) {
            throw lavaflow.kube.ApiException.badRequest("Upgrade request required");
        }
        String path = "/" + (ports ? "portForward" : verb) + "/" + Metadata.namespace(pod) + "/" + Metadata.name(pod)
                + (ports ? "" : "/" + container);
        String parameters = ports ? ports(options) : streams(options);
        String target = parameters.isEmpty() ? path : path + "?" + parameters;
        BackendRequest request = new BackendRequest(exchange, kubelet.authority(), target, false, "");
        relay.pass(request, nodes.place(kubelet, false), null);
    }

    /** Kubelets know them by older names than clients do. */
    private static String streams(ObjectNode options) {
        StringBuilder parameters = new StringBuilder();
        add(parameters, Json.flagAt(options, "stdin"), "input=1");
        add(parameters, Json.flagAt(options, "stdout"), "output=1");
        add(parameters, Json.flagAt(options, "stderr"), "error=1");
        add(parameters, Json.flagAt(options, "tty"), "tty=1");
        for (JsonNode word : Json.listAt(options, "command")) {
            add(parameters, true, "command=" + URLEncoder.encode(word.asText(), StandardCharsets.UTF_8));
        }
        return parameters.toString();
    }

    private static void add(StringBuilder parameters, boolean wanted, String parameter) {
        if (wanted) {
            parameters.append(parameters.isEmpty() ? "" : "&").append(parameter);
        }
    }

    private static String ports(ObjectNode options) {
        StringBuilder ports = new StringBuilder();
        for (JsonNode port : Json.listAt(options, "ports")) {
            ports.append(ports.isEmpty() ? "port=" : "%2C").append(port.asText());
        }
        return ports.toString();
    }
}
