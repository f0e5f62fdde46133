package lavaflow.remote;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import lavaflow.controller.KubeApi.Kind;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What a server serves, as far as controllers care: kinds that can be listed, watched and deleted. Immutable. */
final class KnownKinds {
    /** A kind in one version, in the server's order of preference. */
    record Served(
            String group, String version, String resource, String kindName, boolean namespaced, boolean complete) {
        String apiVersion() {
            return group.isEmpty() ? version : group + "/" + version;
        }

        Kind kind() {
            return new Kind(group, version, resource, namespaced);
        }
    }

    private record Place(String group, String resource) {
        /** The one kind that is served in two groups; both show the same objects. */
        static Place of(Served served) {
            boolean event =
                    served.group().equals("events.k8s.io") && served.resource().equals("events");
            return event ? new Place("", "events") : new Place(served.group(), served.resource());
        }
    }

    private final List<Served> served;
    private final List<Kind> all;
    private final Map<String, Kind> byTypeName = new HashMap<>();
    private final Map<Kind, Served> byKind = new HashMap<>();

    KnownKinds(List<Served> served) {
        this.served = List.copyOf(served);
        Map<Place, Kind> first = new LinkedHashMap<>();
        for (Served each : served) {
            byKind.putIfAbsent(each.kind(), each);
            if (each.complete()) {
                first.putIfAbsent(Place.of(each), each.kind());
            }
        }
        for (Served each : served) {
            Kind kind = first.get(Place.of(each));
            if (kind != null) {
                byTypeName.put(each.apiVersion() + "/" + each.kindName(), kind);
            }
        }
        this.all = List.copyOf(first.values());
    }

    List<Kind> all() {
        return all;
    }

    Optional<Kind> find(String apiVersion, String kindName) {
        return Optional.ofNullable(byTypeName.get(apiVersion + "/" + kindName));
    }

    /** The Kind that objects at a place have; null where the server does not say. */
    @Nullable
    String nameOf(Kind kind) {
        Served found = byKind.get(kind);
        return found == null ? null : found.kindName();
    }

    /** What was served of a version when it was last heard of. */
    List<Served> of(String group, String version) {
        return served.stream()
                .filter(each -> each.group().equals(group) && each.version().equals(version))
                .toList();
    }

    /** Reads an APIGroupDiscoveryList. */
    static List<Served> ofGroups(ObjectNode list, KnownKinds before) {
        List<Served> found = new ArrayList<>();
        for (JsonNode group : Json.listAt(list, "items")) {
            String name = Json.textAt(group, "metadata", "name");
            for (JsonNode version : Json.listAt(group, "versions")) {
                String label = Json.textAt(version, "version");
                List<Served> resources = ofVersion(name, version);
                // An extension server that does not answer has not lost its kinds.
                boolean stale = Json.textAt(version, "freshness").equals("Stale") && resources.isEmpty();
                found.addAll(stale ? before.of(name, label) : resources);
            }
        }
        return found;
    }

    private static List<Served> ofVersion(String group, JsonNode version) {
        List<Served> found = new ArrayList<>();
        for (JsonNode resource : Json.listAt(version, "resources")) {
            found.add(new Served(
                    group,
                    Json.textAt(version, "version"),
                    Json.textAt(resource, "resource"),
                    Json.textAt(resource, "responseKind", "kind"),
                    Json.textAt(resource, "scope").equals("Namespaced"),
                    isComplete(resource)));
        }
        return found;
    }

    /** Reads an APIResourceList, the older form: one for each version of a group. */
    static List<Served> ofResources(ObjectNode list) {
        String groupVersion = Json.textAt(list, "groupVersion");
        int slash = groupVersion.indexOf('/');
        String group = slash < 0 ? "" : groupVersion.substring(0, slash);
        String version = groupVersion.substring(slash + 1);
        List<Served> found = new ArrayList<>();
        for (JsonNode resource : Json.listAt(list, "resources")) {
            String name = Json.textAt(resource, "name");
            if (!name.contains("/")) {
                found.add(new Served(
                        group,
                        version,
                        name,
                        Json.textAt(resource, "kind"),
                        Json.flagAt(resource, "namespaced"),
                        isComplete(resource)));
            }
        }
        return found;
    }

    private static boolean isComplete(JsonNode resource) {
        List<String> verbs = new ArrayList<>();
        Json.listAt(resource, "verbs").forEach(verb -> verbs.add(verb.asText()));
        return verbs.containsAll(List.of("list", "watch", "delete"));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof KnownKinds that && served.equals(that.served);
    }

    @Override
    public int hashCode() {
        return served.hashCode();
    }
}
