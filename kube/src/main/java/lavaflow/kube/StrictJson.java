package lavaflow.kube;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Parses JSON from outside the way Go does: the same documents are accepted, complaints have the same words, bytes that
 * are no UTF-8 become replacement characters, and every repeated key is remembered instead of refused.
 *
 * <p>Written by hand because Jackson stops at the first repeated key, refuses what Go repairs, and lets through halves
 * of surrogate pairs that it cannot write again.
 */
public final class StrictJson {
    /** What happens when a key comes twice. */
    public enum Repeated {
        /** Objects are joined, other values replaced: what Go does when it decodes into a struct. */
        JOIN,
        /** The last value stands: what Go does when it decodes into an untyped map. */
        REPLACE
    }

    /** A key that came again when {@code position} keys of its object had been seen. */
    record Duplicate(String key, int position) {}

    /**
     * A parsed document.
     *
     * @param root the tree
     * @param duplicates keys that came more than once, by the object they are in
     * @param duplicatePaths the same as paths ({@code spec.ports[0].name}) in the order of the document, each once
     */
    public record Document(
            JsonNode root, IdentityHashMap<ObjectNode, List<Duplicate>> duplicates, List<String> duplicatePaths) {
        /** A document in which no key is repeated. */
        public static Document of(JsonNode root) {
            return new Document(root, new IdentityHashMap<>(0), List.of());
        }
    }

    /** Upstream, too, stops collecting there. */
    static final int MAX_REPORTED = 100;

    /** Longer integers are kept as floating point numbers: turning digits into a big integer takes quadratic time. */
    private static final int MAX_INTEGER_DIGITS = 40;

    private final byte[] in;
    private final Repeated repeated;
    private final int maxDepth;
    private final IdentityHashMap<ObjectNode, List<Duplicate>> duplicates = new IdentityHashMap<>(0);
    private final List<String> duplicatePaths = new ArrayList<>(0);
    private Object[] path = new Object[16];
    private int depth;
    private int at;

    private StrictJson(byte[] in, Repeated repeated, int maxDepth) {
        this.in = in;
        this.repeated = repeated;
        this.maxDepth = maxDepth;
    }

    /** Parses one document; anything but white space after it is an error. */
    public static Document parse(byte[] bytes, Repeated repeated) throws DecodingException {
        return parse(bytes, repeated, Json.MAX_DEPTH);
    }

    /** Parses a document that will stand somewhere inside another one. */
    static Document parse(byte[] bytes, Repeated repeated, int maxDepth) throws DecodingException {
        StrictJson parser = new StrictJson(bytes, repeated, maxDepth);
        JsonNode root = parser.value();
        parser.skipSpace();
        if (parser.at < bytes.length) {
            throw parser.unexpected("after top-level value");
        }
        return new Document(root, parser.duplicates, parser.duplicatePaths);
    }

    private JsonNode value() throws DecodingException {
        skipSpace();
        int c = current();
        return switch (c) {
            case '{' -> object();
            case '[' -> array();
            case '"' -> {
                at++;
                yield Json.FACTORY.textNode(string());
            }
            case 't' -> literal("true", Json.FACTORY.booleanNode(true));
            case 'f' -> literal("false", Json.FACTORY.booleanNode(false));
            case 'n' -> literal("null", NullNode.getInstance());
            case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' -> number();
            default -> throw unexpected("looking for beginning of value");
        };
    }

    private ObjectNode object() throws DecodingException {
        enter();
        ObjectNode object = Json.FACTORY.objectNode();
        at++;
        skipSpace();
        if (current() == '}') {
            at++;
            depth--;
            return object;
        }
        while (true) {
            skipSpace();
            if (current() != '"') {
                throw unexpected("looking for beginning of object key string");
            }
            at++;
            String key = key();
            skipSpace();
            if (current() != ':') {
                throw unexpected("after object key");
            }
            at++;
            path[depth - 1] = key;
            JsonNode value = value();
            JsonNode before = object.replace(key, value);
            if (before != null) {
                repeat(object, key, before, value);
            }
            skipSpace();
            int c = current();
            if (c != ',' && c != '}') {
                throw unexpected("after object key:value pair");
            }
            at++;
            if (c == '}') {
                depth--;
                return object;
            }
        }
    }

    private ArrayNode array() throws DecodingException {
        enter();
        ArrayNode array = Json.FACTORY.arrayNode();
        at++;
        skipSpace();
        if (current() == ']') {
            at++;
            depth--;
            return array;
        }
        while (true) {
            path[depth - 1] = array;
            array.add(value());
            skipSpace();
            int c = current();
            if (c != ',' && c != ']') {
                throw unexpected("after array element");
            }
            at++;
            if (c == ']') {
                depth--;
                return array;
            }
        }
    }

    private void enter() throws DecodingException {
        if (++depth > maxDepth) {
            throw new DecodingException("exceeded max depth");
        }
        if (depth > path.length) {
            path = java.util.Arrays.copyOf(path, path.length * 2);
        }
    }

    private void repeat(ObjectNode object, String key, JsonNode before, JsonNode value) {
        if (duplicatePaths.size() < MAX_REPORTED) {
            String text = pathText();
            if (!duplicatePaths.contains(text)) {
                duplicatePaths.add(text);
                duplicates.computeIfAbsent(object, _ -> new ArrayList<>()).add(new Duplicate(key, object.size()));
            }
        }
        if (repeated == Repeated.JOIN && before instanceof ObjectNode first && value instanceof ObjectNode second) {
            join(first, second);
            object.set(key, first);
        }
    }

    private void join(ObjectNode first, ObjectNode second) {
        List<Duplicate> more = duplicates.remove(second);
        if (more != null) {
            duplicates.computeIfAbsent(first, _ -> new ArrayList<>()).addAll(more);
        }
        for (Map.Entry<String, JsonNode> entry : second.properties()) {
            JsonNode before = first.get(entry.getKey());
            if (before instanceof ObjectNode inner && entry.getValue() instanceof ObjectNode other) {
                join(inner, other);
            } else {
                first.set(entry.getKey(), entry.getValue());
            }
        }
    }

    private String pathText() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < depth; i++) {
            if (path[i] instanceof ArrayNode array) {
                text.append('[').append(array.size()).append(']');
            } else {
                text.append(text.isEmpty() ? "" : ".").append(path[i]);
            }
        }
        return text.toString();
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

    private String key() throws DecodingException {
        int start = at;
        int hash = 0;
        int end = start;
        while (end < in.length && isPlain(in[end])) {
            hash = 31 * hash + in[end++];
        }
        if (end < in.length && in[end] == '"') {
            at = end + 1;
            return KeyCache.key(in, start, end, hash);
        }
        return string();
    }

    /** Reads up to the closing quote; the opening one is behind us. */
    private String string() throws DecodingException {
        int start = at;
        int end = start;
        while (end < in.length && isPlain(in[end])) {
            end++;
        }
        if (end < in.length && in[end] == '"') {
            at = end + 1;
            return new String(in, start, end - start, StandardCharsets.ISO_8859_1);
        }
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

    private void skipSpace() {
        while (at < in.length) {
            byte b = in[at];
            if (b != ' ' && b != '\n' && b != '\r' && b != '\t') {
                return;
            }
            at++;
        }
    }

    /** The byte ahead, or -1 at the end; never equal to a byte that means something. */
    private int current() {
        return at < in.length ? in[at] & 0xff : -1;
    }

    private DecodingException unexpected(String where) {
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
