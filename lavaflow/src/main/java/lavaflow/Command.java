package lavaflow;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * One command of {@code lava}: what it is called, what it takes, what it does.
 *
 * <p>Written here rather than taken from a library: the usual one is compiled for so old a Java that its classes cannot
 * go into the start-up cache, and reflection over every command costs more than the server needs to start.
 */
interface Command {
    /**
     * Something that may follow a command.
     *
     * @param name {@code --data-dir}
     * @param letter {@code -o}; null where there is no short form
     * @param value what the value is called in help; null for a switch
     * @param fallback the value where none is given; null for none
     * @param hidden not shown in help
     */
    record Option(
            String name,
            @Nullable String letter,
            @Nullable String value,
            @Nullable String fallback,
            String description,
            boolean hidden) {
        static Option of(String name, String value, @Nullable String fallback, String description) {
            return new Option(name, null, value, fallback, description, false);
        }

        static Option flag(String name, String description) {
            return new Option(name, null, null, null, description, false);
        }

        static Option hiddenFlag(String name, String description) {
            return new Option(name, null, null, null, description, true);
        }

        boolean isFlag() {
            return value == null;
        }
    }

    /** The data directory, an option of every command about a local cluster. */
    Option DATA_DIR = Option.of("--data-dir", "DIR", null, "Data directory (default: $LAVA_HOME or ~/.lava).");

    String name();

    /** One sentence for the list of commands. */
    String summary();

    default List<Option> options() {
        return List.of(DATA_DIR);
    }

    /** Names of required arguments, in order. */
    default List<String> parameters() {
        return List.of();
    }

    /** Names of arguments that may follow those, in order. */
    default List<String> optionalParameters() {
        return List.of();
    }

    /** What is called that may follow {@code --}, as it was typed; empty where nothing may. */
    default String rest() {
        return "";
    }

    /** Does it; returns the exit code. Throws {@link CommandFailure} with a message for people. */
    int run(Arguments arguments, Console console) throws Exception;
}
