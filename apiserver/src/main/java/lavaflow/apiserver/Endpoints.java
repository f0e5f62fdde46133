package lavaflow.apiserver;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Everything that is not a resource: discovery, OpenAPI, health, version, metrics. */
final class Endpoints {
    private static final String TEXT = "text/plain; charset=utf-8";

    private final Discovery discovery;
    private final OpenApi openApi;
    private final Health health;
    private final RequestMetrics metrics;
    private final ServerVersion version;
    private final BackupEndpoint backup;
    private final IssuerDiscovery issuer;

    Endpoints(
            Discovery discovery,
            OpenApi openApi,
            Health health,
            RequestMetrics metrics,
            ServerVersion version,
            BackupEndpoint backup,
            IssuerDiscovery issuer) {
        this.discovery = discovery;
        this.openApi = openApi;
        this.health = health;
        this.metrics = metrics;
        this.version = version;
        this.backup = backup;
        this.issuer = issuer;
    }

    void handle(Exchange exchange, RequestInfo info) throws IOException {
        List<String> parts = RequestInfo.segments(info.path());
        // The list of groups answers whatever the method is; upstream's does.
        boolean groups = parts.size() == 1 && parts.getFirst().equals("apis");
        if (!groups && !exchange.method().equals("GET") && !exchange.method().equals("HEAD")) {
            if (parts.isEmpty() || !isDiscovery(parts)) {
                throw new PathNotServed();
            }
            throw ResourceHandler.methodNotAllowed();
        }
        String first = parts.isEmpty() ? "" : parts.getFirst();
        switch (first) {
            case "" -> indented(exchange, paths());
            case "api" -> core(exchange, parts);
            case "apis" -> grouped(exchange, parts);
            case ".well-known" -> issuer.configuration(exchange, parts);
            case "openid" -> issuer.keys(exchange, parts);
            case "openapi" -> openApi.handle(exchange, parts);
            case "version" -> versionDocument(exchange, parts);
            case "healthz", "livez", "readyz" -> health.handle(exchange, parts);
            case "lavaflow" -> lavaflow(exchange, parts);
            case "metrics" -> plain(exchange, 200, metrics.text());
            default -> throw new PathNotServed();
        }
    }

    /** A few documents are meant for people and always indented. */
    private static void indented(Exchange exchange, ObjectNode document) throws IOException {
        exchange.send(200, Negotiation.JSON, Json.pretty(document).getBytes(StandardCharsets.UTF_8));
    }

    private void lavaflow(Exchange exchange, List<String> parts) throws IOException {
        if (parts.size() != 2 || !parts.get(1).equals("backup")) {
            throw new PathNotServed();
        }
        backup.handle(exchange);
    }

    private static boolean isDiscovery(List<String> parts) {
        return parts.getFirst().equals("api") || parts.getFirst().equals("apis");
    }

    static void plain(Exchange exchange, int code, String text) throws IOException {
        exchange.send(code, TEXT, text.getBytes(StandardCharsets.UTF_8));
    }

    private void versionDocument(Exchange exchange, List<String> parts) throws IOException {
        if (parts.size() > 1) {
            throw new PathNotServed();
        }
        indented(exchange, version.document());
    }

    private ObjectNode paths() {
        ObjectNode document = Json.object();
        ArrayNode list = document.putArray("paths");
        for (String path : List.of(
                "/.well-known/openid-configuration",
                "/api",
                "/api/v1",
                "/apis",
                "/healthz",
                "/livez",
                "/metrics",
                "/openapi/v2",
                "/openapi/v3",
                "/openid/v1/jwks",
                "/readyz",
                "/version")) {
            list.add(path);
        }
        return document;
    }

    private void core(Exchange exchange, List<String> parts) throws IOException {
        if (parts.size() > 2) {
            throw new PathNotServed();
        }
        if (parts.size() == 2) {
            ApiHandler.send(exchange, discovery.resources("", parts.get(1)));
            return;
        }
        overview(exchange, true);
    }

    private void grouped(Exchange exchange, List<String> parts) throws IOException {
        switch (parts.size()) {
            case 1 -> overview(exchange, false);
            case 2 -> ApiHandler.send(exchange, discovery.group(parts.get(1)));
            case 3 -> ApiHandler.send(exchange, discovery.resources(parts.get(1), parts.get(2)));
            default -> throw new PathNotServed();
        }
    }

    private void overview(Exchange exchange, boolean core) throws IOException {
        String aggregated = Discovery.aggregatedVersion(exchange.header("Accept"));
        if (aggregated == null) {
            ApiHandler.send(exchange, core ? discovery.coreVersions() : discovery.groupList());
            return;
        }
        exchange.setHeader("Vary", "Accept");
        exchange.setHeader("Cache-Control", "public");
        byte[] body = Rendering.withNewline(Json.bytes(discovery.aggregated(core, aggregated)));
        String type = "application/json;g=apidiscovery.k8s.io;v=" + aggregated + ";as=APIGroupDiscoveryList";
        sendTagged(exchange, type, body);
    }

    /** Sends a document with an ETag, or 304 to a client that has it already. */
    static void sendTagged(Exchange exchange, String type, byte[] body) throws IOException {
        String tag = "\"" + Digests.sha512(body) + "\"";
        exchange.setHeader("ETag", tag);
        if (matches(exchange.header("If-None-Match"), tag)) {
            exchange.send(304, "", new byte[0]);
        } else {
            exchange.send(200, type, body);
        }
    }

    private static boolean matches(@Nullable String header, String tag) {
        if (header == null) {
            return false;
        }
        for (String candidate : header.split(",", -1)) {
            String trimmed = candidate.trim();
            if (trimmed.equals("*") || trimmed.equals(tag) || trimmed.equals("W/" + tag)) {
                return true;
            }
        }
        return false;
    }
}
