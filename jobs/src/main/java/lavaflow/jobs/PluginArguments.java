package lavaflow.jobs;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import lavaflow.kube.FieldErrors;

/**
 * The arguments of a plugin, read as Go reads flags: one dash or two, a value after an equals sign or as the next word. What
 * comes after the first one that makes no sense is not looked at, and defaults hold.
 */
final class PluginArguments {
    private static final Set<String> YES = Set.of("1", "t", "T", "true", "TRUE", "True");
    private static final Set<String> NO = Set.of("0", "f", "F", "false", "FALSE", "False");

    private final Map<String, Object> values = new TreeMap<>();
    private String problem = "";

    /**
     * Reads arguments.
     *
     * @param defaults what there may be and what holds otherwise: a text, a number (Long) or a Boolean each
     */
    PluginArguments(List<String> arguments, Map<String, Object> defaults) {
        values.putAll(defaults);
        for (int i = 0; i < arguments.size() && problem.isEmpty(); i++) {
            String argument = arguments.get(i);
            String word = argument.startsWith("--")
                    ? argument.substring(2)
                    : argument.substring(Math.min(1, argument.length()));
            if (argument.length() < 2 || argument.charAt(0) != '-' || word.isEmpty()) {
                return; // whatever follows is not about flags
            }
            int equals = word.indexOf('=');
            String name = equals < 0 ? word : word.substring(0, equals);
            if (name.isEmpty() || name.startsWith("-")) {
                problem = "bad flag syntax: " + argument;
            } else if (!values.containsKey(name)) {
                problem = name.equals("h") || name.equals("help")
                        ? "flag: help requested"
                        : "flag provided but not defined: -" + name;
            } else if (equals >= 0) {
                set(name, word.substring(equals + 1));
            } else if (values.get(name) instanceof Boolean) {
                values.put(name, true);
            } else if (i + 1 < arguments.size()) {
                i++;
                set(name, arguments.get(i));
            } else {
                problem = "flag needs an argument: -" + name;
            }
        }
    }

    private void set(String name, String value) {
        switch (values.get(name)) {
            case Boolean _ -> {
                if (YES.contains(value) || NO.contains(value)) {
                    values.put(name, YES.contains(value));
                } else {
                    problem = "invalid boolean value " + FieldErrors.quoted(value) + " for -" + name + ": parse error";
                }
            }
            case Long _ -> {
                try {
                    values.put(name, Long.decode(value));
                } catch (NumberFormatException _) {
                    problem = "invalid value " + FieldErrors.quoted(value) + " for flag -" + name + ": parse error";
                }
            }
            case null, default -> values.put(name, value);
        }
    }

    String text(String name) {
        return String.valueOf(values.get(name));
    }

    long number(String name) {
        return values.get(name) instanceof Long number ? number : 0;
    }

    boolean flag(String name) {
        return Boolean.TRUE.equals(values.get(name));
    }

    /** Why the rest was not looked at; empty if all was. */
    String problem() {
        return problem;
    }
}
