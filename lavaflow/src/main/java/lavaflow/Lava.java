package lavaflow;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

import org.jspecify.annotations.Nullable;

/** The {@code lava} command. */
public final class Lava {
    /** Exit codes that scripts may rely on. */
    static final int DONE = 0;

    static final int FAILED = 1;
    static final int USAGE = 2;
    static final int UNREACHABLE = 3;
    static final int TIMED_OUT = 4;

    /** With every command: errors come with where they are from. */
    private static final List<String> VERBOSE = List.of("-v", "--verbose");

    private Lava() {}

    public static void main(String[] words) {
        System.exit(run(List.of(words), new PrintWriter(System.out, true, StandardCharsets.UTF_8)));
    }

    static List<Command> commands() {
        return List.of(
                new RunCommand(),
                new UpCommand(),
                new DownCommand(),
                new StatusCommand(),
                new KubeconfigCommand(),
                new ResetCommand(),
                new NodeCommand(),
                new ImageListCommand(),
                new ImageAddCommand(),
                new ImageBuildCommand(),
                new ImageImportCommand(),
                new ImageRemoveCommand(),
                new JobRunCommand(),
                new JobListCommand(),
                new JobGetCommand(),
                new LogsCommand(true),
                new JobSwitchCommand(false),
                new JobSwitchCommand(true),
                new JobWaitCommand(),
                new JobDeleteCommand(),
                new LogsCommand(false),
                new WatchCommand(),
                new QueueListCommand(),
                new QueueGetCommand(),
                new QueueCreateCommand(),
                new QueueSwitchCommand(false),
                new QueueSwitchCommand(true),
                new QueueDeleteCommand(),
                new ExplainCommand(),
                new TopCommand(true),
                new TopCommand(false),
                new VolcanoCommand(),
                new BackupCommand(),
                new RestoreCommand(),
                new ControllersCommand(),
                new SchedulerCommand(),
                new WebhooksCommand(),
                new VersionCommand(),
                new CompletionCommand());
    }

    /** Runs one command line; returns the exit code. */
    static int run(List<String> typed, PrintWriter out) {
        if (!typed.isEmpty() && VolcanoCommand.isName(typed.getFirst())) {
            return VolcanoCommand.run(typed.getFirst(), typed.subList(1, typed.size()), out);
        }
        List<String> words = withoutVerbose(typed);
        boolean verbose = words.size() < typed.size() || System.getenv("LAVA_DEBUG") != null;
        Console console = new Console(out);
        String name = words.isEmpty() ? "help" : words.getFirst();
        if (name.equals("help") || name.equals("--help") || name.equals("-h")) {
            return help(
                    words.isEmpty() ? words : words.subList(1, words.size()), console, words.isEmpty() ? USAGE : DONE);
        }
        if (name.equals("--version") || name.equals("-V")) {
            name = "version";
        }
        int length = 1;
        Command command = find(name);
        if (command == null && words.size() > 1) {
            command = find(name + " " + words.get(1));
            length = 2;
        }
        if (command == null) {
            return unknown(words, console);
        }
        List<String> rest = words.subList(length, words.size());
        List<String> own = rest.contains("--") ? rest.subList(0, rest.indexOf("--")) : rest;
        if (own.contains("--help") || own.contains("-h")) {
            console.line(Help.of(command));
            return DONE;
        }
        return run(command, rest, console, verbose);
    }

    /** What follows {@code --} is somebody else's. */
    private static List<String> withoutVerbose(List<String> typed) {
        int end = typed.contains("--") ? typed.indexOf("--") : typed.size();
        List<String> words = new ArrayList<>(typed.subList(0, end));
        words.removeAll(VERBOSE);
        words.addAll(typed.subList(end, typed.size()));
        return words;
    }

    private static int help(List<String> about, Console console, int code) {
        String name = String.join(" ", about);
        if (!about.isEmpty() && VolcanoCommand.isName(about.getFirst())) {
            List<String> words = new ArrayList<>(about.subList(1, about.size()));
            words.add("--help");
            return VolcanoCommand.run(about.getFirst(), words, console.out());
        }
        Command command = find(name);
        List<Command> family = family(name);
        if (command == null && family.isEmpty() && !name.isEmpty() && !name.equals("help")) {
            return unknown(about, console);
        }
        console.line(
                command != null
                        ? Help.of(command)
                        : family.isEmpty() ? Help.overview(commands()) : Help.family(name, family));
        return code;
    }

    /** Commands of two words that begin with the same one. */
    private static List<Command> family(String name) {
        return commands().stream()
                .filter(command -> command.name().startsWith(name + " "))
                .toList();
    }

    private static int unknown(List<String> words, Console console) {
        List<Command> family = family(words.getFirst());
        String second = words.size() > 1 ? words.get(1) : "";
        if (family.isEmpty()) {
            console.error("there is no command '" + words.getFirst() + "'. Try: lava help");
            return USAGE;
        }
        if (second.equals("--help") || second.equals("-h")) {
            return help(words.subList(0, 1), console, DONE);
        }
        List<String> known = family.stream()
                .map(command -> command.name().substring(words.getFirst().length() + 1))
                .toList();
        console.error("lava " + words.getFirst() + " wants one of " + String.join(", ", known)
                + (second.isEmpty() ? "" : ", not '" + second + "'") + ". Try: lava help " + words.getFirst());
        return USAGE;
    }

    private static @Nullable Command find(String name) {
        for (Command command : commands()) {
            if (command.name().equals(name)) {
                return command;
            }
        }
        return null;
    }

    /** What failed. Of files that are missing or closed Java says only their names. */
    static String words(Exception e) {
        String message = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
        return switch (e) {
            case NoSuchFileException _ -> "there is no file " + message;
            case AccessDeniedException _ -> "there is no right to use " + message;
            default -> message;
        };
    }

    /** One line that says what is wrong; details only on request. */
    private static int run(Command command, List<String> words, Console console, boolean verbose) {
        try {
            return command.run(Arguments.parse(command, words), console);
        } catch (CommandFailure e) {
            console.error(String.valueOf(e.getMessage()));
            if (verbose) {
                console.trace(e);
            }
            return e.exitCode();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return FAILED;
        } catch (Exception e) {
            console.error(words(e));
            if (verbose) {
                console.trace(e);
            }
            return FAILED;
        }
    }

    static String version() {
        Properties properties = new Properties();
        try (InputStream in = Lava.class.getResourceAsStream("/lavaflow.properties")) {
            if (in != null) {
                properties.load(in);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties.getProperty("version", "unknown");
    }
}
