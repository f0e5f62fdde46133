package lavaflow.schema;

import java.time.Instant;
import java.util.List;

import com.fasterxml.jackson.databind.JsonNode;
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

    private final List<Column> columns;

    private PrinterColumns(List<Column> columns) {
        this.columns = columns;
    }

    /** Reads {@code additionalPrinterColumns} of a version; where there are none, the age is shown. */
    public static PrinterColumns of(JsonNode version) {
        return new PrinterColumns(List.of());
    }

    /** All columns; the first is the name. */
    public List<Column> columns() {
        return columns;
    }

    /** The cells of an object. */
    public List<JsonNode> cells(ObjectNode object, Instant now) {
        return List.of();
    }
}
