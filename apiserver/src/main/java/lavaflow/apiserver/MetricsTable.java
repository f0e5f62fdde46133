package lavaflow.apiserver;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import lavaflow.kube.Json;
import lavaflow.kube.KindInfo;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Figures in the form that was asked for. Their tables are metrics-server's: a column for each resource the first object has. */
final class MetricsTable {
    private final KindInfo kind;
    private final Negotiation.Choice choice;
    private final Rendering.IncludeObject include;

    MetricsTable(KindInfo kind, Negotiation.Choice choice, Rendering.IncludeObject include) {
        this.kind = kind;
        this.choice = choice;
        this.include = include;
    }

    ObjectNode object(ObjectNode object) {
        return switch (choice.form()) {
            case OBJECT -> named(object);
            case METADATA, METADATA_LIST -> Rendering.partial(object, choice.version());
            case TABLE -> table(List.of(object));
        };
    }

    ObjectNode list(List<ObjectNode> objects) {
        return switch (choice.form()) {
            case OBJECT -> {
                ObjectNode list = Json.object();
                list.put("kind", kind.listKind())
                        .put("apiVersion", kind.apiVersion())
                        .putObject("metadata");
                list.putArray("items").addAll(objects);
                yield list;
            }
            case METADATA, METADATA_LIST -> {
                ObjectNode list = Json.object();
                list.put("kind", "PartialObjectMetadataList")
                        .put("apiVersion", "meta.k8s.io/" + choice.version())
                        .putObject("metadata");
                ArrayNode items = list.putArray("items");
                objects.forEach(object -> items.add(Rendering.partial(object, choice.version())));
                yield list;
            }
            case TABLE -> table(objects);
        };
    }

    private ObjectNode named(ObjectNode object) {
        ObjectNode named = Json.object();
        named.put("kind", kind.kind()).put("apiVersion", kind.apiVersion());
        return named.setAll(object);
    }

    private ObjectNode table(List<ObjectNode> objects) {
        ObjectNode table = Rendering.emptyTable(choice.version());
        if (objects.isEmpty()) {
            table.putNull("columnDefinitions").putNull("rows");
            return table;
        }
        List<String> resources = List.copyOf(usage(objects.getFirst()).keySet());
        ArrayNode columns = table.putArray("columnDefinitions");
        column(columns, "Name", "name");
        resources.forEach(resource -> column(columns, resource, "quantity"));
        column(columns, "Window", "duration");
        ArrayNode rows = table.putArray("rows");
        for (ObjectNode object : objects) {
            Map<String, Quantity> used = usage(object);
            ObjectNode row = rows.addObject();
            ArrayNode cells = row.putArray("cells").add(Metadata.name(object));
            resources.forEach(resource ->
                    cells.add(used.getOrDefault(resource, Quantity.ZERO).toString()));
            cells.add(Json.textAt(object, "window"));
            Rendering.rowObject(row, named(object), choice.version(), include);
        }
        return table;
    }

    private static void column(ArrayNode columns, String name, String format) {
        columns.addObject()
                .put("name", name)
                .put("type", "string")
                .put("format", format)
                .put("description", "")
                .put("priority", 0);
    }

    /** What a node uses, or all containers of a pod together, by the names of the resources. */
    private static Map<String, Quantity> usage(ObjectNode object) {
        Map<String, Quantity> sums = new TreeMap<>();
        add(sums, object.path("usage"));
        Json.listAt(object, "containers").forEach(container -> add(sums, container.path("usage")));
        return sums;
    }

    private static void add(Map<String, Quantity> sums, JsonNode usage) {
        usage.properties()
                .forEach(each ->
                        sums.merge(each.getKey(), Quantity.parse(each.getValue().asText()), Quantity::plus));
    }
}
