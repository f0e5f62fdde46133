package lavaflow.cel;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import lavaflow.cel.Token.Kind;

/**
 * Cuts a source into tokens: the longest word at each place. Where no word fits, an error is reported and what was read
 * in the attempt is skipped, as upstream's generated lexer does.
 */
final class Lexer {
    private static final Map<String, Kind> KEYWORDS =
            Map.of("in", Kind.IN, "true", Kind.TRUE, "false", Kind.FALSE, "null", Kind.NULL);

    private final Source source;
    private final List<Token> tokens = new ArrayList<>();
    private final StringBuilder hidden = new StringBuilder();
    private int position;
    /** Where the attempt to read a word failed. */
    private int failure;

    private Lexer(Source source) {
        this.source = source;
    }

    static List<Token> tokens(Source source) {
        Lexer lexer = new Lexer(source);
        while (lexer.position < source.length()) {
            lexer.next();
        }
        lexer.tokens.add(new Token(Kind.END, source.length(), "", lexer.hidden.toString()));
        return lexer.tokens;
    }

    private int at(int offset) {
        return source.at(offset);
    }

    private void next() {
        int c = at(position);
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f') {
            hide();
        } else if (c == '/' && at(position + 1) == '/') {
            while (position < source.length() && at(position) != '\n') {
                hide();
            }
        } else if (isDigit(c) || (c == '.' && isDigit(at(position + 1)))) {
            number();
        } else if (isLetter(c)) {
            word();
        } else if (c == '"' || c == '\'') {
            accept(Kind.STRING, quoted(position, false));
        } else if (c == '`') {
            accept(Kind.ESCAPED_IDENTIFIER, escapedIdentifier());
        } else {
            operator(c);
        }
    }

    private void hide() {
        hidden.appendCodePoint(at(position++));
    }

    private void accept(Kind kind, int end) {
        if (end < 0) {
            source.report(
                    position,
                    "Syntax error: token recognition error at: '"
                            + source.text(position, Math.min(failure + 1, source.length())) + "'");
            position = failure + 1;
            return;
        }
        tokens.add(new Token(kind, position, source.text(position, end), hidden.toString()));
        hidden.setLength(0);
        position = end;
    }

    private void operator(int c) {
        int second = at(position + 1);
        failure = position;
        switch (c) {
            case '=' -> pair(second == '=', Kind.EQUALS);
            case '&' -> pair(second == '&', Kind.AND);
            case '|' -> pair(second == '|', Kind.OR);
            case '!' -> oneOrTwo(second == '=', Kind.NOT, Kind.NOT_EQUALS);
            case '<' -> oneOrTwo(second == '=', Kind.LESS, Kind.LESS_EQUALS);
            case '>' -> oneOrTwo(second == '=', Kind.GREATER, Kind.GREATER_EQUALS);
            case '[' -> accept(Kind.LEFT_BRACKET, position + 1);
            case ']' -> accept(Kind.RIGHT_BRACKET, position + 1);
            case '{' -> accept(Kind.LEFT_BRACE, position + 1);
            case '}' -> accept(Kind.RIGHT_BRACE, position + 1);
            case '(' -> accept(Kind.LEFT_PAREN, position + 1);
            case ')' -> accept(Kind.RIGHT_PAREN, position + 1);
            case '.' -> accept(Kind.DOT, position + 1);
            case ',' -> accept(Kind.COMMA, position + 1);
            case '-' -> accept(Kind.MINUS, position + 1);
            case '?' -> accept(Kind.QUESTION, position + 1);
            case ':' -> accept(Kind.COLON, position + 1);
            case '+' -> accept(Kind.PLUS, position + 1);
            case '*' -> accept(Kind.STAR, position + 1);
            case '/' -> accept(Kind.SLASH, position + 1);
            case '%' -> accept(Kind.PERCENT, position + 1);
            default -> accept(Kind.END, -1);
        }
    }

    private void pair(boolean complete, Kind kind) {
        failure = position + 1;
        accept(kind, complete ? position + 2 : -1);
    }

    private void oneOrTwo(boolean two, Kind one, Kind both) {
        accept(two ? both : one, position + (two ? 2 : 1));
    }

    private void number() {
        int end = position;
        if (at(end) == '0' && at(end + 1) == 'x' && isHex(at(end + 2))) {
            end = hexDigits(end + 2);
            integer(end);
            return;
        }
        end = digits(end);
        boolean real = false;
        if (at(end) == '.' && isDigit(at(end + 1))) {
            end = digits(end + 1);
            real = true;
        }
        if (at(end) == 'e' || at(end) == 'E') {
            int exponent = at(end + 1) == '+' || at(end + 1) == '-' ? end + 2 : end + 1;
            if (isDigit(at(exponent))) {
                end = digits(exponent);
                real = true;
            }
        }
        if (real) {
            accept(Kind.FLOAT, end);
        } else {
            integer(end);
        }
    }

    private void integer(int end) {
        if (at(end) == 'u' || at(end) == 'U') {
            accept(Kind.UINT, end + 1);
        } else {
            accept(Kind.INT, end);
        }
    }

    private int digits(int from) {
        int end = from;
        while (isDigit(at(end))) {
            end++;
        }
        return end;
    }

    private int hexDigits(int from) {
        int end = from;
        while (isHex(at(end))) {
            end++;
        }
        return end;
    }

    /** A name, or a text with a prefix: {@code r"..."}, {@code b"..."}, {@code br"..."}. */
    private void word() {
        int quote = position;
        boolean bytes = at(quote) == 'b' || at(quote) == 'B';
        if (bytes) {
            quote++;
        }
        boolean raw = at(quote) == 'r' || at(quote) == 'R';
        if (raw) {
            quote++;
        }
        if (quote > position && (at(quote) == '"' || at(quote) == '\'')) {
            int end = quoted(quote, raw);
            if (end >= 0) {
                accept(bytes ? Kind.BYTES : Kind.STRING, end);
                return;
            }
        }
        int end = position;
        while (isLetter(at(end)) || isDigit(at(end))) {
            end++;
        }
        accept(KEYWORDS.getOrDefault(source.text(position, end), Kind.IDENTIFIER), end);
    }

    /** The end of the text whose first quote is at {@code start}, or -1. */
    private int quoted(int start, boolean raw) {
        int quote = at(start);
        boolean startsEmpty = at(start + 1) == quote;
        if (startsEmpty && at(start + 2) == quote) {
            int end = tripleQuoted(start + 3, quote, raw);
            if (end >= 0) {
                return end;
            }
        }
        if (startsEmpty) {
            return start + 2;
        }
        int i = start + 1;
        while (i < source.length()) {
            int c = at(i);
            if (c == quote) {
                return i + 1;
            }
            if (c == '\n' || c == '\r') {
                break;
            }
            if (c == '\\' && !raw) {
                i = escape(i);
                if (i < 0) {
                    return -1;
                }
            } else {
                i++;
            }
        }
        failure = i;
        return -1;
    }

    private int tripleQuoted(int start, int quote, boolean raw) {
        int i = start;
        while (i < source.length()) {
            int c = at(i);
            if (c == quote && at(i + 1) == quote && at(i + 2) == quote) {
                return i + 3;
            }
            if (c == '\\' && !raw) {
                i = escape(i);
                if (i < 0) {
                    return -1;
                }
            } else {
                i++;
            }
        }
        failure = i;
        return -1;
    }

    /** The end of the escape at {@code start}, or -1 with {@link #failure} set. */
    private int escape(int start) {
        int kind = at(start + 1);
        return switch (kind) {
            case 'a', 'b', 'f', 'n', 'r', 't', 'v', '"', '\'', '\\', '?', '`' -> start + 2;
            case 'x', 'X' -> hexEscape(start + 2, 2);
            case 'u' -> hexEscape(start + 2, 4);
            case 'U' -> hexEscape(start + 2, 8);
            case '0', '1', '2', '3' -> octalEscape(start + 2);
            default -> {
                failure = start + 1;
                yield -1;
            }
        };
    }

    private int hexEscape(int start, int count) {
        for (int i = start; i < start + count; i++) {
            if (!isHex(at(i))) {
                failure = i;
                return -1;
            }
        }
        return start + count;
    }

    private int octalEscape(int start) {
        for (int i = start; i < start + 2; i++) {
            if (at(i) < '0' || at(i) > '7') {
                failure = i;
                return -1;
            }
        }
        return start + 2;
    }

    private int escapedIdentifier() {
        int end = position + 1;
        while (isLetter(at(end)) || isDigit(at(end)) || (at(end) >= 0 && ".-/ ".indexOf(at(end)) >= 0)) {
            end++;
        }
        failure = end;
        return at(end) == '`' && end > position + 1 ? end + 1 : -1;
    }

    private static boolean isDigit(int c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isHex(int c) {
        return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    }

    private static boolean isLetter(int c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    }
}
