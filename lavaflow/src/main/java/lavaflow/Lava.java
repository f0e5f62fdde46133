package lavaflow;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
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

    private Lava() {}

    public static void main(String[] words) {
        System.exit(run(List.of(words), new PrintWriter(System.out, true, StandardCharsets.UTF_8)));
    }

    static List<Command> commands() {
        return List.of(
                new UpCommand(),
                new DownCommand(),
                new StatusCommand(),
                new KubeconfigCommand(),
                new ResetCommand(),
                new NodeCommand(),
                new BackupCommand(),
                new RestoreCommand(),
                new ControllersCommand(),
                new VersionCommand(),
                new CompletionCommand());
    }

    /** Runs one command line; returns the exit code. */
    static int run(List<String> words, PrintWriter out) {
        Console console = new Console(out);
        String name = words.isEmpty() ? "help" : words.getFirst();
        if (name.equals("help") || name.equals("--help") || name.equals("-h")) {
            Command about = words.size() > 1 ? find(words.get(1)) : null;
            console.line(about == null ? Help.overview(commands()) : Help.of(about));
            return words.isEmpty() ? USAGE : DONE;
        }
        if (name.equals("--version") || name.equals("-V")) {
            name = "version";
        }
        Command command = find(name);
        if (command == null) {
            console.error("there is no command '" + name + "'. Try: lava help");
            return USAGE;
        }
        List<String> rest = words.subList(1, words.size());
        if (rest.contains("--help") || rest.contains("-h")) {
            console.line(Help.of(command));
            return DONE;
        }
        return run(command, rest, console);
    }

    private static @Nullable Command find(String name) {
        for (Command command : commands()) {
            if (command.name().equals(name)) {
                return command;
            }
        }
        return null;
    }

    /** One line that says what is wrong; details only on request. */
    private static int run(Command command, List<String> words, Console console) {
        try {
            return command.run(Arguments.parse(command, words), console);
        } catch (CommandFailure e) {
            console.error(String.valueOf(e.getMessage()));
            return e.exitCode();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return FAILED;
        } catch (Exception e) {
            console.error(e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage());
            if (System.getenv("LAVA_DEBUG") != null) {
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
