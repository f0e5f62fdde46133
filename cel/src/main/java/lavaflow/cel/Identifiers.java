package lavaflow.cel;

import java.util.Set;

import org.jspecify.annotations.Nullable;

/** Names of fields: expressions can only write identifiers, so Kubernetes escapes everything else. */
public final class Identifiers {
    private static final Set<String> RESERVED = Set.of(
            "true",
            "false",
            "null",
            "in",
            "as",
            "break",
            "const",
            "continue",
            "else",
            "for",
            "function",
            "if",
            "import",
            "let",
            "loop",
            "package",
            "namespace",
            "return",
            "var",
            "void",
            "while");

    private Identifiers() {}

    /** Whether the language keeps a word for itself. */
    public static boolean isReserved(String name) {
        return RESERVED.contains(name);
    }

    /** The identifier for a property of a schema, or null if expressions cannot name it. */
    public static @Nullable String escape(String property) {
        if (property.isEmpty() || Character.isDigit(property.charAt(0))) {
            return null;
        }
        if (isReserved(property)) {
            return "__" + property + "__";
        }
        StringBuilder escaped = new StringBuilder(property.length());
        for (int i = 0; i < property.length(); i++) {
            char c = property.charAt(i);
            if (c == '_' && i + 1 < property.length() && property.charAt(i + 1) == '_') {
                escaped.append("__underscores__");
                i++;
            } else if (c == '.') {
                escaped.append("__dot__");
            } else if (c == '-') {
                escaped.append("__dash__");
            } else if (c == '/') {
                escaped.append("__slash__");
            } else if (c == '_' || (c < 0x80 && Character.isLetterOrDigit(c))) {
                escaped.append(c);
            } else {
                return null;
            }
        }
        return escaped.toString();
    }

    /** The property an identifier stands for, or null if it stands for none. */
    public static @Nullable String unescape(String identifier) {
        StringBuilder plain = new StringBuilder(identifier.length());
        int i = 0;
        while (i < identifier.length()) {
            int end = escapeEnd(identifier, i);
            if (end < 0) {
                plain.append(identifier.charAt(i++));
                continue;
            }
            String name = identifier.substring(i + 2, end - 2);
            switch (name) {
                case "underscores" -> plain.append("__");
                case "dot" -> plain.append('.');
                case "dash" -> plain.append('-');
                case "slash" -> plain.append('/');
                default -> {
                    if (!isReserved(name) || end - i != identifier.length()) {
                        return null;
                    }
                    plain.append(name);
                }
            }
            i = end;
        }
        return plain.toString();
    }

    /** The end of {@code __word__} at a place, or -1. */
    private static int escapeEnd(String text, int start) {
        if (!text.startsWith("__", start)) {
            return -1;
        }
        int end = start + 2;
        while (end < text.length() && text.charAt(end) != '_') {
            end++;
        }
        return end > start + 2 && text.startsWith("__", end) ? end + 2 : -1;
    }
}
