package lavaflow.kube;

/** Quotes text as Go's {@code %q} does, which is how upstream shows strings in messages. */
public final class GoQuote {
    private GoQuote() {}

    public static String quote(String text) {
        StringBuilder out = new StringBuilder(text.length() + 2).append('"');
        text.codePoints().forEach(c -> append(out, c));
        return out.append('"').toString();
    }

    private static void append(StringBuilder out, int c) {
        switch (c) {
            case '"' -> out.append("\\\"");
            case '\\' -> out.append("\\\\");
            case 0x07 -> out.append("\\a");
            case '\b' -> out.append("\\b");
            case '\f' -> out.append("\\f");
            case '\n' -> out.append("\\n");
            case '\r' -> out.append("\\r");
            case '\t' -> out.append("\\t");
            case 0x0b -> out.append("\\v");
            default -> {
                if (isPrint(c)) {
                    out.appendCodePoint(c);
                } else if (c < 0x80) {
                    out.append(String.format("\\x%02x", c));
                } else if (c < 0x10000) {
                    out.append(String.format("\\u%04x", c));
                } else {
                    out.append(String.format("\\U%08x", c));
                }
            }
        }
    }

    /** Go's unicode.IsPrint: letters, marks, numbers, punctuation, symbols and the ASCII space. */
    public static boolean isPrint(int c) {
        if (c < 0x80) {
            return c >= ' ' && c < 0x7f;
        }
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SPACE_SEPARATOR -> false;
            default -> true;
        };
    }
}
