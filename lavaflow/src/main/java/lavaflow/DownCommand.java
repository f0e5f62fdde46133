package lavaflow;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import lavaflow.sandbox.OwnNamespaces;

/** Stops the local cluster. */
final class DownCommand implements Command {
    private static final Option NOW = Option.flag("--now", "End pods at once, without the time they have for it.");
    /** Longer than any pod may take to end. */
    private static final Duration PATIENCE = WorkerNode.MOST_GRACE.multipliedBy(2);

    private static final long LOOK_MILLIS = 100;

    @Override
    public String name() {
        return "down";
    }

    @Override
    public String summary() {
        return "Stop the local cluster.";
    }

    @Override
    public List<Option> options() {
        return List.of(DATA_DIR, NOW);
    }

    @Override
    public int run(Arguments arguments, Console console) throws Exception {
        Home home = arguments.home();
        Optional<Home.Running> running = home.running();
        Tenants tenants = Tenants.of(home.directory());
        Optional<ProcessHandle> process = running.isPresent()
                ? running.flatMap(found -> ProcessHandle.of(found.pid()))
                : tenants.server(home.directory());
        if (process.isPresent()) {
            stop(home, process.get(), running.filter(Home.Running::isEnding).isPresent(), arguments.has(NOW), console);
        }
        if (process.isPresent() && !home.isAnnounced()) {
            console.line("Stopped.");
        } else {
            cleanUp(home, console);
        }
        for (Path gone : tenants.clearRuins()) {
            console.line("Cleared what was left of the cluster in " + gone + ", which does not exist any more.");
        }
        return Lava.DONE;
    }

    /** It was killed, perhaps a moment ago: whatever it had made on this machine is still there. */
    private static void cleanUp(Home home, Console console) throws IOException, InterruptedException {
        if (Files.exists(home.node())) {
            OwnNamespaces.enter(home.node());
        }
        boolean left = WorkerNode.dismantle(home.directory());
        OwnNamespaces.leave(home.node());
        home.withdraw();
        console.line("Lavaflow is not running in " + home.directory()
                + (left ? "; what was left of its pods is gone now" : ""));
    }

    private static void stop(Home home, ProcessHandle process, boolean told, boolean now, Console console)
            throws Exception {
        if (!told) {
            process.destroy();
        }
        if (now) {
            awaitEnding(home, process);
            process.destroy();
        }
        await(home, process, console);
    }

    /** The second signal counts as such only after the first was heard. */
    private static void awaitEnding(Home home, ProcessHandle process)
            throws IOException, InterruptedException, ExecutionException {
        for (int i = 0; i < 100 && process.isAlive(); i++) {
            if (home.running().filter(Home.Running::isEnding).isPresent() || isGone(process, LOOK_MILLIS)) {
                return;
            }
        }
    }

    private static boolean isGone(ProcessHandle process, long millis) throws InterruptedException, ExecutionException {
        try {
            process.onExit().get(millis, TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        }
    }

    /** Waits for the end of a server that was told to end, and shows how far it is. */
    static void await(Home home, ProcessHandle process, Console console) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        try (ProgressBar progress = console.progress()) {
            while (!isGone(process, LOOK_MILLIS)) {
                int pods = home.running().map(Home.Running::endingPods).orElse(0);
                progress.note("Stopping" + (pods > 0 ? "; " + EndNotice.pods(pods) + " left" : ""));
                if (System.nanoTime() > deadline) {
                    throw new CommandFailure(
                            Lava.TIMED_OUT,
                            "process " + process.pid() + " did not stop within " + PATIENCE.toSeconds()
                                    + " s; look at it, or end it with: kill -9 " + process.pid());
                }
            }
        }
    }
}
