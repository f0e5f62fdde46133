package lavaflow.kube;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.TextNode;

/** Reads the words of a JSON text: space, literals, numbers, strings, and what stands between them. Complaints have the words of Go's scanner. */
final class JsonScanner {
    /** Longer integers are kept as floating point numbers: turning digits into a big integer takes quadratic time. */
    private static final int MAX_INTEGER_DIGITS = 40;

    private final byte[] in;
    private int at;

    JsonScanner(byte[] in) {
        this.in = in;
    }

    /** Steps over the byte ahead. */
    void skip() {
        at++;
    }

    private boolean atEnd() {
        return at >= in.length;
    }

    /** A value that is neither object nor list. */
    JsonNode scalar() throws DecodingException {
        return switch (current()) {
            case '"' -> {
                skip();
                yield text(TextCache.VALUES);
            }
            case 't' -> literal("true", Json.FACTORY.booleanNode(true));
            case 'f' -> literal("false", Json.FACTORY.booleanNode(false));
            case 'n' -> literal("null", NullNode.getInstance());
            case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' -> number();
            default -> throw unexpected("looking for beginning of value");
        };
    }

    /** The key of a member, and the colon behind it. */
    String member() throws DecodingException {
        skipSpace();
        if (current() != '"') {
            throw unexpected("looking for beginning of object key string");
        }
        skip();
        String key = key();
        skipSpace();
        if (current() != ':') {
            throw unexpected("after object key");
        }
        skip();
        return key;
    }

    /** Steps over the opening bracket; false if the closing one follows, which is then behind us, too. */
    boolean begin(int end) {
        skip();
        skipSpace();
        if (current() != end) {
            return true;
        }
        skip();
        return false;
    }

    /** Steps over what follows a member or element; false if that is the closing bracket. */
    boolean goOn(int end, String where) throws DecodingException {
        skipSpace();
        int c = current();
        if (c != ',' && c != end) {
            throw unexpected(where);
        }
        skip();
        return c == ',';
    }

    /** Nothing but space may be left. */
    void finish() throws DecodingException {
        skipSpace();
        if (!atEnd()) {
            throw unexpected("after top-level value");
        }
    }

    private JsonNode literal(String word, JsonNode node) throws DecodingException {
        at++;
        for (int i = 1; i < word.length(); i++, at++) {
            if (at >= in.length || in[at] != word.charAt(i)) {
                throw invalid(
                        at < in.length ? in[at] : ' ', "in literal " + word + " (expecting '" + word.charAt(i) + "')");
            }
        }
        return node;
    }

    private JsonNode number() throws DecodingException {
        int start = at;
        boolean negative = in[at] == '-';
        at += negative ? 1 : 0;
        if (!isDigit()) {
            throw invalid(at < in.length ? in[at] : ' ', "in numeric literal");
        }
        int first = at;
        if (in[at] == '0') {
            at++;
        } else {
            skipDigits();
        }
        int digits = at - first;
        boolean whole = true;
        if (at < in.length && in[at] == '.') {
            whole = false;
            at++;
            requireDigits("after decimal point in numeric literal");
        }
        if (at < in.length && (in[at] == 'e' || in[at] == 'E')) {
            whole = false;
            at++;
            if (at < in.length && (in[at] == '+' || in[at] == '-')) {
                at++;
            }
            requireDigits("in exponent of numeric literal");
        }
        if (whole && digits < 19) {
            long number = 0;
            for (int i = first; i < at; i++) {
                number = number * 10 + in[i] - '0';
            }
            return Json.number(negative ? -number : number);
        }
        return bigNumber(
                new String(in, start, at - start, StandardCharsets.ISO_8859_1), whole && digits <= MAX_INTEGER_DIGITS);
    }

    private static JsonNode bigNumber(String text, boolean integer) throws DecodingException {
        if (integer) {
            return Json.FACTORY.numberNode(new BigInteger(text));
        }
        double number = Double.parseDouble(text);
        if (Double.isInfinite(number)) {
            throw new DecodingException("json: cannot unmarshal number " + text + " into Go value of type float64");
        }
        return Json.FACTORY.numberNode(number);
    }

    private void requireDigits(String where) throws DecodingException {
        if (!isDigit()) {
            throw invalid(at < in.length ? in[at] : ' ', where);
        }
        skipDigits();
    }

    private boolean isDigit() {
        return at < in.length && in[at] >= '0' && in[at] <= '9';
    }

    private void skipDigits() {
        while (isDigit()) {
            at++;
        }
    }

    /** Reads the rest of a key behind its opening quote. */
    String key() throws DecodingException {
        return text(TextCache.NAMES).textValue();
    }

    /** Reads up to the closing quote; the opening one is behind us. */
    private TextNode text(TextCache cache) throws DecodingException {
        int start = at;
        int hash = 0;
        int end = start;
        while (end < in.length && isPlain(in[end])) {
            hash = 31 * hash + in[end++];
        }
        if (end < in.length && in[end] == '"') {
            at = end + 1;
            return cache.text(in, start, end, hash);
        }
        return Json.FACTORY.textNode(special(start, end));
    }

    /** Reads what begins with plain characters, and has others. */
    private String special(int start, int end) throws DecodingException {
        StringBuilder text = new StringBuilder(end - start + 32);
        for (int i = start; i < end; i++) {
            text.append((char) in[i]);
        }
        at = end;
        while (true) {
            if (at >= in.length) {
                throw endOfInput();
            }
            byte b = in[at];
            if (b == '"') {
                at++;
                return text.toString();
            } else if (b == '\\') {
                escape(text);
            } else if (b < 0) {
                at += Utf8.append(in, at, text);
            } else if (b < ' ') {
                throw invalid(b, "in string literal");
            } else {
                text.append((char) b);
                at++;
            }
        }
    }

    private static boolean isPlain(byte b) {
        return b >= ' ' && b != '"' && b != '\\';
    }

    private void escape(StringBuilder text) throws DecodingException {
        at++;
        byte b = at < in.length ? in[at] : (byte) ' ';
        switch (b) {
            case '"', '\\', '/' -> text.append((char) b);
            case 'b' -> text.append('\b');
            case 'f' -> text.append('\f');
            case 'n' -> text.append('\n');
            case 'r' -> text.append('\r');
            case 't' -> text.append('\t');
            case 'u' -> {
                at++;
                unicodeEscape(text);
                return;
            }
            default -> throw invalid(b, "in string escape code");
        }
        at++;
    }

    private void unicodeEscape(StringBuilder text) throws DecodingException {
        char c = (char) fourHexDigits();
        if (!Character.isSurrogate(c)) {
            text.append(c);
            return;
        }
        boolean another = Character.isHighSurrogate(c) && at + 1 < in.length && in[at] == '\\' && in[at + 1] == 'u';
        if (another) {
            int start = at;
            at += 2;
            char low = (char) fourHexDigits();
            if (Character.isLowSurrogate(low)) {
                text.append(c).append(low);
                return;
            }
            at = start;
        }
        text.append('\uFFFD');
    }

    private int fourHexDigits() throws DecodingException {
        int code = 0;
        for (int i = 0; i < 4; i++, at++) {
            byte b = at < in.length ? in[at] : (byte) ' ';
            int digit = b < 0 ? -1 : Character.digit(b, 16);
            if (digit < 0) {
                throw invalid(b, "in \\u hexadecimal character escape");
            }
            code = (code << 4) | digit;
        }
        return code;
    }

    void skipSpace() {
        while (at < in.length) {
            byte b = in[at];
            if (b != ' ' && b != '\n' && b != '\r' && b != '\t') {
                return;
            }
            at++;
        }
    }

    /** The byte ahead, or -1 at the end; never equal to a byte that means something. */
    int current() {
        return at < in.length ? in[at] & 0xff : -1;
    }

    DecodingException unexpected(String where) {
        return at < in.length ? invalid(in[at], where) : endOfInput();
    }

    private static DecodingException endOfInput() {
        return new DecodingException("unexpected end of JSON input");
    }

    private static DecodingException invalid(int unsignedOrByte, String where) {
        return new DecodingException("invalid character " + quoted((char) (unsignedOrByte & 0xff)) + " " + where);
    }

    /** Go shows the byte as if it were a character. */
    private static String quoted(char c) {
        return switch (c) {
            case '\'' -> "'\\''";
            case '"' -> "'\"'";
            default -> {
                String quoted = GoQuote.quote(String.valueOf(c));
                yield "'" + quoted.substring(1, quoted.length() - 1) + "'";
            }
        };
    }
}
