package lavaflow.kinds;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * How kinds look as server-side tables, by {@code group/resource} ({@code /pods} for the core group).
 *
 * <p>Cells of wide columns are always there; clients hide what they do not show.
 */
public final class Tables {
    /** Fills the cells of one row. */
    @FunctionalInterface
    interface Filling {
        void fill(Cells cells);
    }

    /** The table of one kind. */
    public static final class Layout {
        private final List<TableColumn> columns;
        private final Filling filling;
        private final @Nullable Comparator<ObjectNode> order;
        private final boolean pods;

        private Layout(
                List<TableColumn> columns, Filling filling, @Nullable Comparator<ObjectNode> order, boolean pods) {
            this.pods = pods;
            this.columns = columns;
            this.filling = filling;
            this.order = order;
        }

        public List<TableColumn> columns() {
            return columns;
        }

        /** The cells of an object's row; ages are as of {@code now}. */
        public ArrayNode cells(ObjectNode object, Instant now) {
            Cells cells = new Cells(object, now);
            filling.fill(cells);
            return cells.list();
        }

        /** What a client may want to know of the row as a whole: whether a pod has come to its end. */
        public ArrayNode conditions(ObjectNode object) {
            return pods ? PodTable.conditions(object) : Json.array();
        }

        /** Whether upstream has no table of its own for the kind; an empty list of it then has {@code rows: null}. */
        public boolean isPlain() {
            return this == PLAIN;
        }

        /** The rows of a list in the order upstream shows them, which nearly always is that of the list. */
        public List<ObjectNode> ordered(List<ObjectNode> objects) {
            if (order == null) {
                return objects;
            }
            List<ObjectNode> sorted = new ArrayList<>(objects);
            sorted.sort(order);
            return sorted;
        }
    }

    /** Kinds upstream has no table for. */
    private static final Layout PLAIN =
            layout("", cells -> cells.name().text(creationTime(cells)), null, "Name/name", "Created At:date");

    /** The scale subresource of any kind. */
    public static final Layout SCALE = layout(
            "",
            cells -> cells.name()
                    .numberAt("spec", "replicas")
                    .numberAt("status", "replicas")
                    .age(),
            null,
            "Name",
            "Desired:integer",
            "Available:integer",
            "Age");

    private static final Map<String, Layout> LAYOUTS = new LinkedHashMap<>();

    static {
        CoreTables.register();
        WorkloadTables.register();
        StorageTables.register();
        NetworkTables.register();
        AccessTables.register();
    }

    private Tables() {}

    /** The table of a resource. */
    public static Layout layout(String group, String resource) {
        return LAYOUTS.getOrDefault(group + "/" + resource, PLAIN);
    }

    static void register(String resource, Filling filling, String... columns) {
        LAYOUTS.put(resource, layout(resource, filling, null, columns));
    }

    static void register(String resource, Comparator<ObjectNode> order, Filling filling, String... columns) {
        LAYOUTS.put(resource, layout(resource, filling, order, columns));
    }

    private static Layout layout(
            String resource, Filling filling, @Nullable Comparator<ObjectNode> order, String... columns) {
        List<TableColumn> parsed = Arrays.stream(columns).map(TableColumn::of).toList();
        return new Layout(parsed, filling, order, resource.equals("/pods"));
    }

    private static String creationTime(Cells cells) {
        String time = cells.at("metadata", "creationTimestamp");
        return time.isEmpty() ? "0001-01-01T00:00:00Z" : time;
    }
}
