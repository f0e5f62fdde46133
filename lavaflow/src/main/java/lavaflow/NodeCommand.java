package lavaflow;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;

import lavaflow.controller.Followers;
import lavaflow.kube.ApiException;
import lavaflow.node.SimNodes;
import lavaflow.node.SimShape;
import lavaflow.remote.RemoteKubeApi;
import lavaflow.remote.Settings;
import lavaflow.sandbox.OwnNamespaces;

import org.jspecify.annotations.Nullable;

/** Joins this machine, or simulated nodes, to any cluster and stays in the foreground. */
final class NodeCommand implements Command {
    private static final Option SIM = Option.of("--sim", "N", null, "Simulate so many nodes of a usual size.");
    private static final Option SHAPES = Option.of("--shapes", "FILE", null, "Simulate the nodes of a YAML file.");
    private static final Option KUBECONFIG = Option.of(
            "--kubeconfig",
            "FILE",
            null,
            "Cluster to join (default: $KUBECONFIG, the running local cluster or ~/.kube/config).");
    private static final Option CONTEXT =
            Option.of("--context", "NAME", null, "Context of the kubeconfig (default: the current one).");
    private static final Option NAME =
            Option.of("--node-name", "NAME", null, "What this machine is called in the API (its host name).");
    private static final Option RIGHTS = Option.flag(
            "--rights", "Print what nodes need in a cluster beside what every node may: for kubectl apply -f -.");
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
        return "Join this machine, or simulated nodes, to a cluster.";
    }

    @Override
    public List<Option> options() {
        List<Option> options = new ArrayList<>(List.of(DATA_DIR, SIM, SHAPES, KUBECONFIG, CONTEXT, NAME, RIGHTS, SEED));
        options.addAll(NodeOptions.OPTIONS);
        return options;
    }

    @Override
    public int run(Arguments arguments, Console console) throws Exception {
        if (arguments.has(SIM) && arguments.has(SHAPES)) {
            throw Arguments.wrong(this, "say either --sim N or --shapes FILE, or none of them to join this machine");
        }
        if (arguments.has(RIGHTS)) {
            console.line(rights().stripTrailing());
            return Lava.DONE;
        }
        Settings settings = new Settings(
                WhichCluster.kubeconfig(arguments.find(KUBECONFIG), System.getenv(), Home.of(null)),
                arguments.find(CONTEXT),
                "lava-node/" + Lava.version(),
                REQUESTS_PER_SECOND,
                BURST);
        boolean simulated = arguments.has(SIM) || arguments.has(SHAPES);
        try (Pulse pulse = new Pulse(new Carriers())) {
            pulse.start();
            return simulated ? simulate(arguments, settings, console) : joinMachine(arguments, settings, console);
        }
    }

    private int simulate(Arguments arguments, Settings settings, Console console) throws Exception {
        Option given = arguments.has(SIM) ? SIM : SHAPES;
        List<SimShape> shapes = Shapes.of(this, given, arguments.find(given));
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

    /** Stays until it is told to end; pods then end with their grace. */
    private int joinMachine(Arguments arguments, Settings settings, Console console) throws Exception {
        Home home = arguments.home();
        home.create();
        OwnNamespaces.enter(home.node());
        NodeJoining joining = join(home, settings, arguments.find(NAME));
        String name = joining.name();
        WorkerNode.Wish wish = NodeOptions.wish(this, arguments, name);
        CountDownLatch stop = new CountDownLatch(1);
        CountDownLatch stopped = new CountDownLatch(1);
        try (RemoteKubeApi api = connect(joining.settings());
                ClientCertificate _ = new ClientCertificate(home, joining, api, InstantSource.system());
                WorkerNode node = new WorkerNode(
                        home.directory(), wish, new ServingCertificate(home, api, InstantSource.system()))) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                stop.countDown();
                ListenAddress.awaitQuietly(stopped);
            }));
            URI server = URI.create(api.server());
            InetSocketAddress at =
                    new InetSocketAddress(server.getHost(), server.getPort() < 0 ? 443 : server.getPort());
            node.whenEnding(new EndNotice(console));
            EndSignals.listen(stop::countDown, node::hurry);
            node.start(new WorkerNode.Cluster(api, api, null, null, true).at(at));
            console.line("Node " + name + " joins " + api.server() + ". Ctrl-C ends it and its pods.");
            stop.await();
        } finally {
            stopped.countDown();
        }
        return Lava.DONE;
    }

    private static NodeJoining join(Home home, Settings settings, @Nullable String name)
            throws IOException, InterruptedException {
        try {
            return NodeJoining.of(home, settings, name);
        } catch (ApiException | IllegalArgumentException e) {
            throw new CommandFailure(Lava.UNREACHABLE, "cannot join the cluster: " + e.getMessage());
        }
    }

    static String rights() throws IOException {
        try (InputStream in = Objects.requireNonNull(NodeCommand.class.getResourceAsStream("node-rights.yaml"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
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
