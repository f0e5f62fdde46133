package lavaflow.apiserver;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;

import lavaflow.kinds.TableColumn;
import lavaflow.kinds.Tables;
import lavaflow.kube.ApiException;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;
import lavaflow.schema.PrinterColumns;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Turns objects into what a client asked for: the object, a table row, or its metadata alone. */
final class Rendering {
    /** How much of the object a table row carries. */
    enum IncludeObject {
        NONE,
        METADATA,
        OBJECT;

        static IncludeObject parse(String text) {
            return switch (text) {
                case "", "Metadata" -> METADATA;
                case "None" -> NONE;
                case "Object" -> OBJECT;
                default ->
                    throw ApiException.badRequest(
                            "Unable to convert to Table as requested: includeObject: Invalid value: "
                                    + FieldErrors.quoted(text) + ": must be 'Metadata', 'Object', 'None', or empty");
            };
        }
    }

    private static final String TEMPLATE_GENERATION = "deprecated.daemonset.template.generation";

    private Rendering() {}

    /** One object in the chosen form. */
    static ObjectNode object(
            Resource resource, ObjectNode object, Negotiation.Choice choice, IncludeObject include, Instant now) {
        return switch (choice.form()) {
            case OBJECT -> object;
            case METADATA, METADATA_LIST -> partial(object, choice.version());
            case TABLE -> {
                ObjectNode table = table(resource, List.of(object), choice.version(), include, now, true);
                String version = Metadata.resourceVersion(object);
                if (!version.isEmpty()) {
                    Json.ensureObject(table, "metadata").put("resourceVersion", version);
                }
                yield table;
            }
        };
    }

    /** A Scale in the chosen form; it has a table of its own, whatever it is the scale of. */
    static ObjectNode scale(ObjectNode scale, Negotiation.Choice choice, IncludeObject include, Instant now) {
        return switch (choice.form()) {
            case OBJECT -> scale;
            case METADATA, METADATA_LIST -> partial(scale, choice.version());
            case TABLE -> {
                ObjectNode table = emptyTable(choice.version());
                fill(table, Tables.SCALE, List.of(scale), choice.version(), include, now, true);
                Json.ensureObject(table, "metadata").put("resourceVersion", Metadata.resourceVersion(scale));
                yield table;
            }
        };
    }

    /** A table of objects; list metadata is added by the caller. */
    static ObjectNode table(
            Resource resource,
            List<ObjectNode> objects,
            String version,
            IncludeObject include,
            Instant now,
            boolean columns) {
        ObjectNode table = emptyTable(version);
        if (resource.custom() != null) {
            customTable(table, resource.custom().columns(), objects, version, include, now, columns);
            return table;
        }
        Tables.Layout layout = Tables.layout(resource.stored().group(), resource.name());
        fill(table, layout, objects, version, include, now, columns);
        return table;
    }

    static ObjectNode emptyTable(String version) {
        ObjectNode table = Json.object();
        table.put("kind", "Table").put("apiVersion", "meta.k8s.io/" + version).putObject("metadata");
        return table;
    }

    private static void fill(
            ObjectNode table,
            Tables.Layout layout,
            List<ObjectNode> objects,
            String version,
            IncludeObject include,
            Instant now,
            boolean columns) {
        if (columns) {
            ArrayNode definitions = table.putArray("columnDefinitions");
            for (TableColumn column : layout.columns()) {
                definitions
                        .addObject()
                        .put("name", column.name())
                        .put("type", column.type())
                        .put("format", column.format())
                        .put("description", column.description())
                        .put("priority", column.priority());
            }
        } else {
            table.putNull("columnDefinitions");
        }
        if (objects.isEmpty() && layout.isPlain()) {
            table.putNull("rows");
            return;
        }
        ArrayNode rows = table.putArray("rows");
        for (ObjectNode object : layout.ordered(objects)) {
            ObjectNode row = rows.addObject();
            row.set("cells", layout.cells(object, now));
            ArrayNode conditions = layout.conditions(object);
            if (!conditions.isEmpty()) {
                row.set("conditions", conditions);
            }
            rowObject(row, object, version, include);
        }
    }

    static void rowObject(ObjectNode row, ObjectNode object, String version, IncludeObject include) {
        switch (include) {
            case NONE -> row.putNull("object");
            case METADATA -> row.set("object", partial(object, version));
            case OBJECT -> row.set("object", object);
        }
    }

    /** The columns of a custom kind are what its definition says. */
    private static void customTable(
            ObjectNode table,
            PrinterColumns columns,
            List<ObjectNode> objects,
            String version,
            IncludeObject include,
            Instant now,
            boolean headings) {
        if (headings) {
            ArrayNode definitions = table.putArray("columnDefinitions");
            for (PrinterColumns.Column column : columns.columns()) {
                definitions
                        .addObject()
                        .put("name", column.name())
                        .put("type", column.type())
                        .put("format", column.format())
                        .put("description", column.description())
                        .put("priority", column.priority());
            }
        } else {
            table.putNull("columnDefinitions");
        }
        ArrayNode rows = table.putArray("rows");
        for (ObjectNode object : objects) {
            ObjectNode row = rows.addObject();
            ArrayNode cells = row.putArray("cells");
            columns.cells(object, now).forEach(cells::add);
            rowObject(row, object, version, include);
        }
    }

    static ObjectNode partial(ObjectNode object, String version) {
        ObjectNode partial = Json.object();
        partial.put("kind", "PartialObjectMetadata").put("apiVersion", "meta.k8s.io/" + version);
        JsonNode metadata = object.get("metadata");
        partial.set("metadata", metadata == null ? Json.object() : metadata);
        if (Json.textAt(object, "kind").equals("DaemonSet")) {
            hideTemplateGeneration(partial);
        }
        return partial;
    }

    /** This annotation stands for a field that upstream keeps elsewhere; it appears with the whole object only. */
    private static void hideTemplateGeneration(ObjectNode partial) {
        if (Json.at(partial, "metadata", "annotations", TEMPLATE_GENERATION) == null) {
            return;
        }
        ObjectNode metadata = Json.ensureObject(partial, "metadata").deepCopy();
        ObjectNode annotations = Json.ensureObject(metadata, "annotations");
        annotations.remove(TEMPLATE_GENERATION);
        if (annotations.isEmpty()) {
            metadata.remove("annotations");
        }
        partial.set("metadata", metadata);
    }

    /** The bytes of a tree in the chosen media type. */
    static byte[] bytes(JsonNode node, Negotiation.Choice choice, boolean pretty) {
        if (choice.yaml()) {
            return YamlText.of(node).getBytes(StandardCharsets.UTF_8);
        }
        return pretty ? Json.pretty(node).getBytes(StandardCharsets.UTF_8) : withNewline(Json.bytes(node));
    }

    /** Upstream ends every JSON document with a line feed. */
    static byte[] withNewline(byte[] bytes) {
        byte[] ended = java.util.Arrays.copyOf(bytes, bytes.length + 1);
        ended[bytes.length] = '\n';
        return ended;
    }
}
