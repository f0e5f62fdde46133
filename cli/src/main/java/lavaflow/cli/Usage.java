package lavaflow.cli;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** What help prints, laid out as upstream's library for commands does. */
final class Usage {
    /** Flags of every command, of the library that upstream logs with. They change nothing here. */
    static final List<Flag> COMMON = List.of(
            new Flag(
                    "log-flush-frequency",
                    "",
                    Flag.Type.DURATION,
                    "5s",
                    "Maximum number of seconds between log flushes"),
            new Flag("v", "v", Flag.Type.LEVEL, "0", "number for the log level verbosity"),
            new Flag(
                    "vmodule",
                    "",
                    Flag.Type.MODULE_SPEC,
                    "",
                    "comma-separated list of pattern=N settings for file-filtered logging"
                            + " (only works for the default text log format)"));

    private static final int NAMES = 11;
    private static final int SIMILAR = 2;

    private Usage() {}

    /** @param path the words that lead to the command: {@code vcctl job run} */
    static String of(Verb verb, String path) {
        return of(verb, path, true);
    }

    /** @param helping whether the flag that asks for help is told; upstream's library forgets it of unknown topics */
    static String of(Verb verb, String path, boolean helping) {
        boolean first = !path.contains(" ");
        StringBuilder text = new StringBuilder();
        if (!verb.summary().isEmpty()) {
            text.append(verb.summary()).append("\n\n");
        }
        text.append("Usage:\n  ").append(path).append(verb.action() == null ? " [command]\n" : " [flags]\n");
        if (verb.action() == null) {
            text.append("\nAvailable Commands:\n");
            for (Verb child : verb.sortedChildren()) {
                text.append(String.format("  %-" + NAMES + "s %s%n", child.name(), child.summary()));
            }
        }
        List<Flag> own = new ArrayList<>(verb.flags());
        if (helping) {
            own.add(new Flag("help", "h", Flag.Type.BOOL, "false", "help for " + verb.name()));
        }
        if (first) {
            own.addAll(COMMON);
        }
        text.append("\nFlags:\n").append(flags(own));
        if (!first) {
            text.append("\nGlobal Flags:\n").append(flags(COMMON));
        }
        if (verb.action() == null) {
            text.append("\nUse \"").append(path).append(" [command] --help\" for more information about a command.\n");
        }
        return text.toString();
    }

    private static String flags(List<Flag> flags) {
        List<Flag> sorted =
                flags.stream().sorted(Comparator.comparing(Flag::name)).toList();
        int width = sorted.stream().mapToInt(flag -> left(flag).length()).max().orElse(0) + 3;
        StringBuilder text = new StringBuilder();
        for (Flag flag : sorted) {
            text.append(String.format("%-" + width + "s", left(flag)))
                    .append(flag.description())
                    .append(flag.shownValue())
                    .append('\n');
        }
        return text.toString();
    }

    private static String left(Flag flag) {
        return (flag.letter().isEmpty() ? "      --" : "  -" + flag.letter() + ", --")
                + flag.name()
                + (flag.isBool() ? "" : " " + flag.type().word());
    }

    /** What to say of a word that is no command. */
    static String unknown(Verb family, String word) {
        StringBuilder text = new StringBuilder("unknown command \"" + word + "\" for \"" + family.name() + "\"");
        List<String> similar = family.sortedChildren().stream()
                .map(Verb::name)
                .filter(name -> distance(word.toLowerCase(Locale.ROOT), name) <= SIMILAR
                        || name.startsWith(word.toLowerCase(Locale.ROOT)))
                .toList();
        if (!similar.isEmpty()) {
            text.append("\n\nDid you mean this?\n");
            similar.forEach(name -> text.append('\t').append(name).append('\n'));
        }
        return text.toString();
    }

    /** How many letters must be changed, added or left out to make one word of another. */
    private static int distance(String from, String to) {
        int[] row = new int[to.length() + 1];
        for (int j = 0; j <= to.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                int changed = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(changed, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[to.length()];
    }
}
