package lavaflow.cluster;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * One endpoint of a slice; null and empty parts are absent.
 *
 * @param target the pod or whatever else answers there, as an object reference
 * @param zoneHints zones whose clients should prefer it
 * @param nodeHints nodes whose clients should prefer it
 */
record Endpoint(
        List<String> addresses,
        Conditions conditions,
        @Nullable String hostname,
        @Nullable String node,
        @Nullable String zone,
        @Nullable Target target,
        List<String> zoneHints,
        List<String> nodeHints) {

    record Conditions(
            @Nullable Boolean ready,
            @Nullable Boolean serving,
            @Nullable Boolean terminating) {}

    /** What answers at an endpoint. */
    record Target(
            String kind,
            String namespace,
            String name,
            String uid,
            String apiVersion,
            String resourceVersion,
            String fieldPath) {
        static @Nullable Target of(@Nullable JsonNode reference) {
            return reference == null
                    ? null
                    : new Target(
                            Json.textAt(reference, "kind"),
                            Json.textAt(reference, "namespace"),
                            Json.textAt(reference, "name"),
                            Json.textAt(reference, "uid"),
                            Json.textAt(reference, "apiVersion"),
                            Json.textAt(reference, "resourceVersion"),
                            Json.textAt(reference, "fieldPath"));
        }

        static Target ofPod(PodAddress pod) {
            return new Target("Pod", pod.namespace(), pod.name(), pod.uid(), "", "", "");
        }

        /** As Go prints it for hashing. */
        String printed() {
            return "{Kind:(string)" + kind + " Namespace:(string)" + namespace + " Name:(string)" + name
                    + " UID:(types.UID)" + uid + " APIVersion:(string)" + apiVersion + " ResourceVersion:(string)"
                    + resourceVersion + " FieldPath:(string)" + fieldPath + "}";
        }

        ObjectNode json() {
            ObjectNode json = Json.object();
            put(json, "kind", kind);
            put(json, "namespace", namespace);
            put(json, "name", name);
            put(json, "uid", uid);
            put(json, "apiVersion", apiVersion);
            put(json, "resourceVersion", resourceVersion);
            put(json, "fieldPath", fieldPath);
            return json;
        }
    }

    /** What makes two endpoints the same one, in different states. */
    record Identity(List<String> addresses, @Nullable String hostname, String namespace, String name) {}

    Identity identity() {
        return new Identity(
                addresses.stream().sorted().toList(),
                hostname,
                target == null ? "" : target.namespace(),
                target == null ? "" : target.name());
    }

    /** Whether clients may use it; nobody said it is not. */
    boolean isReady() {
        return conditions.ready() == null || conditions.ready();
    }

    /** Equal but for hints, which depend on all endpoints together. */
    boolean sameBeyondHints(Endpoint other) {
        return withHints(List.of(), List.of()).equals(other.withHints(List.of(), List.of()));
    }

    boolean hasHints() {
        return !zoneHints.isEmpty() || !nodeHints.isEmpty();
    }

    Endpoint withHints(List<String> zones, List<String> nodes) {
        return new Endpoint(addresses, conditions, hostname, node, zone, target, zones, nodes);
    }

    static Endpoint of(JsonNode json) {
        List<String> addresses = new ArrayList<>(1);
        Json.listAt(json, "addresses").forEach(address -> addresses.add(address.asText()));
        return new Endpoint(
                List.copyOf(addresses),
                new Conditions(
                        flag(json, "conditions", "ready"),
                        flag(json, "conditions", "serving"),
                        flag(json, "conditions", "terminating")),
                text(json, "hostname"),
                text(json, "nodeName"),
                text(json, "zone"),
                Target.of(Json.at(json, "targetRef")),
                names(json, "forZones"),
                names(json, "forNodes"));
    }

    private static @Nullable Boolean flag(JsonNode json, String... path) {
        JsonNode found = Json.at(json, path);
        return found == null ? null : found.booleanValue();
    }

    private static @Nullable String text(JsonNode json, String field) {
        JsonNode found = Json.at(json, field);
        return found == null ? null : found.textValue();
    }

    private static List<String> names(JsonNode json, String field) {
        List<String> names = new ArrayList<>(0);
        Json.listAt(json, "hints", field).forEach(hint -> names.add(Json.textAt(hint, "name")));
        return List.copyOf(names);
    }

    ObjectNode json() {
        ObjectNode json = Json.object();
        ArrayNode list = json.putArray("addresses");
        addresses.forEach(list::add);
        ObjectNode states = json.putObject("conditions");
        put(states, "ready", conditions.ready());
        put(states, "serving", conditions.serving());
        put(states, "terminating", conditions.terminating());
        put(json, "hostname", hostname);
        put(json, "nodeName", node);
        put(json, "zone", zone);
        if (target != null) {
            json.set("targetRef", target.json());
        }
        if (hasHints()) {
            ObjectNode hints = json.putObject("hints");
            put(hints, "forZones", zoneHints);
            put(hints, "forNodes", nodeHints);
        }
        return json;
    }

    private static void put(ObjectNode json, String field, @Nullable String value) {
        if (value != null && !value.isEmpty()) {
            json.put(field, value);
        }
    }

    private static void put(ObjectNode json, String field, @Nullable Boolean value) {
        if (value != null) {
            json.put(field, value);
        }
    }

    private static void put(ObjectNode json, String field, List<String> names) {
        if (!names.isEmpty()) {
            ArrayNode list = json.putArray(field);
            names.forEach(name -> list.addObject().put("name", name));
        }
    }
}
