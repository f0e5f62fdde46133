package lavaflow.apiserver;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

import lavaflow.access.User;
import lavaflow.kube.Json;
import lavaflow.store.Store;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Groups that other servers answer for, by the APIServices there are. Their requests are passed on; what they serve appears in
 * this server's discovery. Costs nothing while there is none.
 */
final class Aggregation {
    static final String BUCKET = "apiregistration.k8s.io/apiservices";

    private final Store store;
    private final Stored stored;
    private final RemoteServers servers;
    private final RemoteSchemas schemas;
    private final Map<String, ObjectNode> resources = new ConcurrentHashMap<>();
    private volatile Map<String, RemoteService> remote = Map.of();
    private final Map<String, OwnGroup> own = new ConcurrentHashMap<>();

    Aggregation(Store store, RemoteServers servers) {
        this.store = store;
        this.stored = new Stored(store);
        this.servers = servers;
        this.schemas = new RemoteSchemas(servers);
    }

    RemoteSchemas schemas() {
        return schemas;
    }

    RemoteServers servers() {
        return servers;
    }

    /** Reads the APIServices anew. */
    synchronized void reload() {
        Map<String, RemoteService> found = new TreeMap<>();
        if (store.objects(BUCKET) > 0) {
            for (ObjectNode object : stored.all(BUCKET, "")) {
                RemoteService service = RemoteService.of(object);
                if (service != null) {
                    found.put(service.group() + "/" + service.version(), service);
                }
            }
        }
        for (OwnGroup group : own.values()) {
            if (found.putIfAbsent(group.key(), group.asService()) == null) {
                resources.put(group.key(), group.resources());
            }
        }
        remote = found;
        resources.keySet().retainAll(found.keySet());
        schemas.retain(found.keySet());
    }

    /** Answers for a group from now on, unless somebody else does. */
    void serve(OwnGroup group) {
        own.put(group.key(), group);
        reload();
    }

    /** Those whose objects nobody stores and this server answers for. */
    List<OwnGroup> ownGroups() {
        List<OwnGroup> answered = new ArrayList<>();
        remote.forEach((key, service) -> {
            OwnGroup group = service.isOwn() ? own.get(key) : null;
            if (group != null) {
                answered.add(group);
            }
        });
        return answered;
    }

    /** Those of other servers. */
    List<RemoteService> services() {
        return remote.values().stream().filter(service -> !service.isOwn()).toList();
    }

    /** Keeps what another server says it serves. */
    void learned(RemoteService service, ObjectNode resourceList) {
        resources.put(service.group() + "/" + service.version(), resourceList);
    }

    /** What another server says it serves in a version, null where that is not known. */
    @Nullable
    ObjectNode resources(String group, String version) {
        return resources.get(group + "/" + version);
    }

    /** Who answers for a path, null where this server does. */
    @Nullable
    RemoteService find(RequestInfo info) {
        Map<String, RemoteService> known = remote;
        if (known.isEmpty()) {
            return null;
        }
        if (info.resourceRequest()) {
            return known.get(info.group() + "/" + info.version());
        }
        List<String> parts = RequestInfo.segments(info.path());
        boolean group = parts.size() >= 3 && parts.getFirst().equals("apis");
        boolean schema = parts.size() == 5
                && parts.getFirst().equals("openapi")
                && parts.get(1).equals("v3")
                && parts.get(2).equals("apis");
        if (group) {
            return known.get(parts.get(1) + "/" + parts.get(2));
        }
        RemoteService described = schema ? known.get(parts.get(3) + "/" + parts.get(4)) : null;
        return described == null || described.isOwn() ? null : described;
    }

    void pass(Exchange exchange, RemoteService service, User user, String auditId, boolean longRunning)
            throws IOException {
        OwnGroup here = service.isOwn() ? own.get(service.group() + "/" + service.version()) : null;
        if (here != null) {
            RequestInfo info = RequestInfo.parse(exchange.method(), exchange.rawPath(), exchange.query());
            here.handler().serve(exchange, info, user);
            return;
        }
        RemoteService now = service.available() ? service : asStored(service);
        if (!now.available()) {
            RemoteServers.unavailable(exchange, "service unavailable");
            return;
        }
        servers.pass(exchange, now, user, auditId, longRunning);
    }

    /** Who reads in the status of an APIService that it answers may ask at once, before it has been read anew here. */
    private RemoteService asStored(RemoteService service) {
        ObjectNode object = stored.find(BUCKET, service.name());
        RemoteService now = object == null ? null : RemoteService.of(object);
        return now == null ? service : now;
    }

    /** Versions of the groups that others serve, the preferred one first. */
    private Map<String, List<RemoteService>> groups() {
        List<RemoteService> ordered = new ArrayList<>(remote.values());
        ordered.sort(Comparator.comparingLong(RemoteService::groupPriority)
                .reversed()
                .thenComparing(RemoteService::group)
                .thenComparing(
                        Comparator.comparingLong(RemoteService::versionPriority).reversed())
                .thenComparing(RemoteService::version));
        Map<String, List<RemoteService>> groups = new LinkedHashMap<>();
        for (RemoteService service : ordered) {
            groups.computeIfAbsent(service.group(), _ -> new ArrayList<>()).add(service);
        }
        return groups;
    }

    boolean isEmpty() {
        return remote.isEmpty();
    }

    /** How far to the front a group belongs, 0 where others have no version of it. */
    long priority(String group) {
        return remote.values().stream()
                .filter(service -> service.group().equals(group))
                .mapToLong(RemoteService::groupPriority)
                .max()
                .orElse(0);
    }

    /** Adds remote groups to the list at {@code /apis}, whether their servers answer or not. */
    void addGroups(ArrayNode list) {
        groups().keySet().forEach(name -> {
            ObjectNode present = named(list, name, "name");
            addVersions(present == null ? list.addObject().put("name", name) : present, name);
        });
    }

    /** Adds the versions others have of a group; false where that is none. */
    boolean addVersions(ObjectNode group, String name) {
        List<RemoteService> versions = groups().getOrDefault(name, List.of());
        ArrayNode list = group.withArray("versions");
        for (RemoteService version : versions) {
            list.addObject().put("groupVersion", name + "/" + version.version()).put("version", version.version());
        }
        if (!list.isEmpty()) {
            group.set("preferredVersion", list.get(0).deepCopy());
        }
        return !versions.isEmpty();
    }

    private static @Nullable ObjectNode named(ArrayNode list, String name, String... path) {
        for (JsonNode each : list) {
            if (Json.textAt(each, path).equals(name)) {
                return (ObjectNode) each;
            }
        }
        return null;
    }

    /** Adds remote groups to aggregated discovery; versions whose server does not answer are called stale. */
    void addAggregated(ArrayNode items) {
        groups().forEach((name, versions) -> {
            ObjectNode present = named(items, name, "metadata", "name");
            ObjectNode item = present == null ? items.addObject() : present;
            if (present == null) {
                item.putObject("metadata").put("name", name);
            }
            ArrayNode list = item.withArray("versions");
            for (RemoteService version : versions) {
                ObjectNode entry = list.addObject();
                entry.put("version", version.version());
                ObjectNode known = resources.get(name + "/" + version.version());
                if (known != null) {
                    RemoteDiscovery.addResources(entry.putArray("resources"), known);
                }
                entry.put("freshness", version.available() && known != null ? "Current" : "Stale");
            }
        });
    }

    /** Adds what other servers describe to the index of OpenAPI v3. */
    void addSchemas(ObjectNode paths) {
        for (Map.Entry<String, RemoteService> each : remote.entrySet()) {
            String path = each.getValue().path().substring(1);
            String address = schemas.address(each.getKey());
            if (!address.isEmpty() && !paths.has(path)) {
                paths.putObject(path).put("serverRelativeURL", address);
            }
        }
    }
}
