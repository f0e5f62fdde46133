package lavaflow.schema;

import lavaflow.kube.GoText;
import lavaflow.kube.Json;
import lavaflow.kube.WholeFloat;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** Limits of numbers. As upstream, integers are compared as integers, with limits cut to integers. */
final class NumberCheck {
    private static final double LARGEST_EXACT = (1L << 53) - 1;
    private static final double TOLERANCE = 1e-9;

    private NumberCheck() {}

    /** Whether a value is what Go decodes into an integer. */
    static boolean isInteger(JsonNode value) {
        return value.isIntegralNumber() && value.canConvertToLong() && !(value instanceof WholeFloat);
    }

    /** Whether a floating point number counts as an integer. */
    static boolean isWhole(double value) {
        if (Double.isNaN(value) || Math.abs(value) > LARGEST_EXACT) {
            return false;
        }
        double whole = value < 0 ? 0 : Math.floor(value);
        if (value == whole || value == (long) value) {
            return true;
        }
        double difference = Math.abs(value - whole);
        return whole != 0 && difference / (Math.abs(value) + Math.abs(whole)) < TOLERANCE;
    }

    /** @param type integer or number where the schema names exactly that, or empty */
    static void check(JsonNode value, String type, ValueRules rules, Place place, Findings findings) {
        String format = rules.format();
        inRange(value, type, format, "Checked", place, findings);
        ValueRules.NumberRules limits = rules.number();
        if (limits == null) {
            return;
        }
        Double factor = limits.multipleOf();
        if (factor != null) {
            boolean fits = inRange(Json.FACTORY.numberNode(factor), type, format, "MultipleOf", place, findings);
            multipleOf(value, factor, fits && isInteger(value), place, findings);
        }
        Double minimum = limits.minimum();
        if (minimum != null) {
            boolean fits = inRange(Json.FACTORY.numberNode(minimum), type, format, "Minimum boundary", place, findings);
            minimum(value, minimum, limits.exclusiveMinimum(), fits && isInteger(value), place, findings);
        }
        Double maximum = limits.maximum();
        if (maximum != null) {
            boolean fits = inRange(Json.FACTORY.numberNode(maximum), type, format, "Maximum boundary", place, findings);
            maximum(value, maximum, limits.exclusiveMaximum(), fits && isInteger(value), place, findings);
        }
    }

    private static boolean inRange(
            JsonNode value, String type, String format, String what, Place place, Findings findings) {
        boolean fits = switch (type) {
            case "integer" -> fitsInteger(value, format.equals("int32") ? Integer.MAX_VALUE : Long.MAX_VALUE);
            case "number" -> !format.equals("float") || Math.abs(value.doubleValue()) <= Float.MAX_VALUE;
            default -> true;
        };
        if (!fits) {
            String kind = format.isEmpty() ? type + " (default format)" : type + " with format " + format;
            findings.general(what + " value must be of type " + kind + " in " + place);
        }
        return fits;
    }

    private static boolean fitsInteger(JsonNode value, long most) {
        if (isInteger(value)) {
            return value.longValue() <= most && value.longValue() >= -most - 1;
        }
        double number = value.doubleValue();
        return number == Math.rint(number) && number < (double) most + 1 && number >= -(double) most - 1;
    }

    private static void multipleOf(JsonNode value, double factor, boolean integers, Place place, Findings findings) {
        JsonNode limit = limit(factor, integers);
        if (limit.doubleValue() <= 0) {
            findings.invalidAs(
                    place,
                    limit,
                    "factor MultipleOf declared for " + place + " must be positive: " + GoText.value(limit));
            return;
        }
        boolean multiple = integers
                ? value.longValue() % limit.longValue() == 0
                : isWhole(factor < 1 ? 1 / factor * value.doubleValue() : value.doubleValue() / factor);
        if (!multiple) {
            findings.invalid(place, compared(value, integers), "should be a multiple of " + GoText.value(limit));
        }
    }

    private static void minimum(
            JsonNode value, double limit, boolean exclusive, boolean integers, Place place, Findings findings) {
        JsonNode compared = limit(limit, integers);
        int order = integers
                ? Long.compare(value.longValue(), compared.longValue())
                : Double.compare(value.doubleValue(), limit);
        if (order < 0 || (exclusive && order == 0)) {
            findings.invalid(
                    place,
                    compared(value, integers),
                    "should be greater than " + (exclusive ? "" : "or equal to ") + GoText.value(compared));
        }
    }

    private static void maximum(
            JsonNode value, double limit, boolean exclusive, boolean integers, Place place, Findings findings) {
        JsonNode compared = limit(limit, integers);
        int order = integers
                ? Long.compare(value.longValue(), compared.longValue())
                : Double.compare(value.doubleValue(), limit);
        if (order > 0 || (exclusive && order == 0)) {
            findings.invalid(
                    place,
                    compared(value, integers),
                    "should be less than " + (exclusive ? "" : "or equal to ") + GoText.value(compared));
        }
    }

    /** A value as upstream compares and prints it. */
    private static JsonNode compared(JsonNode value, boolean integer) {
        return integer ? value : Json.FACTORY.numberNode(value.doubleValue());
    }

    /** A limit as upstream compares and prints it; what does not fit an integer becomes the least one, as in Go. */
    private static JsonNode limit(double limit, boolean integer) {
        if (!integer) {
            return Json.FACTORY.numberNode(limit);
        }
        return Json.number(Math.abs(limit) < 0x1p63 ? (long) limit : Long.MIN_VALUE);
    }

    /** Whether a value is one of an enumeration: numbers are converted to the type of the allowed value, as Go does. */
    static boolean isEqual(JsonNode value, @Nullable JsonNode allowed) {
        if (allowed == null || allowed.isNull() || value.isNull()) {
            return false;
        }
        if (value.isNumber() && allowed.isNumber()) {
            return isInteger(allowed)
                    ? (isInteger(value) ? value.longValue() : (long) value.doubleValue()) == allowed.longValue()
                    : value.doubleValue() == allowed.doubleValue();
        }
        return value.equals(allowed);
    }
}
