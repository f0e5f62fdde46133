package lavaflow.apiserver;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

import lavaflow.kube.ApiException;
import lavaflow.kube.GoQuote;
import lavaflow.kube.IpAddress;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Requests to programs in pods, behind services, and to kubelets, through this server: pods/proxy, services/proxy, nodes/proxy. */
final class Proxies {
    private final Stored stored;
    private final Nodes nodes;
    private final Relay relay;

    Proxies(Stored stored, Nodes nodes, Relay relay) {
        this.stored = stored;
        this.nodes = nodes;
        this.relay = relay;
    }

    /** A name with what may stand around it: {@code name}, {@code name:port} or {@code scheme:name:port}. */
    record Wanted(String scheme, String name, String port) {
        static Wanted parse(String resource, String id) {
            String[] parts = id.split(":", -1);
            boolean scheme = parts.length == 3 && (parts[0].equals("http") || parts[0].equals("https"));
            String name = parts.length == 3 ? parts[1] : parts[0];
            if (parts.length > 3 || name.isEmpty() || (parts.length == 3 && !scheme)) {
                String kind = resource.substring(0, resource.length() - 1);
                throw ApiException.badRequest("invalid " + kind + " request " + GoQuote.quote(id));
            }
            return new Wanted(scheme ? parts[0] : "", name, parts.length == 1 ? "" : parts[parts.length - 1]);
        }

        boolean secure() {
            return scheme.equals("https");
        }
    }

    void serve(Exchange exchange, Call call) throws IOException {
        String resource = call.resource().name();
        String prefix = prefix(exchange.rawPath(), resource.equals("nodes") ? 5 : 7);
        String path = exchange.rawPath().substring(prefix.length());
        boolean reads = exchange.method().equals("GET") || exchange.method().equals("HEAD");
        Wanted wanted = Wanted.parse(resource, call.name());
        RemoteConnections.Place place = switch (resource) {
            case "pods" -> pod(call.namespace(), wanted);
            case "services" -> service(call.namespace(), call.name(), wanted);
            default -> node(wanted);
        };
        String query = exchange.rawQuery().isEmpty() ? "" : "?" + exchange.rawQuery();
        if (path.isEmpty() && reads && RemoteRequest.wantedProtocol(exchange) == null) {
            // What such a page refers to would otherwise be looked for beside it.
            exchange.setHeader("Location", exchange.rawPath() + "/" + query);
            exchange.send(301, "", new byte[0]);
            return;
        }
        InetSocketAddress address = place.addresses().getFirst();
        Nodes.Kubelet host = new Nodes.Kubelet(address.getHostString(), address.getPort());
        String target = (path.isEmpty() ? "/" : path) + query;
        relay.pass(new BackendRequest(exchange, host.authority(), target, true, prefix), place, null);
    }

    /** So many segments of a path, as they came. */
    private static String prefix(String path, int segments) {
        int end = 0;
        for (int i = 0; i < segments && end >= 0; i++) {
            end = path.indexOf('/', end + 1);
        }
        return end < 0 ? path : path.substring(0, end);
    }

    private RemoteConnections.Place place(String address, int port, boolean secure) throws IOException {
        return new RemoteConnections.Place(
                List.of(new InetSocketAddress(address, port)), address, secure ? nodes.programs() : null);
    }

    private RemoteConnections.Place pod(String namespace, Wanted wanted) throws IOException {
        ObjectNode pod = stored.find("pods", namespace + "/" + wanted.name());
        if (pod == null) {
            throw ApiException.notFound("", "pods", wanted.name());
        }
        String address = Json.textAt(pod, "status", "podIP");
        if (!isProxyable(address)) {
            throw ApiException.badRequest("address not allowed");
        }
        String port = wanted.port().isEmpty() ? firstPort(pod) : wanted.port();
        return place(address, number(port, wanted.secure()), wanted.secure());
    }

    private static String firstPort(ObjectNode pod) {
        for (JsonNode container : Json.listAt(pod, "spec", "containers")) {
            for (JsonNode port : Json.listAt(container, "ports")) {
                return Long.toString(Json.longAt(port, 0, "containerPort"));
            }
        }
        return "";
    }

    private static int number(String port, boolean secure) {
        if (port.isEmpty()) {
            return secure ? 443 : 80;
        }
        if (!port.matches("[0-9]{1,5}") || Integer.parseInt(port) > 0xffff) {
            throw ApiException.of(
                    503,
                    "ServiceUnavailable",
                    "error trying to reach service: dial tcp: lookup tcp/" + port + ": unknown port");
        }
        return Integer.parseInt(port);
    }

    /** Never this machine's own addresses or those around it, which programs here trust. */
    private static boolean isProxyable(String address) {
        IpAddress parsed = IpAddress.parse(address);
        if (parsed == null) {
            return false;
        }
        try {
            var found = java.net.InetAddress.ofLiteral(address);
            return !(found.isLoopbackAddress()
                    || found.isLinkLocalAddress()
                    || found.isAnyLocalAddress()
                    || found.isMulticastAddress());
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private RemoteConnections.Place node(Wanted wanted) throws IOException {
        Nodes.Kubelet kubelet = nodes.kubelet("nodes", wanted.name());
        if (wanted.port().isEmpty() || wanted.port().equals(Integer.toString(kubelet.port()))) {
            return nodes.place(kubelet, false);
        }
        if (!isProxyable(kubelet.host())) {
            throw ApiException.badRequest("address not allowed");
        }
        return place(kubelet.host(), number(wanted.port(), wanted.secure()), wanted.secure());
    }

    private RemoteConnections.Place service(String namespace, String id, Wanted wanted) throws IOException {
        String port = portName(namespace, wanted);
        ObjectNode endpoints = stored.find("endpoints", namespace + "/" + wanted.name());
        if (endpoints == null) {
            throw ApiException.notFound("", "services", wanted.name());
        }
        if (Json.listAt(endpoints, "subsets").isEmpty()) {
            throw unavailable("no endpoints available for service " + GoQuote.quote(wanted.name()));
        }
        List<RemoteConnections.Place> places = new ArrayList<>();
        for (JsonNode subset : Json.listAt(endpoints, "subsets")) {
            for (JsonNode each : Json.listAt(subset, "ports")) {
                if (!Json.textAt(each, "name").equals(port)) {
                    continue;
                }
                for (JsonNode address : Json.listAt(subset, "addresses")) {
                    if (isPod(namespace, address)) {
                        int number = (int) Json.longAt(each, 0, "port");
                        places.add(place(Json.textAt(address, "ip"), number, wanted.secure()));
                    }
                }
            }
        }
        if (places.isEmpty()) {
            throw unavailable("no endpoints available for service " + GoQuote.quote(id));
        }
        return places.get(ThreadLocalRandom.current().nextInt(places.size()));
    }

    private static ApiException unavailable(String why) {
        return ApiException.of(503, "ServiceUnavailable", why);
    }

    /** Ports of services may be named by their numbers. */
    private String portName(String namespace, Wanted wanted) {
        if (!wanted.port().matches("[0-9]+")) {
            return wanted.port();
        }
        ObjectNode service = stored.find("services", namespace + "/" + wanted.name());
        if (service == null) {
            throw ApiException.notFound("", "services", wanted.name());
        }
        for (JsonNode each : Json.listAt(service, "spec", "ports")) {
            if (Long.toString(Json.longAt(each, 0, "port")).equals(wanted.port())) {
                return Json.textAt(each, "name");
            }
        }
        throw unavailable("no service port " + wanted.port() + " found for service " + GoQuote.quote(wanted.name()));
    }

    /** Whoever may write endpoints must not be able to lead others elsewhere than to pods. */
    private boolean isPod(String namespace, JsonNode address) {
        String name = Json.textAt(address, "targetRef", "name");
        boolean here = Json.textAt(address, "targetRef", "namespace").equals(namespace);
        @Nullable ObjectNode pod = here ? stored.find("pods", namespace + "/" + name) : null;
        for (JsonNode each : Json.listAt(pod, "status", "podIPs")) {
            if (Json.textAt(each, "ip").equals(Json.textAt(address, "ip"))) {
                return isProxyable(Json.textAt(each, "ip"));
            }
        }
        return false;
    }
}
