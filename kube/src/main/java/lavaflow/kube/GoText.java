package lavaflow.kube;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;

import com.fasterxml.jackson.databind.JsonNode;

/** Shows JSON values the way Go prints decoded JSON, because upstream's error messages contain such prints. */
public final class GoText {
    /** Go's JSON has exponents from 1e21 on. */
    private static final int JSON_DIGITS = 21;

    private GoText() {}

    /** Go's {@code %v}: {@code map[a:1 b:[x y]]}. */
    public static String value(JsonNode node) {
        StringBuilder out = new StringBuilder();
        append(out, node, false);
        return out.toString();
    }

    /** Go's {@code %s}, which marks everything that is no string: {@code %!s(int64=5)}. */
    static String text(JsonNode node) {
        StringBuilder out = new StringBuilder();
        append(out, node, true);
        return out.toString();
    }

    /** The name of the Go type that JSON is decoded into, as {@code %s} of its type shows it. */
    public static String type(JsonNode node) {
        return switch (node.getNodeType()) {
            case OBJECT, POJO -> "map[string]interface {}";
            case ARRAY -> "[]interface {}";
            case NULL, MISSING -> "%!s(<nil>)";
            case STRING, BINARY, BOOLEAN, NUMBER -> scalarType(node);
        };
    }

    /** What Go's JSON decoder calls a value it cannot put where it should go. */
    public static String jsonKind(JsonNode node) {
        return switch (node.getNodeType()) {
            case OBJECT, POJO -> "object";
            case ARRAY -> "array";
            case STRING, BINARY -> "string";
            case BOOLEAN -> "bool";
            case NUMBER -> "number";
            case NULL, MISSING -> "null";
        };
    }

    private static String scalarType(JsonNode node) {
        if (node.isTextual()) {
            return "string";
        }
        if (node.isBoolean()) {
            return "bool";
        }
        return node.isIntegralNumber() && node.canConvertToLong() ? "int64" : "float64";
    }

    private static void append(StringBuilder out, JsonNode node, boolean marked) {
        if (node.isObject()) {
            List<String> names = new ArrayList<>();
            node.fieldNames().forEachRemaining(names::add);
            Collections.sort(names);
            out.append("map[");
            String separator = "";
            for (String name : names) {
                out.append(separator).append(name).append(':');
                append(out, node.get(name), marked);
                separator = " ";
            }
            out.append(']');
        } else if (node.isArray()) {
            out.append('[');
            String separator = "";
            for (JsonNode element : node) {
                out.append(separator);
                append(out, element, marked);
                separator = " ";
            }
            out.append(']');
        } else if (node.isTextual()) {
            out.append(node.textValue());
        } else if (node.isNull()) {
            out.append(marked ? "%!s(<nil>)" : "<nil>");
        } else if (marked) {
            out.append("%!s(")
                    .append(scalarType(node))
                    .append('=')
                    .append(scalar(node))
                    .append(')');
        } else {
            out.append(scalar(node));
        }
    }

    private static String scalar(JsonNode node) {
        return node.isNumber() && !"int64".equals(scalarType(node)) ? number(node.doubleValue()) : node.asText();
    }

    /** A floating point number in a message ({@code %v}) or as a key: the shortest digits, with an exponent below 1e-4 and from 1e6 on. */
    static String number(double value) {
        return number(value, 6);
    }

    private static String number(double value, int plainDigits) {
        if (value == 0 || Double.isNaN(value) || Double.isInfinite(value)) {
            return value == 0 ? (1 / value < 0 ? "-0" : "0") : String.valueOf(value);
        }
        BigDecimal digits = new BigDecimal(Double.toString(value)).stripTrailingZeros();
        int exponent = digits.precision() - digits.scale() - 1;
        if (exponent >= -4 && exponent < plainDigits) {
            return digits.toPlainString();
        }
        String unscaled = digits.unscaledValue().abs().toString();
        String mantissa = unscaled.length() == 1 ? unscaled : unscaled.charAt(0) + "." + unscaled.substring(1);
        String sign = digits.signum() < 0 ? "-" : "";
        int size = Math.abs(exponent);
        return sign + mantissa + (exponent < 0 ? "e-" : "e+") + (size < 10 ? "0" : "") + size;
    }

    /** Compact JSON as Go's encoder writes maps: names in order, and the characters that matter in HTML escaped. */
    public static String json(JsonNode node) {
        StringBuilder out = new StringBuilder();
        json(out, node);
        return out.toString();
    }

    /** Compact JSON as Go's encoder writes it, with the characters that matter in HTML escaped. */
    static void json(StringBuilder out, JsonNode node) {
        if (node.isTextual()) {
            quote(out, node.textValue(), true);
        } else if (node.isObject()) {
            List<String> names = new ArrayList<>();
            node.fieldNames().forEachRemaining(names::add);
            Collections.sort(names);
            char separator = '{';
            for (String name : names) {
                out.append(separator);
                quote(out, name, true);
                out.append(':');
                json(out, node.get(name));
                separator = ',';
            }
            out.append(names.isEmpty() ? "{}" : "}");
        } else if (node.isArray()) {
            char separator = '[';
            for (JsonNode element : node) {
                out.append(separator);
                json(out, element);
                separator = ',';
            }
            out.append(node.isEmpty() ? "[]" : "]");
        } else {
            out.append(node.isFloatingPointNumber() ? number(node.doubleValue(), JSON_DIGITS) : node.asText());
        }
    }

    /** A JSON string. */
    static void quote(StringBuilder out, String text, boolean html) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"', '\\' -> out.append('\\').append(c);
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                    if (c < ' ' || (html && (c == '<' || c == '>' || c == '&' || c == '\u2028' || c == '\u2029'))) {
                        out.append("\\u").append(HexFormat.of().toHexDigits((short) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }
}
