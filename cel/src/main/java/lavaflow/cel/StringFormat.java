package lavaflow.cel;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import lavaflow.kube.GoQuote;

import org.jspecify.annotations.Nullable;

/** {@code "...".format([...])}. */
final class StringFormat {
    private static final int DEFAULT_DECIMALS = 6;
    private static final int MOST_DECIMALS = 1000;

    private StringFormat() {}

    /** What to do with each clause: {@code letter} says how, {@code decimals} is negative if not given. */
    interface Clauses {
        int size();

        String apply(int arg, char letter, int decimals);
    }

    static String format(String format, CelList args) {
        Work work = new Work();
        return parse(format, new Clauses() {
            @Override
            public int size() {
                return args.size();
            }

            @Override
            public String apply(int arg, char letter, int decimals) {
                return clause(args.get(arg), letter, decimals, work);
            }
        });
    }

    /** Reads a format and puts clauses together; errors have upstream's text. */
    static String parse(String format, Clauses clauses) {
        StringBuilder out = new StringBuilder();
        int arg = 0;
        int i = 0;
        while (i < format.length()) {
            char c = format.charAt(i);
            if (c != '%') {
                out.append(c);
                i++;
            } else if (format.startsWith("%%", i)) {
                out.append('%');
                i += 2;
            } else {
                if (arg >= clauses.size() && !(clauses instanceof Lenient)) {
                    throw new CelException("index " + arg + " out of range");
                }
                if (i + 1 >= format.length()) {
                    throw new CelException("unexpected end of string");
                }
                if (arg >= clauses.size()) {
                    throw new CelException("index " + arg + " out of range");
                }
                i = clause(format, i + 1, arg++, clauses, out);
            }
        }
        return out.toString();
    }

    /** Checks before arguments are known look at the format first. */
    interface Lenient extends Clauses {}

    private static int clause(String format, int start, int arg, Clauses clauses, StringBuilder out) {
        int i = start;
        int decimals = -1;
        if (format.charAt(i) == '.') {
            int end = i + 1;
            while (end < format.length() && format.charAt(end) >= '0' && format.charAt(end) <= '9') {
                end++;
            }
            String parsing = "could not parse formatting clause: error while parsing precision: ";
            if (end >= format.length()) {
                throw new CelException(parsing + "could not find end of precision specifier");
            }
            String digits = format.substring(i + 1, end);
            if (digits.isEmpty() || digits.length() > 9) {
                throw new CelException(parsing + "error while converting precision to integer: strconv.Atoi: parsing "
                        + GoQuote.quote(digits)
                        + (digits.isEmpty() ? ": invalid syntax" : ": value out of range"));
            }
            decimals = Integer.parseInt(digits);
            i = end;
        }
        char letter = format.charAt(i);
        if ("sdfebxXo".indexOf(letter) < 0) {
            throw new CelException(
                    "could not parse formatting clause: unrecognized formatting clause \"" + letter + "\"");
        }
        try {
            out.append(clauses.apply(arg, letter, decimals));
        } catch (CelException wrong) {
            throw new CelException("error during formatting: " + wrong.text());
        }
        return i + 1;
    }

    private static String clause(Object value, char letter, int decimals, Work work) {
        String text = switch (letter) {
            case 's' -> plain(value, work);
            case 'd' -> value instanceof Long || value instanceof UnsignedLong ? value.toString() : null;
            case 'f' -> fixed(value, decimals);
            case 'e' -> scientific(value);
            case 'b' -> binary(value);
            case 'o' -> octal(value);
            default -> hexadecimal(value, letter == 'X');
        };
        if (text == null) {
            throw new CelException(refusal(letter, Types.name(value)));
        }
        return text;
    }

    /** Why a value of a type cannot be formatted so. */
    static String refusal(char letter, String typeName) {
        String rule = switch (letter) {
            case 's' ->
                "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps";
            case 'd' -> "decimal clause can only be used on integers";
            case 'f' -> "fixed-point clause can only be used on doubles";
            case 'e' -> "scientific clause can only be used on doubles";
            case 'b' -> "only integers and bools can be formatted as binary";
            case 'o' -> "octal clause can only be used on integers";
            default -> "only integers, byte buffers, and strings can be formatted as hex";
        };
        return rule + ", was given " + typeName;
    }

    private static @Nullable String plain(Object value, Work work) {
        return switch (value) {
            case CelList list -> list(list, work);
            case CelMap map -> map(map, work);
            case CelOptional optional -> null;
            case TypedValue typed -> null;
            case JsonPatchOperation operation -> null;
            default -> CelValues.NULL.equals(value) ? "null" : (String) Conversions.toText(value);
        };
    }

    /** As a part of a list or map: text is quoted, times are calls. */
    private static String part(Object value, Work work) {
        work.step();
        return switch (value) {
            case String text -> GoQuote.quote(text);
            case CelBytes bytes -> "b" + GoQuote.quote((String) Conversions.toText(bytes));
            case Double number -> {
                String text = GoFormat.fixed(number, DEFAULT_DECIMALS);
                yield number.isNaN() || number.isInfinite()
                        ? GoQuote.quote(number.isNaN() ? "NaN" : number > 0 ? "+Inf" : "-Inf")
                        : text;
            }
            case OffsetDateTime time -> "timestamp(" + GoQuote.quote(Times.format(time)) + ")";
            case Duration duration -> "duration(" + GoQuote.quote(Times.seconds(duration)) + ")";
            case CelOptional optional -> throw new CelException("no formatting function for " + Types.name(value));
            case TypedValue typed -> throw new CelException("no formatting function for " + Types.name(value));
            default -> String.valueOf(plain(value, work));
        };
    }

    private static String list(CelList list, Work work) {
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < list.size(); i++) {
            parts.add(part(list.get(i), work));
        }
        return "[" + String.join(", ", parts) + "]";
    }

    private static String map(CelMap map, Work work) {
        Map<String, String> parts = new TreeMap<>();
        for (Iterator<Object> keys = map.keys(); keys.hasNext(); ) {
            Object key = keys.next();
            if (!(key instanceof String
                    || key instanceof Boolean
                    || key instanceof Long
                    || key instanceof UnsignedLong)) {
                throw new CelException("no formatting function for map key of type " + Types.name(key));
            }
            Object value = map.find(key);
            parts.put(part(key, work), value == null ? "null" : part(value, work));
        }
        List<String> entries = new ArrayList<>();
        parts.forEach((key, value) -> entries.add(key + ":" + value));
        return "{" + String.join(", ", entries) + "}";
    }

    private static @Nullable Double real(Object value) {
        return switch (value) {
            case Double number -> number;
            case String text ->
                switch (text) {
                    case "NaN" -> Double.NaN;
                    case "Infinity" -> Double.POSITIVE_INFINITY;
                    case "-Infinity" -> Double.NEGATIVE_INFINITY;
                    default -> null;
                };
            default -> null;
        };
    }

    private static @Nullable String fixed(Object value, int decimals) {
        Double number = real(value);
        if (number == null) {
            return null;
        }
        String plain = GoFormat.fixed(number, bounded(decimals));
        return grouped(plain);
    }

    private static int bounded(int decimals) {
        return decimals < 0 ? DEFAULT_DECIMALS : Math.min(decimals, MOST_DECIMALS);
    }

    /** English groups digits in threes. */
    private static String grouped(String number) {
        int start = number.startsWith("-") ? 1 : 0;
        int dot = number.indexOf('.');
        int end = dot < 0 ? number.length() : dot;
        if (number.length() > start && !Character.isDigit(number.charAt(start))) {
            return number;
        }
        StringBuilder out = new StringBuilder(number.substring(0, start));
        for (int i = start; i < end; i++) {
            out.append(number.charAt(i));
            int left = end - i - 1;
            if (left > 0 && left % 3 == 0) {
                out.append(',');
            }
        }
        return out.append(number.substring(end)).toString();
    }

    private static @Nullable String scientific(Object value) {
        Double number = real(value);
        if (number == null) {
            return null;
        }
        if (number.isNaN() || number.isInfinite()) {
            return GoFormat.fixed(number, 0);
        }
        String[] parts = GoFormat.scientificParts(number, DEFAULT_DECIMALS);
        StringBuilder exponent = new StringBuilder();
        String digits = parts[1];
        if (digits.startsWith("-")) {
            exponent.append('⁻');
            digits = digits.substring(1);
        }
        if (digits.length() == 1) {
            digits = "0" + digits;
        }
        digits.chars().forEach(digit -> exponent.append("⁰¹²³⁴⁵⁶⁷⁸⁹".charAt(digit - '0')));
        String sign = Double.doubleToRawLongBits(number) < 0 ? "-" : "";
        return sign + parts[0] + "×10" + exponent;
    }

    private static @Nullable String binary(Object value) {
        return switch (value) {
            case Boolean bool -> bool ? "1" : "0";
            default -> radix(value, 2);
        };
    }

    private static @Nullable String octal(Object value) {
        return radix(value, 8);
    }

    private static @Nullable String radix(Object value, int radix) {
        return switch (value) {
            case Long number -> Long.toString(number, radix);
            case UnsignedLong number -> Long.toUnsignedString(number.bits(), radix);
            default -> null;
        };
    }

    private static @Nullable String hexadecimal(Object value, boolean upper) {
        HexFormat hex = upper ? HexFormat.of().withUpperCase() : HexFormat.of();
        String digits = switch (value) {
            case String text -> hex.formatHex(text.getBytes(StandardCharsets.UTF_8));
            case CelBytes bytes -> hex.formatHex(bytes.bytes());
            default -> radix(value, 16);
        };
        return digits == null ? null : upper ? digits.toUpperCase(java.util.Locale.ROOT) : digits;
    }
}
