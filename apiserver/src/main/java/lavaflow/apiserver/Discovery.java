package lavaflow.apiserver;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import lavaflow.kube.ApiException;
import lavaflow.kube.Json;
import lavaflow.kube.KindInfo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What is served, in both forms clients ask for: legacy documents and one aggregated document. */
final class Discovery {
    private static final List<String> TERMINATING_VERBS = List.of("delete", "deletecollection", "get", "list", "watch");

    private final ResourceTable table;
    private final Supplier<String> serverAddress;
    private final Aggregation aggregation;

    Discovery(ResourceTable table, Supplier<String> serverAddress, Aggregation aggregation) {
        this.aggregation = aggregation;
        this.table = table;
        this.serverAddress = serverAddress;
    }

    /** Versions by group, both in order of preference. */
    private Map<String, Map<String, List<Resource>>> groups() {
        return table.catalogue().groups();
    }

    /** {@code /api}. */
    ObjectNode coreVersions() {
        ObjectNode versions = Json.object();
        versions.put("kind", "APIVersions");
        versions.putArray("versions").add("v1");
        versions.putArray("serverAddressByClientCIDRs")
                .addObject()
                .put("clientCIDR", "0.0.0.0/0")
                .put("serverAddress", serverAddress.get());
        return versions;
    }

    /** {@code /apis}. */
    ObjectNode groupList() {
        ObjectNode list = Json.object();
        list.put("kind", "APIGroupList").put("apiVersion", "v1");
        ArrayNode groups = list.putArray("groups");
        for (var group : groups().entrySet()) {
            if (!group.getKey().isEmpty()) {
                groups.add(group(group.getKey(), group.getValue()));
            }
        }
        aggregation.addGroups(groups);
        order(groups, "name");
        return list;
    }

    /** Groups of others belong where their priority puts them; the others are in order. */
    private void order(ArrayNode groups, String... name) {
        if (aggregation.isEmpty()) {
            return;
        }
        List<JsonNode> ordered = new ArrayList<>();
        groups.forEach(ordered::add);
        ordered.sort(Comparator.comparingLong((JsonNode group) -> priority(Json.textAt(group, name)))
                .reversed()
                .thenComparing(group -> Json.textAt(group, name)));
        groups.removeAll();
        groups.addAll(ordered);
    }

    private long priority(String group) {
        long own = groups().containsKey(group) ? ApiServiceObjects.priority(group, table.isBuiltinGroup(group)) : 0;
        return Math.max(own, aggregation.priority(group));
    }

    /** {@code /apis/GROUP}. */
    ObjectNode group(String name) {
        Map<String, List<Resource>> versions = name.isEmpty() ? null : groups().get(name);
        ObjectNode described = versions == null ? Json.object().put("name", name) : group(name, versions);
        if (!aggregation.addVersions(described, name) && versions == null) {
            throw new PathNotServed();
        }
        ObjectNode group = Json.object();
        group.put("kind", "APIGroup").put("apiVersion", "v1");
        group.setAll(described);
        return group;
    }

    private static ObjectNode group(String name, Map<String, List<Resource>> versions) {
        ObjectNode group = Json.object();
        group.put("name", name);
        ArrayNode list = group.putArray("versions");
        for (String version : versions.keySet()) {
            list.addObject().put("groupVersion", name + "/" + version).put("version", version);
        }
        group.set("preferredVersion", list.get(0).deepCopy());
        return group;
    }

    /** {@code /api/v1} and {@code /apis/GROUP/VERSION}. */
    ObjectNode resources(String groupName, String version) {
        Map<String, List<Resource>> versions = groups().get(groupName);
        List<Resource> resources = versions == null ? null : versions.get(version);
        if (resources == null) {
            if (versions == null || !table.isBuiltinGroup(groupName)) {
                throw new PathNotServed();
            }
            throw ApiException.noSuchPath();
        }
        ObjectNode list = Json.object();
        list.put("kind", "APIResourceList");
        if (!groupName.isEmpty()) {
            list.put("apiVersion", "v1");
        }
        list.put("groupVersion", groupName.isEmpty() ? version : groupName + "/" + version);
        ArrayNode entries = list.putArray("resources");
        for (Resource resource : resources) {
            addLegacy(entries, resource);
        }
        return list;
    }

    /** Nothing is created or changed any more of a kind whose definition is being deleted. */
    private static List<String> verbs(Resource resource) {
        CustomVersion custom = resource.custom();
        return custom != null && custom.kind().isTerminating()
                ? TERMINATING_VERBS
                : resource.info().verbs();
    }

    private static void addLegacy(ArrayNode entries, Resource resource) {
        KindInfo info = resource.info();
        ObjectNode entry = entries.addObject();
        entry.put("name", info.resource());
        entry.put("singularName", info.singular());
        entry.put("namespaced", info.namespaced());
        entry.put("kind", info.kind());
        strings(entry, "verbs", verbs(resource), true);
        strings(entry, "shortNames", info.shortNames(), false);
        strings(entry, "categories", info.categories(), false);
        if (!info.storageVersionHash().isEmpty()) {
            entry.put("storageVersionHash", info.storageVersionHash());
        }
        for (KindInfo.Subresource sub : info.subresources()) {
            ObjectNode below = entries.addObject();
            below.put("name", info.resource() + "/" + sub.name());
            below.put("singularName", "");
            below.put("namespaced", sub.namespaced());
            boolean foreign =
                    !sub.group().equals(info.group()) || !sub.version().equals(info.version());
            if (foreign) {
                if (!sub.group().isEmpty()) {
                    below.put("group", sub.group());
                }
                below.put("version", sub.version());
            }
            below.put("kind", sub.kind());
            strings(below, "verbs", sub.verbs(), true);
        }
    }

    private static void strings(ObjectNode node, String field, List<String> values, boolean always) {
        if (always || !values.isEmpty()) {
            ArrayNode list = node.putArray(field);
            values.forEach(list::add);
        }
    }

    /** The whole of {@code /api} (core) or {@code /apis} in one document. */
    ObjectNode aggregated(boolean core, String apiVersion) {
        ObjectNode list = Json.object();
        list.put("kind", "APIGroupDiscoveryList").put("apiVersion", "apidiscovery.k8s.io/" + apiVersion);
        list.putObject("metadata");
        ArrayNode items = list.putArray("items");
        for (var group : groups().entrySet()) {
            if (group.getKey().isEmpty() != core) {
                continue;
            }
            ObjectNode item = items.addObject();
            ObjectNode metadata = item.putObject("metadata");
            if (!core) {
                metadata.put("name", group.getKey());
            }
            ArrayNode versions = item.putArray("versions");
            for (var version : group.getValue().entrySet()) {
                ObjectNode entry = versions.addObject();
                entry.put("version", version.getKey());
                ArrayNode resources = entry.putArray("resources");
                for (Resource resource : version.getValue()) {
                    addAggregated(resources, resource);
                }
                entry.put("freshness", "Current");
            }
        }
        if (!core) {
            aggregation.addAggregated(items);
            order(items, "metadata", "name");
        }
        return list;
    }

    private static void addAggregated(ArrayNode resources, Resource resource) {
        KindInfo info = resource.info();
        ObjectNode entry = resources.addObject();
        entry.put("resource", info.resource());
        responseKind(entry, "", "", info.kind());
        entry.put("scope", info.namespaced() ? "Namespaced" : "Cluster");
        entry.put("singularResource", info.singular());
        strings(entry, "verbs", verbs(resource), true);
        strings(entry, "shortNames", info.shortNames(), false);
        strings(entry, "categories", info.categories(), false);
        if (!info.subresources().isEmpty()) {
            ArrayNode below = entry.putArray("subresources");
            for (KindInfo.Subresource sub : info.subresources()) {
                ObjectNode subresource = below.addObject();
                subresource.put("subresource", sub.name());
                boolean own = sub.group().equals(info.group()) && sub.version().equals(info.version());
                responseKind(subresource, own ? "" : sub.group(), own ? "" : sub.version(), sub.kind());
                strings(subresource, "verbs", sub.verbs(), true);
            }
        }
    }

    /** Upstream leaves group and version out where they are the resource's own. */
    private static void responseKind(ObjectNode entry, String group, String version, String kind) {
        entry.putObject("responseKind")
                .put("group", group)
                .put("version", version)
                .put("kind", kind);
    }

    /** The version of the aggregated form a client accepts before the legacy one, or null. */
    static @Nullable String aggregatedVersion(@Nullable String accept) {
        if (accept == null) {
            return null;
        }
        for (Negotiation.Accept alternative : Negotiation.parse(accept)) {
            Map<String, String> parameters = alternative.parameters();
            boolean aggregated = alternative.type().equals(Negotiation.JSON)
                    && "APIGroupDiscoveryList".equals(parameters.get("as"))
                    && "apidiscovery.k8s.io".equals(parameters.get("g"));
            String version = parameters.getOrDefault("v", "");
            if (aggregated && version.equals("v2")) {
                return version;
            }
            if (alternative.type().equals(Negotiation.JSON) && parameters.get("as") == null) {
                return null;
            }
        }
        return null;
    }
}
