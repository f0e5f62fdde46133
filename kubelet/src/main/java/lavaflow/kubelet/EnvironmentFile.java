package lavaflow.kubelet;

import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * A file of variables as kubelets read it: {@code NAME='value'}, where a value may span lines and stands as it is between
 * its quotes; empty lines and comments do not count. Whatever comes after the wanted variable is not looked at.
 */
final class EnvironmentFile {
    private final List<String> lines;
    private int next;

    private EnvironmentFile(String text) {
        this.lines = text.lines().toList();
    }

    /**
     * What a variable is set to; empty where the file does not name it, or sets it to nothing.
     *
     * @throws ConfigurationException where a line before it cannot be read
     */
    static Optional<String> value(String text, String name) throws ConfigurationException {
        return new EnvironmentFile(text).find(name);
    }

    private Optional<String> find(String wanted) throws ConfigurationException {
        while (next < lines.size()) {
            String line = stripped(lines.get(next++));
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            String name = name(line);
            String value = value(line.substring(name.length() + 1));
            if (name.equals(wanted)) {
                return Optional.ofNullable(value).filter(each -> !each.isEmpty());
            }
        }
        return Optional.empty();
    }

    private String name(String line) throws ConfigurationException {
        int end = line.indexOf('=');
        if (end < 0) {
            throw problem(next, "missing '='");
        }
        String name = line.substring(0, end);
        if (name.isBlank()) {
            throw problem(next, "empty variable name");
        }
        if (name.endsWith(" ") || name.endsWith("\t")) {
            throw problem(next, "whitespace before '=' is not allowed");
        }
        return name;
    }

    /** Null where a space follows the sign, which sets the variable to nothing, as in a shell. */
    private @Nullable String value(String rest) throws ConfigurationException {
        if (rest.startsWith(" ") || rest.startsWith("\t")) {
            return null;
        }
        if (!rest.startsWith("'")) {
            throw problem(next, "value must be enclosed in single quotes");
        }
        int began = next;
        StringBuilder value = new StringBuilder();
        String left = rest.substring(1);
        int end = left.indexOf('\'');
        while (end < 0) {
            value.append(left).append('\n');
            if (next == lines.size()) {
                throw new ConfigurationException(
                        "invalid environment variable format starting at line " + began + ": unclosed single quote");
            }
            left = lines.get(next++);
            end = left.indexOf('\'');
        }
        String after = stripped(left.substring(end + 1));
        if (!after.isEmpty() && !after.startsWith("#")) {
            throw problem(next, "unexpected content after closing quote");
        }
        return value.append(left, 0, end).toString();
    }

    private static String stripped(String line) {
        int from = 0;
        while (from < line.length() && (line.charAt(from) == ' ' || line.charAt(from) == '\t')) {
            from++;
        }
        return line.substring(from);
    }

    private static ConfigurationException problem(int line, String what) {
        return new ConfigurationException("invalid environment variable format at line " + line + ": " + what);
    }
}
