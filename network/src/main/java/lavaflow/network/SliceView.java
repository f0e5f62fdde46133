package lavaflow.network;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What rules and names need of an EndpointSlice with IPv4 addresses. */
record SliceView(String service, List<Port> ports, List<Endpoint> endpoints) {
    private static final String SERVICE = "kubernetes.io/service-name";

    /** A port; the protocol in lower case as rules name it. */
    record Port(String name, String protocol, int port) {}

    /** One who answers; the first of its addresses counts, the others are the same. */
    record Endpoint(
            String address, boolean ready, boolean serving, boolean terminating, String node, String hostname) {}

    /** Null where it is of no service, or of addresses that are none here. */
    static @Nullable SliceView of(ObjectNode slice) {
        JsonNode labels = Json.at(slice, "metadata", "labels");
        String service = labels == null ? "" : labels.path(SERVICE).asText();
        if (service.isEmpty() || !Json.textAt(slice, "addressType").equals("IPv4")) {
            return null;
        }
        List<Port> ports = new ArrayList<>();
        for (JsonNode port : Json.listAt(slice, "ports")) {
            String protocol = Json.textAt(port, "protocol");
            int number = (int) Json.longAt(port, 0, "port");
            if (number > 0) {
                ports.add(new Port(
                        Json.textAt(port, "name"),
                        protocol.isEmpty() ? "tcp" : protocol.toLowerCase(Locale.ROOT),
                        number));
            }
        }
        List<Endpoint> endpoints = new ArrayList<>();
        for (JsonNode endpoint : Json.listAt(slice, "endpoints")) {
            String address = Json.listAt(endpoint, "addresses").path(0).asText();
            if (ServiceView.isFour(address)) {
                endpoints.add(endpoint(endpoint, address));
            }
        }
        String namespace = Json.textAt(slice, "metadata", "namespace");
        return new SliceView(namespace + "/" + service, List.copyOf(ports), List.copyOf(endpoints));
    }

    /** What nobody said of an endpoint is taken for good. */
    private static Endpoint endpoint(JsonNode endpoint, String address) {
        JsonNode ready = Json.at(endpoint, "conditions", "ready");
        JsonNode serving = Json.at(endpoint, "conditions", "serving");
        boolean isReady = ready == null || ready.asBoolean();
        return new Endpoint(
                address,
                isReady,
                serving == null ? isReady : serving.asBoolean(),
                Json.flagAt(endpoint, "conditions", "terminating"),
                Json.textAt(endpoint, "nodeName"),
                Json.textAt(endpoint, "hostname"));
    }
}
