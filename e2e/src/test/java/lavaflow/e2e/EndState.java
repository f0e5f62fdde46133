package lavaflow.e2e;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What is in a namespace in the end, without what cannot be the same twice: names and addresses made by chance, uids, times,
 * revisions, who wrote which field. Objects whose names are made by chance are compared as a set.
 */
final class EndState {
    /** What is not worth comparing: the record of the API itself, and what has a section of its own. */
    private static final List<String> NOT_SHOWN = List.of("events", "leases");

    private static final Pattern TIME = Pattern.compile("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z");
    private static final Pattern UID = Pattern.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}");
    private static final Pattern ADDRESS = Pattern.compile("\\b10\\.\\d+\\.\\d+\\.\\d+\\b");
    /** Names by chance end in five of the letters and digits that make no words. */
    private static final Pattern CHANCE = Pattern.compile("-[bcdfghjklmnpqrstvwxz2456789]{5}\\b");
    /** Hashes of templates are of Go's memory, and ours are of the tree; nothing but names depends on them. */
    private static final Pattern HASH =
            Pattern.compile("(?<![a-z0-9])(?=[a-z]*\\d)[bcdfghjklmnpqrstvwxz2456789]{7,10}(?![a-z0-9])");
    /** Claims that a Job of Volcano's called j has made, and volumes for claims. */
    static final Pattern CLAIM = Pattern.compile("\\bj-(pvc-)?[a-z0-9]{12}\\b");
    /** Jobs of a cron job are called by the minute they were for. */
    private static final Pattern MINUTE = Pattern.compile("-2\\d{7}\\b");

    private final KubeApi api;
    private final String namespace;
    private final Scope scope;
    private final Map<String, String> owners = new HashMap<>();

    private EndState(KubeApi api, String namespace, Scope scope) {
        this.api = api;
        this.namespace = namespace;
        this.scope = scope;
    }

    static ObjectNode of(KubeApi api, String namespace, Scope scope, ControllerScenario scenario) {
        return new EndState(api, namespace, scope).read(scenario);
    }

    private ObjectNode read(ControllerScenario scenario) {
        Map<String, List<ObjectNode>> found = new TreeMap<>();
        for (KubeApi.Kind kind : api.kinds()) {
            if (scope.kinds().test(kind) && !NOT_SHOWN.contains(kind.resource())) {
                List<ObjectNode> items = items(kind);
                if (!items.isEmpty()) {
                    found.put(kind.toString(), items);
                }
            }
        }
        found.values()
                .forEach(items -> items.forEach(item -> owners.put(
                        Json.textAt(item, "metadata", "uid"),
                        "uid of " + Json.textAt(item, "kind") + " " + plain(Json.textAt(item, "metadata", "name")))));
        ObjectNode state = Json.object();
        found.forEach((kind, items) -> state.set(kind, shown(kind, items, scenario.ignored())));
        if (!scenario.eventsVary()) {
            state.set("events", events());
        }
        return state;
    }

    /** Of what is outside the namespace, that which is named after it. */
    private List<ObjectNode> items(KubeApi.Kind kind) {
        if (kind.namespaced()) {
            return api.list(kind, namespace, KubeApi.View.WHOLE).items();
        }
        return api.list(kind, "", KubeApi.View.WHOLE).items().stream()
                .filter(item -> Json.textAt(item, "metadata", "name").contains(namespace))
                .toList();
    }

    private ArrayNode shown(String kind, List<ObjectNode> items, List<ControllerScenario.Ignored> ignored) {
        List<ObjectNode> shown = new ArrayList<>();
        for (ObjectNode item : items) {
            ObjectNode metadata = Json.ensureObject(item, "metadata");
            metadata.remove(List.of("managedFields", "resourceVersion", "uid", "namespace"));
            // Each cluster has an authority of its own, and the text about it is ours.
            Differences.blank(item, "/data/ca.crt");
            Differences.blank(item, "/metadata/annotations/kubernetes.io~1description");
            scope.departures().accept(item);
            ignored.stream()
                    .filter(each -> each.kind().equals(kind))
                    .forEach(each -> Differences.blank(item, each.pointer()));
            shown.add((ObjectNode) replaced(item));
        }
        shown.sort((a, b) -> Json.string(a).compareTo(Json.string(b)));
        ArrayNode list = Json.array();
        shown.forEach(list::add);
        return list;
    }

    private JsonNode replaced(JsonNode node) {
        return switch (node) {
            case ObjectNode object -> {
                ObjectNode copy = Json.object();
                // Order of fields is the server's; of labels and the like, anybody's.
                TreeMap<String, JsonNode> sorted = new TreeMap<>();
                object.properties()
                        .forEach(entry -> sorted.put(
                                plain(entry.getKey()),
                                entry.getKey().equals("resourceVersion")
                                        ? Json.text("<revision>")
                                        : replaced(entry.getValue())));
                sorted.forEach(copy::set);
                yield copy;
            }
            case ArrayNode array -> {
                ArrayNode copy = Json.array();
                array.forEach(item -> copy.add(replaced(item)));
                yield copy;
            }
            default -> node.isTextual() ? Json.text(plain(node.textValue())) : node;
        };
    }

    private String plain(String text) {
        String result = UID.matcher(text)
                .replaceAll(found -> Matcher.quoteReplacement(owners.getOrDefault(found.group(), "<uid>")));
        result = result.replace(namespace, "<namespace>");
        result = TIME.matcher(result).replaceAll("<time>");
        result = ADDRESS.matcher(result).replaceAll("<address>");
        result = CLAIM.matcher(result).replaceAll("j-$1<chance>");
        result = MINUTE.matcher(result).replaceAll("-<minute>");
        result = HASH.matcher(result).replaceAll("<hash>");
        return CHANCE.matcher(result).replaceAll("-<chance>");
    }

    /** Each thing said once, in the order of the alphabet: when and how often depends on the day. */
    private ArrayNode events() {
        TreeSet<String> said = new TreeSet<>();
        for (ObjectNode event : api.list(KubeApi.Kind.core("events"), namespace, KubeApi.View.WHOLE)
                .items()) {
            if (!scope.events().test(event)) {
                continue;
            }
            said.add(plain(String.join(
                    " | ",
                    Json.textAt(event, "involvedObject", "kind") + " " + Json.textAt(event, "involvedObject", "name"),
                    Json.textAt(event, "type"),
                    Json.textAt(event, "reason"),
                    Json.textAt(event, "source", "component"),
                    Json.textAt(event, "message"))));
        }
        ArrayNode list = Json.array();
        said.forEach(list::add);
        return list;
    }
}
