package lavaflow.apiserver;

import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import lavaflow.kube.ApiException;
import lavaflow.kube.GoQuote;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Where a webhook is: at a URL, or behind a service, whose ready endpoints are dialled without a proxy in between. */
final class WebhookTargets {
    private static final int HTTPS_PORT = 443;

    /**
     * A webhook's place.
     *
     * @param url as messages show it
     * @param key equal for targets that can share connections
     */
    record Target(
            String url,
            String hostHeader,
            String path,
            String serverName,
            String caBundle,
            String key,
            Supplier<List<InetSocketAddress>> addresses) {}

    private final Stored stored;
    /** Spreads calls over the endpoints of a service. */
    private final AtomicInteger turn = new AtomicInteger();

    WebhookTargets(Stored stored) {
        this.stored = stored;
    }

    Target target(JsonNode config, Duration timeout) throws WebhookFailure {
        String bundle = Json.textAt(config, "caBundle");
        String query = "timeout=" + timeout.toSeconds() + "s";
        JsonNode service = Json.at(config, "service");
        if (service == null) {
            return byUrl(Json.textAt(config, "url"), query, bundle);
        }
        String namespace = Json.textAt(service, "namespace");
        String name = Json.textAt(service, "name");
        int port = (int) Json.longAt(service, HTTPS_PORT, "port");
        String serverName = name + "." + namespace + ".svc";
        String authority = serverName + ":" + port;
        String given = Json.textAt(service, "path");
        String path = (given.startsWith("/") ? given : "/" + given) + "?" + query;
        return new Target(
                "https://" + authority + path,
                authority,
                path,
                serverName,
                bundle,
                authority + " " + bundle,
                () -> endpoints(namespace, name, port));
    }

    private static Target byUrl(String url, String query, String bundle) throws WebhookFailure {
        URI uri;
        try {
            // Go takes spaces in paths and escapes them.
            uri = URI.create(url.replace(" ", "%20"));
        } catch (IllegalArgumentException e) {
            throw new WebhookFailure("Unparsable webhook URL: " + url, 0);
        }
        String host = uri.getHost();
        if (host == null || !"https".equals(uri.getScheme())) {
            throw new WebhookFailure("Unparsable webhook URL: " + url, 0);
        }
        String plainHost = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
        int port = uri.getPort() < 0 ? HTTPS_PORT : uri.getPort();
        String path = uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
        return new Target(
                "https://" + uri.getRawAuthority() + path + "?" + query,
                uri.getRawAuthority(),
                path + "?" + query,
                plainHost,
                bundle,
                plainHost + ":" + port + " " + bundle,
                () -> List.of(new InetSocketAddress(plainHost, port)));
    }

    /** The addresses to try, best first. Upstream's refusals where there is none. */
    List<InetSocketAddress> endpoints(String namespace, String name, int port) {
        ObjectNode service = stored.find("services", namespace + "/" + name);
        if (service == null) {
            throw ApiException.of(404, "NotFound", "service " + GoQuote.quote(name) + " not found");
        }
        String type = Json.textAt(service, "spec", "type");
        if (type.equals("ExternalName")) {
            return List.of(new InetSocketAddress(Json.textAt(service, "spec", "externalName"), port));
        }
        JsonNode servicePort = port(service, port);
        if (servicePort == null) {
            throw ApiException.of(
                    503, "ServiceUnavailable", "no service port " + port + " found for service " + GoQuote.quote(name));
        }
        List<InetSocketAddress> ready = new ArrayList<>();
        boolean known = slices(namespace, name, Json.textAt(servicePort, "name"), ready);
        known |= ready.isEmpty() && subsets(namespace, name, Json.textAt(servicePort, "name"), ready);
        if (!ready.isEmpty()) {
            java.util.Collections.rotate(ready, turn.getAndIncrement());
            return ready;
        }
        String clusterIp = Json.textAt(service, "spec", "clusterIP");
        if (known || clusterIp.isEmpty() || clusterIp.equals("None")) {
            throw ApiException.of(
                    503, "ServiceUnavailable", "no endpoints available for service " + GoQuote.quote(name));
        }
        return List.of(new InetSocketAddress(clusterIp, port));
    }

    private static @Nullable JsonNode port(ObjectNode service, int port) {
        for (JsonNode each : Json.listAt(service, "spec", "ports")) {
            if (Json.longAt(each, 0, "port") == port) {
                return each;
            }
        }
        return null;
    }

    /** Collects ready addresses; true if the service has slices at all. */
    private boolean slices(String namespace, String service, String portName, List<InetSocketAddress> ready) {
        boolean known = false;
        for (ObjectNode slice : stored.all("discovery.k8s.io/endpointslices", namespace)) {
            if (!Json.textAt(slice, "metadata", "labels", "kubernetes.io/service-name")
                    .equals(service)) {
                continue;
            }
            known = true;
            int port = portOf(Json.listAt(slice, "ports"), portName);
            for (JsonNode endpoint : Json.listAt(slice, "endpoints")) {
                JsonNode condition = Json.at(endpoint, "conditions", "ready");
                if (port > 0 && (condition == null || condition.asBoolean())) {
                    Json.listAt(endpoint, "addresses")
                            .forEach(address -> ready.add(new InetSocketAddress(address.asText(), port)));
                }
            }
        }
        return known;
    }

    private boolean subsets(String namespace, String service, String portName, List<InetSocketAddress> ready) {
        ObjectNode endpoints = stored.find("endpoints", namespace + "/" + service);
        if (endpoints == null) {
            return false;
        }
        for (JsonNode subset : Json.listAt(endpoints, "subsets")) {
            int port = portOf(Json.listAt(subset, "ports"), portName);
            for (JsonNode address : Json.listAt(subset, "addresses")) {
                if (port > 0) {
                    ready.add(new InetSocketAddress(Json.textAt(address, "ip"), port));
                }
            }
        }
        return true;
    }

    private static int portOf(JsonNode ports, String name) {
        for (JsonNode port : ports) {
            if (Json.textAt(port, "name").equals(name)) {
                return (int) Json.longAt(port, 0, "port");
            }
        }
        return 0;
    }
}
