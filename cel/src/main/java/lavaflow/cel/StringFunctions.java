package lavaflow.cel;

import java.util.ArrayList;
import java.util.List;

/** Functions on text. Positions count code points. */
final class StringFunctions {
    /** Replacing may multiply the length of text at the price of adding; nothing real is longer than this. */
    private static final int LONGEST = 16_000_000;

    private StringFunctions() {}

    static void register(Implementations all) {
        all.overload("string_char_at_int", args -> charAt((String) args[0], (Long) args[1]));
        all.overload("string_index_of_string", args -> indexOf((String) args[0], (String) args[1], 0));
        all.overload("string_index_of_string_int", args -> indexOf((String) args[0], (String) args[1], (Long) args[2]));
        all.overload("string_last_index_of_string", args -> lastIndexOf((String) args[0], (String) args[1]));
        all.overload(
                "string_last_index_of_string_int",
                args -> lastIndexOf((String) args[0], (String) args[1], (Long) args[2]));
        all.overload("string_lower_ascii", args -> mapAscii((String) args[0], 'A', 'Z', 32));
        all.overload("string_upper_ascii", args -> mapAscii((String) args[0], 'a', 'z', -32));
        all.overload(
                "string_replace_string_string",
                args -> ((String) args[0]).isEmpty() && !((String) args[1]).isEmpty()
                        ? ""
                        : replace((String) args[0], (String) args[1], (String) args[2], -1));
        all.overload(
                "string_replace_string_string_int",
                args -> replace((String) args[0], (String) args[1], (String) args[2], (Long) args[3]));
        all.overload("string_split_string", args -> split((String) args[0], (String) args[1], -1));
        all.overload("string_split_string_int", args -> split((String) args[0], (String) args[1], (Long) args[2]));
        all.overload("string_substring_int", args -> substring((String) args[0], (Long) args[1]));
        all.overload("string_substring_int_int", args -> substring((String) args[0], (Long) args[1], (Long) args[2]));
        all.overload("string_trim", args -> trim((String) args[0]));
        all.overload("list_join", args -> join((CelList) args[0], ""));
        all.overload("list_join_string", args -> join((CelList) args[0], (String) args[1]));
        all.overload("string_format", args -> StringFormat.format((String) args[0], (CelList) args[1]));
        all.overload("strings_quote", args -> quote((String) args[0]));
        all.overload(
                "string_find_string", args -> Regex.find((String) args[0], Regex.compileForFind((String) args[1])));
        all.overload(
                "string_find_all_string",
                args -> Regex.findAll((String) args[0], Regex.compileForFind((String) args[1]), -1));
        all.overload(
                "string_find_all_string_int",
                args -> Regex.findAll((String) args[0], Regex.compileForFind((String) args[1]), (Long) args[2]));
        all.overload(
                "string_jsonpatch_escapeKey_string",
                args -> ((String) args[0]).replace("~", "~0").replace("/", "~1"));
    }

    private static int length(String text) {
        return text.codePointCount(0, text.length());
    }

    private static int offset(String text, long codePoints) {
        return text.offsetByCodePoints(0, (int) codePoints);
    }

    private static Object charAt(String text, long index) {
        int length = length(text);
        if (index < 0 || index > length) {
            throw Errors.range(index);
        }
        return index == length ? "" : Character.toString(text.codePointAt(offset(text, index)));
    }

    private static Object indexOf(String text, String part, long from) {
        if (from < 0) {
            throw Errors.range(from);
        }
        int length = length(text);
        if (from > length) {
            return -1L;
        }
        int found = text.indexOf(part, offset(text, from));
        return found < 0 ? -1L : (long) text.codePointCount(0, found);
    }

    private static Object lastIndexOf(String text, String part) {
        int found = text.lastIndexOf(part);
        return found < 0 ? -1L : (long) text.codePointCount(0, found);
    }

    private static Object lastIndexOf(String text, String part, long from) {
        if (from < 0) {
            throw Errors.range(from);
        }
        int length = length(text);
        if (from > length) {
            return -1L;
        }
        int found = text.lastIndexOf(part, offset(text, from));
        return found < 0 ? -1L : (long) text.codePointCount(0, found);
    }

    private static String mapAscii(String text, char first, char last, int shift) {
        StringBuilder mapped = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            mapped.append(c >= first && c <= last ? (char) (c + shift) : c);
        }
        return mapped.toString();
    }

    /** Replaces up to a number of occurrences, all if negative; an empty part is found before each character and at the end. */
    private static String replace(String text, String part, String with, long most) {
        if (most == 0 || part.equals(with)) {
            return text;
        }
        StringBuilder replaced = new StringBuilder();
        int at = 0;
        long count = 0;
        while (most < 0 || count < most) {
            int found;
            if (part.isEmpty()) {
                found = at == 0 && count == 0 ? 0 : nextBoundary(text, at);
            } else {
                found = text.indexOf(part, at);
            }
            if (found < 0) {
                break;
            }
            replaced.append(text, at, found).append(with);
            if (replaced.length() > LONGEST) {
                throw new CelException("text is too long");
            }
            at = found + part.length();
            count++;
        }
        return replaced.append(text.substring(at)).toString();
    }

    private static int nextBoundary(String text, int at) {
        return at >= text.length() ? -1 : at + Character.charCount(text.codePointAt(at));
    }

    private static CelList split(String text, String separator, long most) {
        List<Object> parts = new ArrayList<>();
        if (most == 0) {
            return new Lists.Values(parts);
        }
        int at = 0;
        while (most < 0 || parts.size() < most - 1) {
            int found = separator.isEmpty() ? nextBoundary(text, at) : text.indexOf(separator, at);
            if (found < 0 || (separator.isEmpty() && found >= text.length())) {
                break;
            }
            parts.add(text.substring(at, found));
            at = found + separator.length();
        }
        if (!separator.isEmpty() || !text.isEmpty()) {
            parts.add(text.substring(at));
        }
        return new Lists.Values(parts);
    }

    private static Object substring(String text, long start) {
        if (start < 0 || start > length(text)) {
            throw Errors.range(start);
        }
        return text.substring(offset(text, start));
    }

    private static Object substring(String text, long start, long end) {
        if (start > end) {
            throw new CelException("invalid substring range. start: " + start + ", end: " + end);
        }
        int length = length(text);
        if (start < 0 || start > length) {
            throw Errors.range(start);
        }
        if (end < 0 || end > length) {
            throw Errors.range(end);
        }
        return text.substring(offset(text, start), offset(text, end));
    }

    /** Unicode's white space, which is not quite Java's. */
    private static boolean isSpace(char c) {
        return c == ' '
                || (c >= '\t' && c <= '\r')
                || c == 0x85
                || c == 0xA0
                || c == 0x1680
                || (c >= 0x2000 && c <= 0x200A)
                || c == 0x2028
                || c == 0x2029
                || c == 0x202F
                || c == 0x205F
                || c == 0x3000;
    }

    private static String trim(String text) {
        int start = 0;
        int end = text.length();
        while (start < end && isSpace(text.charAt(start))) {
            start++;
        }
        while (end > start && isSpace(text.charAt(end - 1))) {
            end--;
        }
        return text.substring(start, end);
    }

    private static String join(CelList list, String separator) {
        StringBuilder joined = new StringBuilder();
        for (int i = 0; i < list.size(); i++) {
            if (!(list.get(i) instanceof String text)) {
                throw new CelException("join: invalid input: " + GoFormat.value(list.get(i)));
            }
            joined.append(i == 0 ? "" : separator).append(text);
        }
        return joined.toString();
    }

    /** The text as a literal of the language. */
    private static String quote(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case 7 -> quoted.append("\\a");
                case '\b' -> quoted.append("\\b");
                case '\f' -> quoted.append("\\f");
                case '\n' -> quoted.append("\\n");
                case '\r' -> quoted.append("\\r");
                case '\t' -> quoted.append("\\t");
                case 11 -> quoted.append("\\v");
                case '\\' -> quoted.append("\\\\");
                case '"' -> quoted.append("\\\"");
                default -> quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}
