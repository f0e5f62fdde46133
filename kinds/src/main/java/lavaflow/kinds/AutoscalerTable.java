package lavaflow.kinds;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import org.jspecify.annotations.Nullable;

/** The row of a horizontal pod autoscaler; its metrics are told as {@code current/target}. */
final class AutoscalerTable {
    private static final int SHOWN = 2;

    private AutoscalerTable() {}

    static void fill(Cells cells) {
        cells.name()
                .text(cells.at("spec", "scaleTargetRef", "kind") + "/" + cells.at("spec", "scaleTargetRef", "name"))
                .text(targets(cells))
                .textOr(Cells.UNSET, "spec", "minReplicas")
                .numberAt("spec", "maxReplicas")
                .numberAt("status", "currentReplicas")
                .age();
    }

    private static String targets(Cells cells) {
        List<String> targets = new ArrayList<>();
        if (cells.has("spec", "targetCPUUtilizationPercentage")) {
            // The old version knows no other metric than this one.
            targets.add("cpu: "
                    + utilization(Json.at(cells.object(), "status", "currentCPUUtilizationPercentage"), Cells.UNKNOWN)
                    + "/"
                    + utilization(Json.at(cells.object(), "spec", "targetCPUUtilizationPercentage"), "<auto>"));
        }
        ArrayNode current = Json.listAt(cells.object(), "status", "currentMetrics");
        int index = 0;
        for (JsonNode metric : Json.listAt(cells.object(), "spec", "metrics")) {
            targets.add(target(metric, current.get(index++)));
        }
        return targets.isEmpty() ? Cells.NONE : Cells.shortened(targets, SHOWN, ", ");
    }

    private static String target(JsonNode metric, @Nullable JsonNode status) {
        String type = Json.textAt(metric, "type");
        String field = type.isEmpty() ? "" : Character.toLowerCase(type.charAt(0)) + type.substring(1);
        JsonNode target = Json.at(metric, field, "target");
        JsonNode current = Json.at(status, field, "current");
        return switch (type) {
            case "Pods" -> value(current, "averageValue") + "/" + quantity(target, "averageValue");
            case "Object", "External" ->
                Json.at(target, "averageValue") != null
                        ? average(current) + "/" + quantity(target, "averageValue") + " (avg)"
                        : value(current, "value") + "/" + quantity(target, "value");
            case "Resource", "ContainerResource" ->
                Json.textAt(metric, field, "name") + ": " + resource(target, current);
            default -> "<unknown type>";
        };
    }

    private static String resource(@Nullable JsonNode target, @Nullable JsonNode current) {
        if (Json.at(target, "averageValue") != null) {
            return value(current, "averageValue") + "/" + quantity(target, "averageValue");
        }
        return utilization(Json.at(current, "averageUtilization"), Cells.UNKNOWN) + "/"
                + utilization(Json.at(target, "averageUtilization"), "<auto>");
    }

    private static String utilization(@Nullable JsonNode percent, String absent) {
        return percent == null ? absent : percent.asText() + "%";
    }

    private static String average(@Nullable JsonNode current) {
        JsonNode average = Json.at(current, "averageValue");
        return average == null ? Cells.UNKNOWN : average.asText();
    }

    /** A measured quantity: unknown where nothing was measured; Go prints a quantity that is missing as nil. */
    private static String value(@Nullable JsonNode current, String field) {
        return current == null ? Cells.UNKNOWN : quantity(current, field);
    }

    private static String quantity(@Nullable JsonNode holder, String field) {
        JsonNode quantity = Json.at(holder, field);
        return quantity == null ? "<nil>" : quantity.asText();
    }
}
