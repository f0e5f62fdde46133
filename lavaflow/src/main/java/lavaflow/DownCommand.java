package lavaflow;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Stops the local cluster. */
@Command(name = "down", description = "Stop the local cluster.", mixinStandardHelpOptions = true)
final class DownCommand implements Callable<Integer> {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Mixin
    private HomeOption homeOption = new HomeOption();

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        Home home = homeOption.home();
        Console console = new Console(spec.commandLine().getOut());
        Optional<Home.Running> running = home.running();
        Optional<ProcessHandle> process = running.flatMap(found -> ProcessHandle.of(found.pid()));
        if (process.isEmpty()) {
            console.line("Lavaflow is not running in " + home.directory());
            return Lava.DONE;
        }
        process.get().destroy();
        try {
            process.get().onExit().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new CommandFailure(
                    Lava.TIMED_OUT,
                    "process " + process.get().pid() + " did not stop within " + PATIENCE.toSeconds()
                            + " s; look at it, or end it with: kill -9 "
                            + process.get().pid());
        }
        console.line("Stopped.");
        return Lava.DONE;
    }
}
