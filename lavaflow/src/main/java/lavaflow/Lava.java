package lavaflow;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The {@code lava} command. */
@Command(
        name = "lava",
        mixinStandardHelpOptions = true,
        versionProvider = Lava.Version.class,
        description = "Machine-learning batch jobs on one machine or on Kubernetes.",
        subcommands = {
            UpCommand.class,
            DownCommand.class,
            StatusCommand.class,
            KubeconfigCommand.class,
            ResetCommand.class,
            BackupCommand.class,
            RestoreCommand.class,
            VersionCommand.class,
            CompletionCommand.class,
            CommandLine.HelpCommand.class
        })
public final class Lava {
    /** Exit codes that scripts may rely on. */
    static final int DONE = 0;

    static final int FAILED = 1;
    static final int USAGE = 2;
    static final int UNREACHABLE = 3;
    static final int TIMED_OUT = 4;

    private Lava() {}

    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        CommandLine commands = new CommandLine(new Lava());
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
