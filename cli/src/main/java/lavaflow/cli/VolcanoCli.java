package lavaflow.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

import lavaflow.kube.ApiException;

/**
 * Volcano's commands as upstream's programs have them: the same flags, columns, messages and exit codes, so that scripts do not notice
 * the difference.
 */
public final class VolcanoCli {
    /** What upstream's programs exit with where what was asked failed; -1 there. */
    static final int FAILED = 255;

    /** And where they were called wrongly. */
    static final int USAGE = 1;

    private static final Verb VCCTL = Verb.family(
            "vcctl",
            "",
            JobVerbs.family(),
            FlowVerbs.JOB_FLOWS.family(),
            FlowVerbs.JOB_TEMPLATES.family(),
            PodVerbs.family(),
            QueueVerbs.family(),
            new Verb(
                    "version",
                    "Print the version information",
                    "Failed to print version",
                    List.of(),
                    List.of(),
                    VolcanoCli::version),
            new Verb("help", "Help about any command", "", List.of(), List.of(), null));

    private static final List<Verb> PROGRAMS = programs();

    private VolcanoCli() {}

    private static List<Verb> programs() {
        List<Verb> all = new ArrayList<>(List.of(VCCTL));
        all.addAll(JobVerbs.programs());
        all.add(QueueVerbs.program());
        return all;
    }

    /** The programs of upstream that this one can be, by name. */
    public static Set<String> names() {
        Set<String> names = new TreeSet<>();
        PROGRAMS.forEach(program -> names.add(program.name()));
        return names;
    }

    /**
     * Runs one of the programs; returns its exit code.
     *
     * @param program one of the {@link #names}
     */
    public static int run(String program, List<String> words, Surroundings surroundings) {
        Verb verb = PROGRAMS.stream()
                .filter(each -> each.name().equals(program))
                .findFirst()
                .orElseThrow();
        try {
            return run(verb, program, words, surroundings);
        } catch (Flags.WrongFlag e) {
            surroundings.err().println("Error: " + e.getMessage());
            return USAGE;
        } finally {
            surroundings.out().flush();
            surroundings.err().flush();
        }
    }

    private static int run(Verb verb, String path, List<String> words, Surroundings surroundings)
            throws Flags.WrongFlag {
        if (verb.action() != null) {
            return act(verb, path, words, surroundings);
        }
        int at = firstWord(words);
        String word = at < 0 ? "" : words.get(at);
        boolean first = !path.contains(" ");
        if (first && word.equals("help")) {
            return help(verb, words.subList(at + 1, words.size()), surroundings);
        }
        Verb child = verb.child(word);
        if (child != null) {
            List<String> rest = new ArrayList<>(words);
            rest.remove(at);
            return run(child, path + " " + word, rest, surroundings);
        }
        Flags.parse(Usage.COMMON, words); // for what is wrong with them
        if (first && !word.isEmpty()) {
            throw new Flags.WrongFlag(Usage.unknown(verb, word));
        }
        surroundings.out().print(Usage.of(verb, path));
        return 0;
    }

    /** Where the first word is that is neither a flag nor the value of one. */
    private static int firstWord(List<String> words) {
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            if (!word.startsWith("-")) {
                return i;
            }
            boolean takesNext = Usage.COMMON.stream()
                    .anyMatch(flag -> word.equals("--" + flag.name())
                            || (!flag.letter().isEmpty() && word.equals("-" + flag.letter())));
            i += takesNext ? 1 : 0;
        }
        return -1;
    }

    private static int help(Verb root, List<String> topic, Surroundings surroundings) {
        Verb verb = root;
        StringBuilder path = new StringBuilder(root.name());
        for (String word : topic) {
            Verb child = verb.child(word);
            if (child == null && verb.equals(root)) {
                surroundings.err().println("Unknown help topic [`" + String.join("` `", topic) + "`]");
                surroundings.err().print(Usage.of(root, root.name(), false));
                return 0;
            }
            if (child == null) {
                break;
            }
            verb = child;
            path.append(' ').append(word);
        }
        surroundings.out().print(Usage.of(verb, path.toString()));
        return 0;
    }

    private static int act(Verb verb, String path, List<String> words, Surroundings surroundings)
            throws Flags.WrongFlag {
        List<Flag> known = new ArrayList<>(verb.flags());
        known.addAll(Usage.COMMON);
        Flags flags = Flags.parse(known, words);
        if (flags.wantsHelp()) {
            surroundings.out().print(Usage.of(verb, path));
            return 0;
        }
        String problem = problemOf(verb, flags, surroundings);
        if (problem.isEmpty()) {
            return 0;
        }
        surroundings.out().println(verb.failure() + ": " + problem);
        return FAILED;
    }

    private static String problemOf(Verb verb, Flags flags, Surroundings surroundings) {
        Verb.Action action = verb.action();
        try (Call call = new Call(flags, surroundings)) {
            if (action != null) {
                action.run(call);
            }
            return "";
        } catch (Verb.Refusal | ApiException | IOException | IllegalArgumentException e) {
            return String.valueOf(e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        } catch (Exception e) {
            return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
        }
    }

    private static void version(Call call) {
        String system = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
        call.line("API Version: v1alpha1");
        call.line("Version: lavaflow " + call.surroundings().version());
        call.line("Git SHA: Not provided.");
        call.line("Built At: Not provided.");
        call.line("Go Version: none");
        call.line("Go OS/Arch: " + system + "/" + System.getProperty("os.arch", ""));
    }
}
