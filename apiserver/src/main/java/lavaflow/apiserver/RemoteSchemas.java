package lavaflow.apiserver;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

import lavaflow.access.User;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What other API servers say about their schemas. Learned when they are looked after; what they do not say any more is remembered, as
 * long as their APIService is there.
 */
final class RemoteSchemas {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteSchemas.class);
    private static final User AGGREGATOR = new User("system:aggregator", List.of(User.MASTERS, User.AUTHENTICATED));

    /**
     * What is known of one version of a group.
     *
     * @param tag of the document the definitions are from
     * @param definitions its part of the OpenAPI v2 document; bytes, because they are seldom wanted
     * @param address where its OpenAPI v3 document is, empty where there is none
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Known(String tag, byte[] definitions, String hash, String address) {
        static final Known NOTHING = new Known("", new byte[0], "", "");
    }

    private final RemoteServers servers;
    private final Map<String, Known> known = new ConcurrentHashMap<>();

    RemoteSchemas(RemoteServers servers) {
        this.servers = servers;
    }

    private static String key(RemoteService service) {
        return service.group() + "/" + service.version();
    }

    void retain(Collection<String> groupVersions) {
        known.keySet().retainAll(groupVersions);
    }

    /** Asks a server that answers. */
    void learn(RemoteService service) {
        Known before = known.getOrDefault(key(service), Known.NOTHING);
        Known after = before;
        try {
            after = definitions(service, before);
            after = new Known(after.tag(), after.definitions(), after.hash(), address(service));
        } catch (IOException | IllegalArgumentException e) {
            LOG.debug("{} does not describe its schemas: {}", service.name(), e.getMessage());
        }
        known.put(key(service), after);
    }

    private Known definitions(RemoteService service, Known before) throws IOException {
        RemoteServers.Document document =
                servers.document(service, AGGREGATOR, "/openapi/v2", "application/json", before.tag());
        if (document.code() != 200 || !(Json.parseUntrusted(document.body()) instanceof ObjectNode all)) {
            return before;
        }
        String group = "/apis/" + service.group() + "/";
        ObjectNode part = OpenApiMerge.part(
                all, path -> path.equals(group) || (path + "/").startsWith(group + service.version() + "/"));
        byte[] bytes = Json.bytes(part);
        return new Known(document.tag(), bytes, Digests.sha512(bytes), before.address());
    }

    private String address(RemoteService service) throws IOException {
        RemoteServers.Document index = servers.document(service, AGGREGATOR, "/openapi/v3", "application/json", "");
        if (index.code() != 200) {
            return "";
        }
        String path = service.path().substring(1);
        String address = Json.textAt(Json.parseUntrusted(index.body()), "paths", path, "serverRelativeURL");
        // Never an address of anything else: clients follow it.
        boolean own = address.equals("/openapi/v3/" + path) || address.startsWith("/openapi/v3/" + path + "?");
        return own ? address : "";
    }

    /** Changes whenever the definitions of others do. */
    String hash() {
        StringBuilder all = new StringBuilder();
        new TreeMap<>(known).forEach((name, each) -> all.append(name).append(each.hash()));
        return all.toString();
    }

    /** Adds all that others define to this server's own document. */
    void addDefinitions(ObjectNode document) {
        for (Map.Entry<String, Known> each : new TreeMap<>(known).entrySet()) {
            if (each.getValue().definitions().length > 0) {
                try {
                    OpenApiMerge.add(document, Json.parseObject(each.getValue().definitions()));
                } catch (IllegalArgumentException e) {
                    LOG.warn("the schemas of {} cannot be published: {}", each.getKey(), e.getMessage());
                }
            }
        }
    }

    /** Where a version's OpenAPI v3 document is, empty where there is none. */
    String address(String groupVersion) {
        return known.getOrDefault(groupVersion, Known.NOTHING).address();
    }
}
