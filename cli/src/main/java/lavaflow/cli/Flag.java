package lavaflow.cli;

import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * A flag as upstream's library for them knows it.
 *
 * @param letter its short form, empty for none
 * @param value what it means where it is not given
 */
record Flag(String name, String letter, Type type, String value, String description) {
    /** What a flag takes, under the name that help shows. */
    enum Type {
        STRING,
        INT,
        INT32,
        BOOL,
        DURATION,
        LEVEL("Level"),
        MODULE_SPEC("moduleSpec");

        private final String word;

        Type() {
            this.word = name().toLowerCase(Locale.ROOT);
        }

        Type(String word) {
            this.word = word;
        }

        String word() {
            return word;
        }
    }

    static Flag text(String name, String letter, String value, String description) {
        return new Flag(name, letter, Type.STRING, value, description);
    }

    static Flag number(String name, String letter, int value, String description) {
        return new Flag(name, letter, Type.INT, Integer.toString(value), description);
    }

    static Flag small(String name, String letter, int value, String description) {
        return new Flag(name, letter, Type.INT32, Integer.toString(value), description);
    }

    static Flag flag(String name, String description) {
        return new Flag(name, "", Type.BOOL, "false", description);
    }

    boolean isBool() {
        return type == Type.BOOL;
    }

    /** How messages name it: {@code -m, --min}. */
    String both() {
        return letter.isEmpty() ? "--" + name : "-" + letter + ", --" + name;
    }

    /** What is wrong with a value, in the words of Go's standard library; null for nothing. */
    @Nullable
    String fault(String given) {
        return switch (type) {
            case STRING, MODULE_SPEC -> null;
            case BOOL ->
                switch (given) {
                    case "1", "t", "T", "TRUE", "true", "True", "0", "f", "F", "FALSE", "false", "False" -> null;
                    default -> "strconv.ParseBool: parsing \"" + given + "\": invalid syntax";
                };
            case INT, INT32, LEVEL -> numberFault(given);
            case DURATION ->
                given.matches("[+-]?(0|(\\d+(\\.\\d*)?(ns|us|µs|ms|s|m|h))+)")
                        ? null
                        : "time: invalid duration \"" + given + "\"";
        };
    }

    private @Nullable String numberFault(String given) {
        String why = "strconv.ParseInt: parsing \"" + given + "\": ";
        if (!given.matches("[+-]?\\d+")) {
            return why + "invalid syntax";
        }
        try {
            long number = Long.parseLong(given);
            boolean fits = type == Type.INT || number == (int) number;
            return fits ? null : why + "value out of range";
        } catch (NumberFormatException _) {
            return why + "value out of range";
        }
    }

    /** What help adds to the description; nothing for what is nothing. */
    String shownValue() {
        return switch (type) {
            case STRING -> value.isEmpty() ? "" : " (default \"" + value + "\")";
            case BOOL, LEVEL, MODULE_SPEC -> "";
            case INT, INT32, DURATION -> value.equals("0") ? "" : " (default " + value + ")";
        };
    }
}
