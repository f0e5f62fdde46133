package lavaflow.kubelet;

import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/** Replaces {@code $(NAME)} in commands, arguments and variables; {@code $$} is a dollar sign. */
final class Expansion {
    private Expansion() {}

    /**
     * @param values what a name stands for; null leaves the reference as it is written
     */
    static String expand(String text, Function<String, @Nullable String> values) {
        StringBuilder out = new StringBuilder();
        int i = 0;
        while (i < text.length()) {
            char c = text.charAt(i);
            if (c != '$' || i + 1 == text.length()) {
                out.append(c);
                i++;
                continue;
            }
            char next = text.charAt(i + 1);
            if (next == '$') {
                out.append('$');
                i += 2;
            } else if (next == '(' && text.indexOf(')', i + 2) >= 0) {
                int end = text.indexOf(')', i + 2);
                String name = text.substring(i + 2, end);
                String value = values.apply(name);
                out.append(value == null ? "$(" + name + ")" : value);
                i = end + 1;
            } else {
                // Neither an operator nor an escape: both characters stand for themselves.
                out.append(c).append(next);
                i += 2;
            }
        }
        return out.toString();
    }
}
