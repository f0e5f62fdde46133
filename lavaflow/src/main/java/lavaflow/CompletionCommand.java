package lavaflow;

import java.util.concurrent.Callable;

import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints a completion script. */
@Command(name = "completion", description = "Print a shell completion script.", mixinStandardHelpOptions = true)
final class CompletionCommand implements Callable<Integer> {
    /** Shells with a completion script; fish reads the bash one through its own bridge. */
    enum Shell {
        bash,
        zsh,
        fish
    }

    @Parameters(paramLabel = "bash|zsh|fish", description = "The shell.")
    private Shell shell = Shell.bash;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public Integer call() {
        String script = shell == Shell.fish ? fish() : AutoComplete.bash("lava", Lava.commandLine());
        spec.commandLine().getOut().println(script);
        spec.commandLine().getOut().flush();
        return Lava.DONE;
    }

    private static String fish() {
        StringBuilder script = new StringBuilder();
        Lava.commandLine().getSubcommands().forEach((name, command) -> {
            String[] description = command.getCommandSpec().usageMessage().description();
            script.append("complete -c lava -n __fish_use_subcommand -f -a ").append(name);
            if (description.length > 0) {
                script.append(" -d '").append(description[0].replace("'", "")).append("'");
            }
            script.append('\n');
        });
        return script.toString();
    }
}
