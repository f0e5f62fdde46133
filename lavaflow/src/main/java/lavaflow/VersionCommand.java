package lavaflow;

import java.util.concurrent.Callable;

import lavaflow.apiserver.ServerVersion;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Prints versions. */
@Command(name = "version", description = "Print the version.", mixinStandardHelpOptions = true)
final class VersionCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public Integer call() {
        Console console = new Console(spec.commandLine().getOut());
        console.line("lava " + Lava.version());
        console.line("kubernetes " + ServerVersion.of(Lava.version()).gitVersion());
        return Lava.DONE;
    }
}
