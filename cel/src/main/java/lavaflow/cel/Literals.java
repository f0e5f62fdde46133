package lavaflow.cel;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

import lavaflow.cel.Token.Kind;

/** Values of constants. Throws IllegalArgumentException with the text of the error. */
final class Literals {
    private static final String INVALID = "unable to unescape string";

    private Literals() {}

    static Object value(Token token, String sign) {
        String text = token.text();
        return switch (token.kind()) {
            case TRUE -> true;
            case FALSE -> false;
            case NULL -> CelValues.NULL;
            case INT -> integer(sign, text);
            case UINT -> unsigned(text.substring(0, text.length() - 1));
            case FLOAT -> real(sign + text);
            case STRING -> new String(unescape(text, false), StandardCharsets.UTF_8);
            case BYTES -> new CelBytes(unescape(text.substring(1), true));
            default -> throw new IllegalArgumentException("unexpected " + Kind.END);
        };
    }

    private static Object integer(String sign, String text) {
        try {
            return text.startsWith("0x") ? Long.parseLong(sign + text.substring(2), 16) : Long.parseLong(sign + text);
        } catch (NumberFormatException tooLarge) {
            throw new IllegalArgumentException("invalid int literal", tooLarge);
        }
    }

    private static Object unsigned(String text) {
        try {
            return new UnsignedLong(
                    text.startsWith("0x")
                            ? Long.parseUnsignedLong(text.substring(2), 16)
                            : Long.parseUnsignedLong(text));
        } catch (NumberFormatException tooLarge) {
            throw new IllegalArgumentException("invalid uint literal", tooLarge);
        }
    }

    private static Object real(String text) {
        double value = Double.parseDouble(text);
        if (Double.isInfinite(value)) {
            throw new IllegalArgumentException("invalid double literal");
        }
        return value;
    }

    private static byte[] unescape(String literal, boolean bytes) {
        String text = literal.replace("\r\n", "\n").replace('\r', '\n');
        boolean raw = text.startsWith("r") || text.startsWith("R");
        if (raw) {
            text = text.substring(1);
        }
        int quotes = text.length() >= 6 && (text.startsWith("'''") || text.startsWith("\"\"\"")) ? 3 : 1;
        String body = text.substring(quotes, text.length() - quotes);
        if (raw || body.indexOf('\\') < 0) {
            return body.getBytes(StandardCharsets.UTF_8);
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream(body.length());
        int i = 0;
        while (i < body.length()) {
            int c = body.codePointAt(i);
            if (c != '\\') {
                out.writeBytes(Character.toString(c).getBytes(StandardCharsets.UTF_8));
                i += Character.charCount(c);
            } else {
                i = escape(body, i + 1, bytes, out);
            }
        }
        return out.toByteArray();
    }

    private static int escape(String body, int at, boolean bytes, ByteArrayOutputStream out) {
        char kind = body.charAt(at);
        switch (kind) {
            case 'a' -> out.write(7);
            case 'b' -> out.write('\b');
            case 'f' -> out.write('\f');
            case 'n' -> out.write('\n');
            case 'r' -> out.write('\r');
            case 't' -> out.write('\t');
            case 'v' -> out.write(11);
            case 'x', 'X' -> {
                return numeric(body, at + 1, 2, 16, bytes, out);
            }
            case 'u', 'U' -> {
                if (bytes) {
                    throw new IllegalArgumentException(INVALID);
                }
                return numeric(body, at + 1, kind == 'u' ? 4 : 8, 16, false, out);
            }
            case '0', '1', '2', '3' -> {
                return numeric(body, at, 3, 8, bytes, out);
            }
            default -> out.write(kind);
        }
        return at + 1;
    }

    private static int numeric(String body, int start, int count, int radix, boolean bytes, ByteArrayOutputStream out) {
        long code = Long.parseLong(body.substring(start, start + count), radix);
        if (bytes) {
            out.write((int) code);
        } else if (code > Character.MAX_CODE_POINT || (code >= 0xD800 && code <= 0xDFFF)) {
            throw new IllegalArgumentException("invalid unicode code point");
        } else {
            out.writeBytes(Character.toString((int) code).getBytes(StandardCharsets.UTF_8));
        }
        return start + count;
    }
}
