package lavaflow;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.Supplier;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The {@code lava} command. */
@Command(
        name = "lava",
        mixinStandardHelpOptions = true,
        versionProvider = Lava.Version.class,
        description = "Machine-learning batch jobs on one machine or on Kubernetes.")
public final class Lava {
    /** Exit codes that scripts may rely on. */
    static final int DONE = 0;

    static final int FAILED = 1;
    static final int USAGE = 2;
    static final int UNREACHABLE = 3;
    static final int TIMED_OUT = 4;

    /** Commands by name; only the one that is called is looked at, because reflection on all of them takes its time. */
    private static final Map<String, Supplier<Object>> COMMANDS = new LinkedHashMap<>();

    static {
        COMMANDS.put("up", UpCommand::new);
        COMMANDS.put("down", DownCommand::new);
        COMMANDS.put("status", StatusCommand::new);
        COMMANDS.put("kubeconfig", KubeconfigCommand::new);
        COMMANDS.put("reset", ResetCommand::new);
        COMMANDS.put("backup", BackupCommand::new);
        COMMANDS.put("restore", RestoreCommand::new);
        COMMANDS.put("version", VersionCommand::new);
        COMMANDS.put("completion", CompletionCommand::new);
        COMMANDS.put("help", CommandLine.HelpCommand::new);
    }

    private Lava() {}

    public static void main(String[] arguments) {
        boolean single = arguments.length > 0 && COMMANDS.containsKey(arguments[0]) && !arguments[0].equals("help");
        CommandLine commands = single ? commandLine(List.of(arguments[0])) : commandLine();
        System.exit(commands.execute(arguments));
    }

    static CommandLine commandLine() {
        return commandLine(COMMANDS.keySet());
    }

    private static CommandLine commandLine(Collection<String> names) {
        CommandLine commands = new CommandLine(new Lava());
        COMMANDS.forEach((name, command) -> {
            if (names.contains(name)) {
                commands.addSubcommand(name, command.get());
            }
        });
        commands.setExecutionExceptionHandler(Lava::explain);
        commands.setParameterExceptionHandler((problem, _) -> {
            problem.getCommandLine().getErr().println("lava: " + problem.getMessage());
            problem.getCommandLine()
                    .getErr()
                    .println("Try: " + problem.getCommandLine().getCommandSpec().qualifiedName() + " --help");
            return USAGE;
        });
        return commands;
    }

    /** One line that says what is wrong; details only on request. */
    private static int explain(Exception problem, CommandLine commands, CommandLine.ParseResult parsed) {
        String message = problem.getMessage() == null ? problem.getClass().getSimpleName() : problem.getMessage();
        commands.getErr().println("lava: " + message);
        if (System.getenv("LAVA_DEBUG") != null) {
            problem.printStackTrace(commands.getErr());
        }
        return problem instanceof CommandFailure failure ? failure.exitCode() : FAILED;
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

    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"lava " + version()};
        }
    }
}
