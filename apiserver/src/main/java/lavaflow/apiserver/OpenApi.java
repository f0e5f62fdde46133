package lavaflow.apiserver;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Schemas of everything served: OpenAPI v3 by group and version, and one v2 document.
 *
 * <p>Documents are made when first asked for and kept as bytes. The hash in the index comes from what a document is made
 * of, not from its bytes, so that the index costs nothing.
 */
final class OpenApi {
    /** Raised with every change of how documents are made: clients keep them on disk under their hash. */
    private static final int GENERATION = 2;

    private static final String PROTOBUF = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

    private final ResourceTable table;
    private final ServerVersion version;
    private final Aggregation aggregation;
    private final OpenApiCache documents;

    OpenApi(ResourceTable table, ServerVersion version, Aggregation aggregation) {
        this.aggregation = aggregation;
        this.table = table;
        this.version = version;
        this.documents = new OpenApiCache(version.gitVersion() + " " + GENERATION);
    }

    void handle(Exchange exchange, List<String> parts) throws IOException {
        if (parts.size() < 2) {
            throw new PathNotServed();
        }
        switch (parts.get(1)) {
            case "v2" -> v2(exchange, parts);
            case "v3" -> v3(exchange, parts);
            default -> throw new PathNotServed();
        }
    }

    private void v2(Exchange exchange, List<String> parts) throws IOException {
        if (parts.size() > 2) {
            throw new PathNotServed();
        }
        String accept = exchange.header("Accept");
        if (accept != null && accept.contains(PROTOBUF) && !accept.contains("json") && !accept.contains("*/*")) {
            exchange.send(200, "application/com.github.proto-openapi.spec.v2.v1.0+protobuf", frame());
            return;
        }
        List<OwnGroup> unstored = aggregation.ownGroups();
        String others = aggregation.schemas().hash()
                + unstored.stream().map(OwnGroup::key).toList();
        byte[] document = documents.get("v2", table.catalogue().all(), others, resources -> {
            ObjectNode own = new OpenApiDocument(version, OpenApiDocument.Dialect.V2).of(resources, unstored);
            aggregation.schemas().addDefinitions(own);
            return own;
        });
        Endpoints.sendTagged(exchange, Negotiation.JSON, document);
    }

    /**
     * The v2 document in protobuf, without definitions: kubectl asks for it before it takes a {@code kind: List} apart, and
     * leaves validation to the server where the document does not know a kind.
     */
    private byte[] frame() {
        ByteArrayOutputStream info = new ByteArrayOutputStream();
        field(info, 1, "Kubernetes".getBytes(StandardCharsets.UTF_8));
        field(info, 2, version.gitVersion().getBytes(StandardCharsets.UTF_8));
        ByteArrayOutputStream document = new ByteArrayOutputStream();
        field(document, 1, "2.0".getBytes(StandardCharsets.UTF_8));
        field(document, 2, info.toByteArray());
        field(document, 8, new byte[0]);
        field(document, 9, new byte[0]);
        return document.toByteArray();
    }

    /** A length-delimited field that is shorter than 128 bytes. */
    private static void field(ByteArrayOutputStream out, int number, byte[] bytes) {
        out.write(number << 3 | 2);
        out.write(bytes.length);
        out.writeBytes(bytes);
    }

    private void v3(Exchange exchange, List<String> parts) throws IOException {
        if (parts.size() == 2) {
            Endpoints.sendTagged(exchange, Negotiation.JSON, Json.bytes(index()));
            return;
        }
        String path = String.join("/", parts.subList(2, parts.size()));
        boolean core = path.equals("api/v1");
        boolean grouped = parts.size() == 5 && parts.get(2).equals("apis");
        String group = grouped ? parts.get(3) : "";
        String groupVersion = core ? "v1" : grouped ? parts.get(4) : "";
        List<Resource> stored =
                groupVersion.isEmpty() ? null : table.catalogue().version(group, groupVersion);
        List<OwnGroup> unstored = aggregation.ownGroups().stream()
                .filter(each -> each.key().equals(group + "/" + groupVersion))
                .toList();
        if (stored == null && unstored.isEmpty()) {
            throw new PathNotServed();
        }
        List<Resource> resources = stored == null ? List.of() : stored;
        String wanted = exchange.query().first("hash");
        String current = documents.hash(path, resources);
        if (!wanted.isEmpty() && !wanted.equals(current)) {
            exchange.setHeader("Location", address(path, resources));
            exchange.send(301, "text/plain", new byte[0]);
            return;
        }
        if (!wanted.isEmpty()) {
            exchange.setHeader("Cache-Control", "public, immutable");
            exchange.setHeader("Expires", "Fri, 01 Jan 2100 00:00:00 GMT");
        }
        byte[] document = documents.get(
                path, resources, all -> new OpenApiDocument(version, OpenApiDocument.Dialect.V3).of(all, unstored));
        Endpoints.sendTagged(exchange, Negotiation.JSON, document);
    }

    private ObjectNode index() {
        ObjectNode index = Json.object();
        ObjectNode paths = index.putObject("paths");
        table.catalogue()
                .groups()
                .forEach((_, versions) -> versions.forEach((_, resources) -> {
                    String path = path(resources.getFirst());
                    paths.putObject(path).put("serverRelativeURL", address(path, resources));
                }));
        for (OwnGroup group : aggregation.ownGroups()) {
            String path = "apis/" + group.key();
            paths.putObject(path).put("serverRelativeURL", address(path, List.of()));
        }
        aggregation.addSchemas(paths);
        return index;
    }

    private static String path(Resource resource) {
        String group = resource.group();
        return group.isEmpty()
                ? "api/" + resource.info().version()
                : "apis/" + group + "/" + resource.info().version();
    }

    private String address(String path, List<Resource> resources) {
        return "/openapi/v3/" + path + "?hash=" + documents.hash(path, resources);
    }
}
