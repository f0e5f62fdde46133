package lavaflow;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/** Starts the local cluster and stays in the foreground. */
final class UpCommand implements Command {
    private static final Option LISTEN = Option.of(
            "--listen",
            "HOST:PORT",
            "127.0.0.1:6443",
            "Address to serve on; port 0 picks a free one (127.0.0.1:6443).");
    private static final Option TOKEN_FILE = Option.of(
            "--token-auth-file", "FILE", null, "Users with fixed tokens: lines of token,user,uid,\"group,group\".");
    private static final Option AUTHENTICATION = Option.of(
            "--authentication-config", "FILE", null, "OpenID issuers to trust: an AuthenticationConfiguration.");
    private static final Option BOOTSTRAP_TOKENS =
            Option.flag("--enable-bootstrap-token-auth", "Let nodes join with tokens kept as secrets in kube-system.");
    private static final Option SIM_NODES =
            Option.of("--sim-nodes", "N|FILE", null, "Simulate nodes: so many, or the shapes in a YAML file.");
    /** The launcher acts on it; here it only has to be known. */
    private static final Option DETACH = Option.flag("--detach", "Return when the cluster is ready.");
    /** There is no node to leave out yet; scripts may say it already. */
    private static final Option NO_NODE = Option.flag("--no-node", "Run no node on this machine.");
    /** Up always waits until it is ready. */
    private static final Option WAIT = Option.hiddenFlag("--wait", "Wait until it is ready.");

    /** For suites that compare the API itself and must not see pods come and go. */
    private static final Option NO_WORKLOADS =
            Option.hiddenFlag("--no-workloads", "Make no pods for deployments and the like.");

    private static final Option WARM_UP =
            Option.hiddenFlag("--warm-up", "Serve a few requests, then stop: fills the start-up cache.");

    @Override
    public String name() {
        return "up";
    }

    @Override
    public String summary() {
        return "Start the local cluster.";
    }

    @Override
    public List<Option> options() {
        List<Option> options = new ArrayList<>(List.of(
                DATA_DIR,
                LISTEN,
                TOKEN_FILE,
                AUTHENTICATION,
                BOOTSTRAP_TOKENS,
                DETACH,
                NO_NODE,
                SIM_NODES,
                WAIT,
                NO_WORKLOADS,
                WARM_UP));
        options.addAll(AdmissionOptions.OPTIONS);
        options.addAll(RequestOptions.OPTIONS);
        return options;
    }

    @Override
    public int run(Arguments arguments, Console console) throws Exception {
        Home home = arguments.home();
        InetSocketAddress address = ListenAddress.parse(this, LISTEN.name(), arguments.value(LISTEN));
        Optional<Home.Running> running = home.running();
        if (running.isPresent()) {
            console.alreadyRunning(home, running.get());
            return Lava.DONE;
        }
        long started = System.nanoTime();
        CountDownLatch stop = new CountDownLatch(1);
        CountDownLatch stopped = new CountDownLatch(1);
        try (RequestOptions requests = RequestOptions.of(this, arguments);
                AllInOne cluster = AllInOne.start(home, address, options(arguments, requests));
                HeapGrowth heap = new HeapGrowth()) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                stop.countDown();
                ListenAddress.awaitQuietly(stopped);
            }));
            console.ready(home, cluster.url(), (System.nanoTime() - started) / 1_000_000);
            heap.start();
            if (arguments.has(WARM_UP)) {
                new WarmUp(AdminClient.of(home)).run();
            } else {
                stop.await();
            }
        } finally {
            stopped.countDown();
        }
        return Lava.DONE;
    }

    private AllInOne.Options options(Arguments arguments, RequestOptions requests) {
        return new AllInOne.Options(
                !arguments.has(NO_WORKLOADS),
                UserFiles.read(arguments.find(TOKEN_FILE), arguments.find(AUTHENTICATION)),
                arguments.has(BOOTSTRAP_TOKENS),
                requests,
                AdmissionOptions.of(this, arguments),
                Shapes.of(this, SIM_NODES, arguments.find(SIM_NODES)));
    }
}
