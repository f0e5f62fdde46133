package lavaflow;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Stops the local cluster. */
final class DownCommand implements Command {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Override
    public String name() {
        return "down";
    }

    @Override
    public String summary() {
        return "Stop the local cluster.";
    }

    @Override
    public int run(Arguments arguments, Console console) throws Exception {
        Home home = arguments.home();
        Optional<ProcessHandle> process = home.running().flatMap(found -> ProcessHandle.of(found.pid()));
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
