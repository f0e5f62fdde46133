package lavaflow.cli;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/** The flags that were given to a command; told apart and refused as upstream's library does. */
final class Flags {
    /** What was typed is not what a command takes. */
    static final class WrongFlag extends Exception {
        private static final long serialVersionUID = 1;

        WrongFlag(String message) {
            super(message);
        }
    }

    private final Map<String, Flag> known = new HashMap<>();
    private final Map<String, String> given = new HashMap<>();
    private final List<String> words = new ArrayList<>();
    private boolean help;

    private Flags(List<Flag> flags) {
        flags.forEach(flag -> known.put(flag.name(), flag));
    }

    static Flags parse(List<Flag> flags, List<String> typed) throws WrongFlag {
        Flags parsed = new Flags(flags);
        for (int i = 0; i < typed.size(); i++) {
            String word = typed.get(i);
            if (word.equals("--")) {
                parsed.words.addAll(typed.subList(i + 1, typed.size()));
                break;
            }
            if (!word.startsWith("-") || word.equals("-")) {
                parsed.words.add(word);
                continue;
            }
            String next = i + 1 < typed.size() ? typed.get(i + 1) : null;
            boolean tookNext = word.startsWith("--") ? parsed.named(word, next) : parsed.letters(word, next);
            i += tookNext ? 1 : 0;
        }
        return parsed;
    }

    /** {@code --name value}, {@code --name=value}; true if the next word was the value. */
    private boolean named(String word, @Nullable String next) throws WrongFlag {
        int equals = word.indexOf('=');
        String name = word.substring(2, equals < 0 ? word.length() : equals);
        if (name.isEmpty() || name.startsWith("-")) {
            throw new WrongFlag("bad flag syntax: " + word);
        }
        Flag flag = known.get(name);
        if (flag == null) {
            if (name.equals("help")) {
                help = true;
                return false;
            }
            throw new WrongFlag("unknown flag: --" + name);
        }
        if (equals >= 0) {
            put(flag, word.substring(equals + 1));
            return false;
        }
        if (flag.isBool()) {
            put(flag, "true");
            return false;
        }
        if (next == null) {
            throw new WrongFlag("flag needs an argument: --" + name);
        }
        put(flag, next);
        return true;
    }

    /** {@code -n value}, {@code -nvalue}, {@code -n=value}; true if the next word was the value. */
    private boolean letters(String word, @Nullable String next) throws WrongFlag {
        for (int i = 1; i < word.length(); i++) {
            String letter = word.substring(i, i + 1);
            Flag flag = known.values().stream()
                    .filter(each -> each.letter().equals(letter))
                    .findFirst()
                    .orElse(null);
            if (flag == null) {
                if (letter.equals("h")) {
                    help = true;
                    return false;
                }
                throw new WrongFlag("unknown shorthand flag: '" + letter + "' in -" + word.substring(i));
            }
            String rest = word.substring(i + 1);
            if (flag.isBool() && !rest.startsWith("=")) {
                put(flag, "true");
                continue;
            }
            if (!rest.isEmpty()) {
                put(flag, rest.startsWith("=") ? rest.substring(1) : rest);
                return false;
            }
            if (next == null) {
                throw new WrongFlag("flag needs an argument: '" + letter + "' in -" + word.substring(i));
            }
            put(flag, next);
            return true;
        }
        return false;
    }

    private void put(Flag flag, String value) throws WrongFlag {
        String fault = flag.fault(value);
        if (fault != null) {
            throw new WrongFlag("invalid argument \"" + value + "\" for \"" + flag.both() + "\" flag: " + fault);
        }
        given.put(flag.name(), value);
    }

    boolean wantsHelp() {
        return help;
    }

    /** What is no flag. */
    List<String> words() {
        return words;
    }

    String text(String name) {
        Flag flag = known.get(name);
        return given.getOrDefault(name, flag == null ? "" : flag.value());
    }

    long number(String name) {
        String text = text(name);
        return text.isEmpty() ? 0 : Long.parseLong(text);
    }

    boolean isSet(String name) {
        return switch (text(name)) {
            case "1", "t", "T", "TRUE", "true", "True" -> true;
            default -> false;
        };
    }
}
