package lavaflow.schema;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.GoText;
import lavaflow.kube.GoTime;
import lavaflow.kube.HumanDuration;
import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;
import lavaflow.kube.Untyped;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** The columns that a version of a custom kind declares, and the cells of its objects. */
public final class PrinterColumns {
    /**
     * A column.
     *
     * @param name the heading
     * @param type {@code integer}, {@code number}, {@code string}, {@code boolean} or {@code date}
     * @param format the format, or empty
     * @param description what it shows, or empty
     * @param priority zero for columns that are always shown
     */
    public record Column(String name, String type, String format, String description, int priority) {}

    private static final Column NAME = new Column("Name", "string", "name", "", 0);
    private static final Column AGE = new Column("Age", "date", "", "", 0);
    private static final JsonPath CREATION = JsonPath.parse(".metadata.creationTimestamp");

    private final List<Column> columns;
    private final List<JsonPath> paths;

    private PrinterColumns(List<Column> columns, List<JsonPath> paths) {
        this.columns = columns;
        this.paths = paths;
    }

    /** Reads {@code additionalPrinterColumns} of a version; where there are none, the age is shown. */
    public static PrinterColumns of(JsonNode version) {
        ArrayNode declared = Json.listAt(version, "additionalPrinterColumns");
        if (declared.isEmpty()) {
            return new PrinterColumns(List.of(NAME, AGE), List.of(CREATION));
        }
        List<Column> columns = new ArrayList<>();
        List<JsonPath> paths = new ArrayList<>();
        columns.add(NAME);
        for (JsonNode column : declared) {
            String path = Json.textAt(column, "jsonPath");
            try {
                paths.add(JsonPath.parse(path));
            } catch (IllegalArgumentException e) {
                break; // as upstream, which shows the columns before one it does not understand
            }
            String description = Json.textAt(column, "description");
            columns.add(new Column(
                    Json.textAt(column, "name"),
                    Json.textAt(column, "type"),
                    Json.textAt(column, "format"),
                    description.isEmpty()
                            ? "Custom resource definition column (in JSONPath format): " + path
                            : description,
                    (int) Json.longAt(column, 0, "priority")));
        }
        return new PrinterColumns(List.copyOf(columns), List.copyOf(paths));
    }

    /** All columns; the first is the name. */
    public List<Column> columns() {
        return columns;
    }

    /** The cells of an object. */
    public List<JsonNode> cells(ObjectNode object, Instant now) {
        List<JsonNode> cells = new ArrayList<>(columns.size());
        cells.add(Json.text(Json.textAt(object, "metadata", "name")));
        for (int i = 0; i < paths.size(); i++) {
            List<JsonNode> found = paths.get(i).find(object);
            cells.add(
                    found.isEmpty()
                            ? NullNode.getInstance()
                            : cell(columns.get(i + 1).type(), found.getFirst(), now));
        }
        return cells;
    }

    private static JsonNode cell(String type, JsonNode value, Instant now) {
        return switch (type) {
            case "string" -> Json.text(text(value));
            case "integer" ->
                value.isNumber()
                        ? Json.number(value.isIntegralNumber() ? value.longValue() : (long) value.doubleValue())
                        : NullNode.getInstance();
            case "number" -> value.isNumber() ? value : NullNode.getInstance();
            case "boolean" -> value.isBoolean() ? value : NullNode.getInstance();
            case "date" -> value.isTextual() ? Json.text(age(value.textValue(), now)) : NullNode.getInstance();
            default -> NullNode.getInstance();
        };
    }

    private static String text(JsonNode value) {
        if (value.isContainerNode()) {
            return Json.string(Untyped.canonical(value));
        }
        return value.isNull() ? "null" : GoText.value(value);
    }

    private static String age(String time, Instant now) {
        if (time.isEmpty()) {
            return "<unknown>";
        }
        try {
            return HumanDuration.format(Duration.between(GoTime.parseSeconds(time), now));
        } catch (MalformedException e) {
            return "<invalid>";
        }
    }
}
