package lavaflow.kinds;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import org.jspecify.annotations.Nullable;

/** Words a syntax error of JSON as Go's decoder does, for text that users put inside fields. */
final class GoJsonErrors {
    private enum Expected {
        VALUE("looking for beginning of value"),
        KEY_OR_END("looking for beginning of object key string"),
        KEY("looking for beginning of object key string"),
        COLON("after object key"),
        COMMA_OR_END_OF_OBJECT("after object key:value pair"),
        COMMA_OR_END_OF_LIST("after array element"),
        END("after top-level value");

        private final String place;

        Expected(String place) {
            this.place = place;
        }
    }

    private GoJsonErrors() {}

    /** The complaint about text that does not parse. */
    static String describe(String text, JsonProcessingException error) {
        if (error instanceof JsonEOFException) {
            return "unexpected end of JSON input";
        }
        StringBuilder open = new StringBuilder();
        Expected expected = Expected.VALUE;
        int at = 0;
        while (at < text.length()) {
            char c = text.charAt(at);
            if (Character.isWhitespace(c)) {
                at++;
                continue;
            }
            Expected next = step(c, expected, open);
            if (next == null) {
                return "invalid character " + quoted(c) + " " + expected.place;
            }
            int end = skip(text, at, c);
            if (end < 0) {
                return "unexpected end of JSON input";
            }
            expected = next;
            at = end;
        }
        return "unexpected end of JSON input";
    }

    private static @Nullable Expected step(char c, Expected expected, StringBuilder open) {
        boolean closes = c == '}' ? ends(open, '{') : c == ']' && ends(open, '[');
        return switch (expected) {
            case VALUE -> value(c, closes, open);
            case KEY_OR_END -> c == '"' ? Expected.COLON : closes ? closed(open) : null;
            case KEY -> c == '"' ? Expected.COLON : null;
            case COLON -> c == ':' ? Expected.VALUE : null;
            case COMMA_OR_END_OF_OBJECT -> c == ',' ? Expected.KEY : closes ? closed(open) : null;
            case COMMA_OR_END_OF_LIST -> c == ',' ? Expected.VALUE : closes ? closed(open) : null;
            case END -> null;
        };
    }

    private static @Nullable Expected value(char c, boolean closes, StringBuilder open) {
        if (c == '{' || c == '[') {
            open.append(c);
            return c == '{' ? Expected.KEY_OR_END : Expected.VALUE;
        }
        if (c == ']' && closes) {
            return closed(open);
        }
        return Character.isDigit(c) || "\"-tfn".indexOf(c) >= 0 ? after(open) : null;
    }

    private static boolean ends(StringBuilder open, char bracket) {
        return !open.isEmpty() && open.charAt(open.length() - 1) == bracket;
    }

    private static Expected closed(StringBuilder open) {
        open.setLength(open.length() - 1);
        return after(open);
    }

    private static Expected after(StringBuilder open) {
        return open.isEmpty()
                ? Expected.END
                : ends(open, '{') ? Expected.COMMA_OR_END_OF_OBJECT : Expected.COMMA_OR_END_OF_LIST;
    }

    /** Where the token that starts here ends; -1 where it does not. */
    private static int skip(String text, int at, char first) {
        if (first == '"') {
            for (int i = at + 1; i < text.length(); i++) {
                if (text.charAt(i) == '\\') {
                    i++;
                } else if (text.charAt(i) == '"') {
                    return i + 1;
                }
            }
            return -1;
        }
        int end = at + 1;
        if (first == '-' || Character.isLetterOrDigit(first)) {
            while (end < text.length()
                    && (Character.isLetterOrDigit(text.charAt(end)) || "+-.".indexOf(text.charAt(end)) >= 0)) {
                end++;
            }
        }
        return end;
    }

    private static String quoted(char c) {
        return c == '\'' ? "'\\''" : c == '"' ? "'\"'" : "'" + c + "'";
    }
}
