package lavaflow;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/** What was typed after a command, checked against what the command takes. */
final class Arguments {
    private final Map<String, String> values = new HashMap<>();
    private final List<String> parameters = new ArrayList<>();
    private List<String> rest = List.of();

    private Arguments() {}

    /** Reads arguments; wrong ones are a {@link CommandFailure} of wrong usage. */
    static Arguments parse(Command command, List<String> words) {
        Arguments arguments = new Arguments();
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            if (word.equals("--") && !command.rest().isEmpty()) {
                arguments.rest = List.copyOf(words.subList(i + 1, words.size()));
                break;
            }
            if (!word.startsWith("-") || word.equals("-")) {
                arguments.parameters.add(word);
                continue;
            }
            int equals = word.indexOf('=');
            String name = equals < 0 ? word : word.substring(0, equals);
            Command.Option option = find(command, name);
            if (option.isFlag()) {
                if (equals >= 0) {
                    throw wrong(command, name + " takes no value");
                }
                arguments.values.put(option.name(), "true");
            } else if (equals >= 0) {
                arguments.values.put(option.name(), word.substring(equals + 1));
            } else if (i + 1 < words.size()) {
                arguments.values.put(option.name(), words.get(++i));
            } else {
                throw wrong(command, name + " needs a value: " + name + " " + option.value());
            }
        }
        checkCount(command, arguments.parameters);
        for (Command.Option option : command.options()) {
            if (option.fallback() != null) {
                arguments.values.putIfAbsent(option.name(), option.fallback());
            }
        }
        return arguments;
    }

    private static void checkCount(Command command, List<String> given) {
        List<String> wanted = command.parameters();
        if (given.size() < wanted.size()) {
            throw wrong(command, "missing " + wanted.get(given.size()));
        }
        int most = wanted.size() + command.optionalParameters().size();
        if (given.size() > most) {
            throw wrong(command, "unexpected argument '" + given.get(most) + "'");
        }
    }

    private static Command.Option find(Command command, String name) {
        for (Command.Option option : command.options()) {
            if (option.name().equals(name) || name.equals(option.letter())) {
                return option;
            }
        }
        throw wrong(command, "unknown option " + name);
    }

    static CommandFailure wrong(Command command, String what) {
        return new CommandFailure(Lava.USAGE, what + ". Try: lava " + command.name() + " --help");
    }

    boolean has(Command.Option option) {
        return values.containsKey(option.name());
    }

    @Nullable
    String find(Command.Option option) {
        return values.get(option.name());
    }

    /** The value of an option that has a fallback. */
    String value(Command.Option option) {
        String value = values.get(option.name());
        if (value == null) {
            throw new IllegalStateException(option.name() + " has neither a value nor a fallback");
        }
        return value;
    }

    @Nullable
    Path findPath(Command.Option option) {
        String text = find(option);
        return text == null ? null : Path.of(text);
    }

    /** The value of an option that is true or false. */
    boolean truth(Command command, Command.Option option) {
        return switch (value(option)) {
            case "true" -> true;
            case "false" -> false;
            default -> throw wrong(command, option.name() + " wants true or false");
        };
    }

    /** The value of an option that is a number above zero. */
    int number(Command command, Command.Option option) {
        try {
            int number = Integer.parseInt(value(option));
            if (number > 0) {
                return number;
            }
        } catch (NumberFormatException _) {
            // Told below, in one way for every bad number.
        }
        throw wrong(command, option.name() + " wants a number above zero");
    }

    String parameter(int index) {
        return parameters.get(index);
    }

    /** An argument that may be left out. */
    @Nullable
    String findParameter(int index) {
        return index < parameters.size() ? parameters.get(index) : null;
    }

    /** What followed {@code --}. */
    List<String> rest() {
        return rest;
    }

    Home home() {
        String directory = find(Command.DATA_DIR);
        return Home.of(directory == null ? null : Path.of(directory));
    }
}
