package lavaflow.kube;

import java.math.BigInteger;
import java.util.Set;
import java.util.regex.Pattern;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.events.ScalarEvent;

/** Decides what a scalar means: the rules of YAML 1.1 as upstream's library understands them. */
final class YamlScalar {
    private static final String PREFIX = "tag:yaml.org,2002:";
    private static final Set<String> TRUE =
            Set.of("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON");
    private static final Set<String> FALSE =
            Set.of("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF");
    private static final Set<String> NULL = Set.of("", "~", "null", "Null", "NULL");
    private static final Pattern FLOAT = Pattern.compile("[-+]?(\\.[0-9]+|[0-9]+(\\.[0-9]*)?)([eE][-+]?[0-9]+)?");
    private static final Pattern NOT_FINITE = Pattern.compile("[-+]?\\.(inf|Inf|INF)|\\.(nan|NaN|NAN)");
    private static final BigInteger UNSIGNED_LIMIT = BigInteger.ONE.shiftLeft(64);

    /** Longer texts are no numbers; reading their digits would only take time. */
    private static final int LONGEST_NUMBER = 400;

    private YamlScalar() {}

    static JsonNode resolve(ScalarEvent event) throws DecodingException {
        String text = event.getValue();
        if (event.isDQuoted() && hasLoneSurrogate(text)) {
            throw new DecodingException("yaml: found invalid Unicode character escape code");
        }
        String tag = event.getTag();
        if (tag == null || tag.equals("!")) {
            return event.isPlain() && tag == null ? plain(text) : Json.text(text);
        }
        return switch (tag) {
            case PREFIX + "bool", PREFIX + "int", PREFIX + "float", PREFIX + "null" -> tagged(tag, text);
            case PREFIX + "binary" -> Json.text(binary(text));
            default -> Json.text(text);
        };
    }

    /** Escapes can make half a character, which no encoder could write. */
    private static boolean hasLoneSurrogate(String text) {
        return text.codePoints().anyMatch(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE);
    }

    private static String binary(String text) throws DecodingException {
        try {
            byte[] bytes = GoBase64.decode(text);
            return Utf8.decode(bytes, 0, bytes.length);
        } catch (DecodingException e) {
            throw new DecodingException("yaml: !!binary value contains invalid base64 data");
        }
    }

    private static JsonNode tagged(String tag, String text) throws DecodingException {
        JsonNode value = plain(text);
        String actual = tagOf(value);
        boolean widened = tag.endsWith("float") && actual.equals("int");
        if (!widened && !tag.endsWith(actual)) {
            throw new DecodingException(
                    "yaml: cannot decode !!" + actual + " `" + text + "` as a !!" + tag.substring(PREFIX.length()));
        }
        return value;
    }

    private static String tagOf(JsonNode value) {
        return value.isBoolean()
                ? "bool"
                : value.isNull() ? "null" : value.isIntegralNumber() ? "int" : value.isNumber() ? "float" : "str";
    }

    private static JsonNode plain(String text) throws DecodingException {
        if (NULL.contains(text)) {
            return NullNode.getInstance();
        }
        char first = text.charAt(0);
        if (first == '.' || first == '+' || first == '-' || (first >= '0' && first <= '9')) {
            JsonNode number = number(text);
            return number != null ? number : Json.text(text);
        }
        if (TRUE.contains(text)) {
            return Json.FACTORY.booleanNode(true);
        }
        return FALSE.contains(text) ? Json.FACTORY.booleanNode(false) : Json.text(text);
    }

    private static @Nullable JsonNode number(String text) throws DecodingException {
        if (text.length() > LONGEST_NUMBER) {
            return null;
        }
        if (NOT_FINITE.matcher(text).matches()) {
            String shown = text.endsWith("n") || text.endsWith("N") ? "NaN" : text.startsWith("-") ? "-Inf" : "+Inf";
            throw new DecodingException("json: unsupported value: " + shown);
        }
        String digits = text.charAt(0) == '.' ? text : text.replace("_", "");
        JsonNode integer = text.charAt(0) == '.' ? null : integer(digits);
        if (integer != null) {
            return integer;
        }
        if (!FLOAT.matcher(digits).matches()) {
            return null;
        }
        double value = Double.parseDouble(digits);
        return Double.isInfinite(value) ? null : ScalarDecoder.wholeIfPossible(Json.FACTORY.numberNode(value));
    }

    /** Go's integers with a prefix that tells the base: 0x, 0o, 0b, and a plain 0 for octal. */
    private static @Nullable JsonNode integer(String text) {
        int start = text.startsWith("-") || text.startsWith("+") ? 1 : 0;
        String digits = text.substring(start);
        int base = 10;
        if (digits.length() > 1 && digits.charAt(0) == '0') {
            base = switch (digits.charAt(1)) {
                case 'x', 'X' -> 16;
                case 'b', 'B' -> 2;
                default -> 8;
            };
            boolean letter = !Character.isDigit(digits.charAt(1));
            boolean octalLetter = digits.charAt(1) == 'o' || digits.charAt(1) == 'O';
            digits = digits.substring(letter && (base != 8 || octalLetter) ? 2 : 1);
        }
        if (digits.isEmpty() || !digits.chars().allMatch(isDigitOf(base))) {
            return null;
        }
        BigInteger value = new BigInteger(digits, base);
        if (text.startsWith("-")) {
            value = value.negate();
        }
        boolean fits = value.bitLength() < Long.SIZE
                || (start == 0 && value.signum() > 0 && value.compareTo(UNSIGNED_LIMIT) < 0);
        return fits ? Json.FACTORY.numberNode(value) : null;
    }

    private static java.util.function.IntPredicate isDigitOf(int base) {
        return c -> c < 128 && Character.digit(c, base) >= 0;
    }
}
