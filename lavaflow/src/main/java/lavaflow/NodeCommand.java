package lavaflow;

import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import lavaflow.controller.Followers;
import lavaflow.kube.ApiException;
import lavaflow.node.SimNodes;
import lavaflow.node.SimShape;
import lavaflow.remote.RemoteKubeApi;
import lavaflow.remote.Settings;

/** Joins simulated nodes to any cluster and stays in the foreground. */
final class NodeCommand implements Command {
    private static final Option SIM = Option.of("--sim", "N", null, "Simulate so many nodes of a usual size.");
    private static final Option SHAPES = Option.of("--shapes", "FILE", null, "Simulate the nodes of a YAML file.");
    private static final Option KUBECONFIG =
            Option.of("--kubeconfig", "FILE", null, "Cluster to join (default: $KUBECONFIG or ~/.kube/config).");
    private static final Option CONTEXT =
            Option.of("--context", "NAME", null, "Context of the kubeconfig (default: the current one).");
    private static final Option SEED = Option.of("--seed", "NUMBER", "1", "Decides what is left to chance (1).");
    /** Leases of thousands of nodes and the status of their pods; the server says if that is too much. */
    private static final double REQUESTS_PER_SECOND = 5_000;

    private static final int BURST = 10_000;

    @Override
    public String name() {
        return "node";
    }

    @Override
    public String summary() {
        return "Join simulated nodes to a cluster.";
    }

    @Override
    public List<Option> options() {
        return List.of(SIM, SHAPES, KUBECONFIG, CONTEXT, SEED);
    }

    @Override
    public int run(Arguments arguments, Console console) throws Exception {
        if (arguments.has(SIM) == arguments.has(SHAPES)) {
            throw Arguments.wrong(this, "say either --sim N or --shapes FILE");
        }
        Option given = arguments.has(SIM) ? SIM : SHAPES;
        List<SimShape> shapes = Shapes.of(this, given, arguments.find(given));
        String kubeconfig = arguments.find(KUBECONFIG);
        Settings settings = new Settings(
                kubeconfig == null ? null : Path.of(kubeconfig),
                arguments.find(CONTEXT),
                "lava-node/" + Lava.version(),
                REQUESTS_PER_SECOND,
                BURST);
        CountDownLatch stop = new CountDownLatch(1);
        CountDownLatch stopped = new CountDownLatch(1);
        try (RemoteKubeApi api = connect(settings);
                Followers followers = new Followers(api);
                SimNodes nodes = new SimNodes(
                        shapes, api, _ -> api, followers, InstantSource.system(), System::nanoTime, seed(arguments))) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                stop.countDown();
                ListenAddress.awaitQuietly(stopped);
            }));
            followers.start();
            nodes.start();
            console.line(nodes.size() + " simulated nodes join " + api.server() + ". Ctrl-C ends them.");
            stop.await();
        } finally {
            stopped.countDown();
        }
        return Lava.DONE;
    }

    private static RemoteKubeApi connect(Settings settings) {
        try {
            return new RemoteKubeApi(settings);
        } catch (ApiException | IllegalArgumentException e) {
            throw new CommandFailure(Lava.UNREACHABLE, "cannot reach the cluster: " + e.getMessage());
        }
    }

    private long seed(Arguments arguments) {
        try {
            return Long.parseLong(arguments.value(SEED));
        } catch (NumberFormatException e) {
            throw Arguments.wrong(this, "--seed wants a number, not '" + arguments.value(SEED) + "'");
        }
    }
}
