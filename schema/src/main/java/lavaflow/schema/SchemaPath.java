package lavaflow.schema;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.FieldPath;

import org.jspecify.annotations.Nullable;

/**
 * A path of members through a schema, as rules and selectable fields name them: {@code .spec.a['b']}.
 *
 * @param path the same place as error messages name it
 * @param first the first step
 * @param schema what is declared there, or null where it is content of any kind
 */
record SchemaPath(FieldPath path, String first, @Nullable StructuralSchema schema) {
    /** A path that leads nowhere. */
    static final class Invalid extends Exception {
        Invalid(String message) {
            super(message, null, false, false);
        }
    }

    /**
     * Follows a path.
     *
     * @param brackets whether {@code ['name']} is allowed
     */
    static SchemaPath follow(String text, StructuralSchema root, boolean brackets) throws Invalid {
        List<String> tokens = tokens(text);
        FieldPath path = FieldPath.root();
        StructuralSchema schema = root;
        String first = "";
        for (int i = 0; i < tokens.size(); i++) {
            String token = tokens.get(i);
            boolean bracket = token.equals("[");
            if (bracket && !brackets) {
                throw new Invalid("array notation is not allowed");
            }
            if (!bracket && !token.equals(".")) {
                throw new Invalid("expected [ or . but got: " + token);
            }
            String name = next(tokens, ++i);
            if (bracket) {
                name = unquoted(name);
            }
            if (schema == null || (schema.size() == 0 && !schema.hasAdditional())) {
                throw new Invalid("does not refer to a valid field");
            }
            boolean named = schema.size() > 0;
            path = named ? path.child(name) : path.key(name);
            schema = named ? schema.property(name) : schema.additional();
            if (named && schema == null) {
                throw new Invalid("does not refer to a valid field");
            }
            first = first.isEmpty() ? name : first;
            if (bracket && !next(tokens, ++i).equals("]")) {
                throw new Invalid("expected ] but got " + tokens.get(i));
            }
        }
        return new SchemaPath(path, first, schema);
    }

    private static String next(List<String> tokens, int position) throws Invalid {
        if (position >= tokens.size()) {
            throw new Invalid("unexpected end of JSON path");
        }
        return tokens.get(position);
    }

    private static List<String> tokens(String text) {
        List<String> tokens = new ArrayList<>();
        int start = 0;
        while (start < text.length()) {
            int end = start;
            if (text.charAt(start) == '\'') {
                end = start + 1;
                while (end < text.length() && (text.charAt(end) != '\'' || text.charAt(end - 1) == '\\')) {
                    end++;
                }
                end = Math.min(end + 1, text.length());
            } else {
                while (end < text.length() && ".[]".indexOf(text.charAt(end)) < 0) {
                    end++;
                }
                end = Math.max(end, start + 1);
            }
            tokens.add(text.substring(start, end));
            start = end;
        }
        return tokens;
    }

    private static String unquoted(String token) throws Invalid {
        if (token.length() < 2 || !token.startsWith("'") || !token.endsWith("'")) {
            throw new Invalid("expected single quoted string but got " + token);
        }
        StringBuilder text = new StringBuilder();
        for (int i = 1; i < token.length() - 1; i++) {
            char c = token.charAt(i);
            if (c == '\\' && i + 1 < token.length() - 1) {
                int known = "abfnrtv'\\".indexOf(token.charAt(++i));
                if (known < 0) {
                    throw new Invalid("invalid string literal: invalid escape char \\" + token.charAt(i));
                }
                c = "\u0007\b\f\n\r\t\u000b'\\".charAt(known);
            }
            text.append(c);
        }
        return text.toString();
    }
}
