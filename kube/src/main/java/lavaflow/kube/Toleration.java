package lavaflow.kube;

import java.util.ArrayList;
import java.util.List;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/**
 * What a pod puts up with.
 *
 * @param operator {@code Equal}, {@code Exists}, {@code Lt} or {@code Gt}
 * @param effect empty for any
 * @param seconds how long it stays on a node with a NoExecute taint; null for ever
 */
public record Toleration(
        String key,
        String operator,
        String value,
        String effect,
        @Nullable Long seconds) {
    /** The tolerations in a pod's spec. */
    public static List<Toleration> of(@Nullable JsonNode spec) {
        List<Toleration> tolerations = new ArrayList<>();
        for (JsonNode each : Json.listAt(spec, "tolerations")) {
            JsonNode seconds = Json.at(each, "tolerationSeconds");
            tolerations.add(new Toleration(
                    Json.textAt(each, "key"),
                    Json.textAt(each, "operator"),
                    Json.textAt(each, "value"),
                    Json.textAt(each, "effect"),
                    seconds == null ? null : seconds.asLong()));
        }
        return List.copyOf(tolerations);
    }

    public boolean tolerates(Taint taint) {
        if (!effect.isEmpty() && !effect.equals(taint.effect())) {
            return false;
        }
        if (!key.isEmpty() && !key.equals(taint.key())) {
            return false;
        }
        return switch (operator) {
            case "Exists" -> true;
            case "Lt", "Gt" -> compares(taint.value());
            default -> value.equals(taint.value());
        };
    }

    /** The taint's value against the number given here; what is no number fits nothing. */
    private boolean compares(String taintValue) {
        try {
            int order = Long.compare(Long.parseLong(taintValue), Long.parseLong(value));
            return operator.equals("Lt") ? order < 0 : order > 0;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    public static boolean anyTolerates(List<Toleration> tolerations, Taint taint) {
        for (Toleration toleration : tolerations) {
            if (toleration.tolerates(taint)) {
                return true;
            }
        }
        return false;
    }
}
