package lavaflow.kube;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

import org.jspecify.annotations.Nullable;

/**
 * Finds the first syntax error of a JSON text and words it as Go's encoding/json does, because that is what clients of
 * Kubernetes see. Only run on texts that failed to parse.
 */
public final class GoJsonSyntax {
    private static final int MOST_DEPTH = 10_000;
    private static final String END = "unexpected end of JSON input";

    private final byte[] text;
    private int position;
    /** Open brackets, innermost first. */
    private final Deque<Byte> open = new ArrayDeque<>();

    private GoJsonSyntax(byte[] text) {
        // Go, too, offers its scanner one more space at the end: in the middle of a word that is what it complains of.
        this.text = Arrays.copyOf(text, text.length + 1);
        this.text[text.length] = ' ';
    }

    /** What is wrong with the text, or null where nothing is. */
    public static @Nullable String complaint(byte[] text) {
        try {
            new GoJsonSyntax(text).document();
            return null;
        } catch (MalformedException e) {
            return e.getMessage();
        }
    }

    private void document() {
        do {
            value();
        } while (!open.isEmpty());
        skipSpace();
        if (position < text.length) {
            throw unexpected("after top-level value");
        }
    }

    /** A value and everything behind it up to where the next value begins. */
    private void value() {
        byte c = next();
        switch (c) {
            case '{', '[' -> {
                openBracket(c);
                return;
            }
            case '"' -> string();
            case 't' -> literal("true");
            case 'f' -> literal("false");
            case 'n' -> literal("null");
            default -> number(c);
        }
        afterValue();
    }

    private void openBracket(byte bracket) {
        open.push(bracket);
        if (open.size() > MOST_DEPTH) {
            throw new MalformedException("exceeded max depth");
        }
        skipSpace();
        byte close = closing(bracket);
        if (position < text.length && text[position] == close) {
            position++;
            open.pop();
            afterValue();
        } else if (bracket == '{') {
            key();
        }
    }

    private static byte closing(byte bracket) {
        return (byte) (bracket == '{' ? '}' : ']');
    }

    private void key() {
        byte c = next();
        if (c != '"') {
            position--;
            throw unexpected("looking for beginning of object key string");
        }
        string();
        if (next() != ':') {
            position--;
            throw unexpected("after object key");
        }
    }

    private void afterValue() {
        while (!open.isEmpty()) {
            byte bracket = open.element();
            String where = bracket == '{' ? "after object key:value pair" : "after array element";
            byte c = next();
            if (c == ',') {
                if (bracket == '{') {
                    key();
                }
                return;
            }
            if (c != closing(bracket)) {
                position--;
                throw unexpected(where);
            }
            open.pop();
        }
    }

    private void skipSpace() {
        while (position < text.length && " \t\r\n".indexOf(text[position]) >= 0) {
            position++;
        }
    }

    private byte next() {
        skipSpace();
        return take();
    }

    /** The next byte, which may be a space. */
    private byte take() {
        if (position >= text.length) {
            throw new MalformedException(END);
        }
        return text[position++];
    }

    private MalformedException unexpected(String where) {
        if (position >= text.length) {
            return new MalformedException(END);
        }
        return new MalformedException("invalid character " + quoted(text[position] & 0xff) + " " + where);
    }

    private static String quoted(int c) {
        return switch (c) {
            case '\'' -> "'\\''";
            case '"' -> "'\"'";
            default -> {
                String quote = GoQuote.quote(Character.toString(c));
                yield "'" + quote.substring(1, quote.length() - 1) + "'";
            }
        };
    }

    private void string() {
        while (true) {
            byte c = take();
            if (c == '"') {
                return;
            }
            if (c == '\\') {
                escape();
            } else if (c >= 0 && c < ' ') {
                position--;
                throw unexpected("in string literal");
            }
        }
    }

    private void escape() {
        byte c = take();
        if (c == 'u') {
            for (int i = 0; i < 4; i++) {
                if (Character.digit(take(), 16) < 0) {
                    position--;
                    throw unexpected("in \\u hexadecimal character escape");
                }
            }
        } else if ("bfnrt\\/\"".indexOf(c) < 0) {
            position--;
            throw unexpected("in string escape code");
        }
    }

    private void literal(String word) {
        for (int i = 1; i < word.length(); i++) {
            if (take() != word.charAt(i)) {
                position--;
                throw unexpected("in literal " + word + " (expecting '" + word.charAt(i) + "')");
            }
        }
    }

    private void digits(String where) {
        if (!at("0123456789")) {
            throw unexpected(where);
        }
        while (position < text.length && text[position] >= '0' && text[position] <= '9') {
            position++;
        }
    }

    private boolean at(String choices) {
        boolean found = position < text.length && choices.indexOf(text[position]) >= 0;
        if (found) {
            position++;
        }
        return found;
    }

    private void number(byte first) {
        position--;
        if (first != '-' && (first < '0' || first > '9')) {
            throw unexpected("looking for beginning of value");
        }
        at("-");
        if (!at("0")) {
            digits("in numeric literal");
        }
        if (at(".")) {
            digits("after decimal point in numeric literal");
        }
        if (at("eE")) {
            at("+-");
            digits("in exponent of numeric literal");
        }
    }
}
