package lavaflow;

import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Starts the local cluster and stays in the foreground; {@code --detach} is the launcher's business. */
@Command(
        name = "up",
        description = "Start the local cluster.",
        mixinStandardHelpOptions = true,
        footer = {"", "Example: lava up --detach && kubectl --kubeconfig \"$(lava kubeconfig)\" get namespaces"})
final class UpCommand implements Callable<Integer> {
    @Mixin
    private HomeOption homeOption = new HomeOption();

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            defaultValue = "127.0.0.1:6443",
            description = "Address to serve on; port 0 picks a free one (default: ${DEFAULT-VALUE}).")
    private String listen = "";

    @Option(names = "--detach", description = "Return when the cluster is ready.")
    @SuppressWarnings("UnusedVariable") // the launcher acts on it; here it only has to be known
    private boolean detach;

    @Option(names = "--no-node", description = "Run no node on this machine.")
    @SuppressWarnings("UnusedVariable") // there is no node to leave out yet; scripts may say it already
    private boolean noNode;

    @Option(names = "--wait", hidden = true, description = "Accepted for scripts: up always waits until it is ready.")
    @SuppressWarnings("UnusedVariable") // up always waits
    private boolean wait;

    @Option(
            names = "--warm-up",
            hidden = true,
            description = "Serve a few requests, then stop: fills the start-up cache.")
    private boolean warmUp;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before it calls the command
    private CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        Home home = homeOption.home();
        InetSocketAddress address = address();
        Optional<Home.Running> running = home.running();
        Console console = new Console(spec.commandLine().getOut());
        if (running.isPresent()) {
            console.alreadyRunning(home, running.get());
            return Lava.DONE;
        }
        long started = System.nanoTime();
        CountDownLatch stop = new CountDownLatch(1);
        CountDownLatch stopped = new CountDownLatch(1);
        try (AllInOne cluster = AllInOne.start(home, address)) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                stop.countDown();
                awaitQuietly(stopped);
            }));
            console.ready(home, cluster.url(), (System.nanoTime() - started) / 1_000_000);
            if (warmUp) {
                new WarmUp(AdminClient.of(home)).run();
            } else {
                stop.await();
            }
        } finally {
            stopped.countDown();
        }
        return Lava.DONE;
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private InetSocketAddress address() {
        try {
            URI uri = URI.create("tcp://" + listen);
            if (uri.getHost() != null && uri.getPort() >= 0 && uri.getPort() <= 65_535) {
                String host = uri.getHost().startsWith("[")
                        ? uri.getHost().substring(1, uri.getHost().length() - 1)
                        : uri.getHost();
                return new InetSocketAddress(host, uri.getPort());
            }
        } catch (IllegalArgumentException e) {
            // Told below, in one way for every malformed address.
        }
        throw new CommandLine.ParameterException(
                spec.commandLine(), "--listen wants HOST:PORT, for example 127.0.0.1:6443, not '" + listen + "'");
    }
}
