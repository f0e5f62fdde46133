package lavaflow;

import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

import lavaflow.node.SimShape;
import lavaflow.sandbox.OwnNamespaces;
import lavaflow.training.Gang;
import lavaflow.training.Settings;

import org.jspecify.annotations.Nullable;

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

    private static final Option NO_NODE = Option.flag("--no-node", "Run no node on this machine.");
    private static final Option NODE_NAME = Option.of(
            "--node-name",
            "NAME",
            null,
            "What this machine is called in the API (its host name); beside simulated nodes it joins only with this.");
    private static final Option WAIT =
            Option.flag("--wait", "Say that the cluster is ready only when its nodes are, so that pods can run.");

    /** A new cluster has the kinds of jobs, queues and gangs after a second. */
    private static final Duration INSTALLING = Duration.ofSeconds(30);

    private static final Duration PATIENCE = Duration.ofMinutes(2);

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
                Roles.OPTION,
                TOKEN_FILE,
                AUTHENTICATION,
                BOOTSTRAP_TOKENS,
                DETACH,
                NO_NODE,
                NODE_NAME,
                SIM_NODES,
                NodeTrust.OPTION,
                WAIT,
                NO_WORKLOADS,
                WARM_UP));
        options.addAll(SchedulerOptions.OPTIONS);
        options.addAll(TrainingOptions.OPTIONS);
        options.addAll(NodeOptions.OPTIONS);
        options.addAll(AdmissionOptions.OPTIONS);
        options.addAll(RequestOptions.OPTIONS);
        return options;
    }

    @Override
    public int run(Arguments arguments, Console console) throws Exception {
        Home home = arguments.home();
        InetSocketAddress address = ListenAddress.parse(this, LISTEN.name(), arguments.value(LISTEN));
        Optional<Home.Running> running = home.running();
        Optional<ProcessHandle> process = running.flatMap(found -> ProcessHandle.of(found.pid()));
        if (process.isPresent() && running.get().isEnding()) {
            DownCommand.await(home, process.get(), console);
        } else if (running.isPresent()) {
            console.alreadyRunning(home, running.get());
            return Lava.DONE;
        }
        if (node(arguments) != null) {
            home.create();
            try {
                OwnNamespaces.enter(home.node(), address);
            } catch (BindException e) {
                throw occupied(address, e);
            }
        }
        long started = System.nanoTime();
        Instant begin = Instant.now();
        CountDownLatch stop = new CountDownLatch(1);
        CountDownLatch stopped = new CountDownLatch(1);
        try (RequestOptions requests = RequestOptions.of(this, arguments);
                AllInOne cluster = start(home, address, options(arguments, requests));
                HeapGrowth heap = new HeapGrowth();
                Pulse pulse = new Pulse(new Carriers(), new StallWatch(home.stalls()))) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                stop.countDown();
                ListenAddress.awaitQuietly(stopped);
            }));
            cluster.whenEnding(new EndNotice(console));
            EndSignals.listen(stop::countDown, cluster::hurry);
            if (arguments.has(WAIT)) {
                awaitNodes(cluster, arguments, begin);
            }
            if (!cluster.awaitKinds(INSTALLING)) {
                console.line(console.yellow("!") + " not all kinds of jobs are served yet");
            }
            console.ready(home, cluster.url(), (System.nanoTime() - started) / 1_000_000);
            heap.start();
            pulse.start();
            if (arguments.has(WARM_UP)) {
                new WarmUp(AdminClient.of(home)).run();
            } else {
                try (LiveStatus status = LiveStatus.of(cluster::tally, console.palette())) {
                    status.start();
                    stop.await();
                }
            }
        } finally {
            stopped.countDown();
        }
        return Lava.DONE;
    }

    private static AllInOne start(Home home, InetSocketAddress address, AllInOne.Options options) throws Exception {
        try {
            return AllInOne.start(home, Door.of(address), options);
        } catch (IOException e) {
            throw e.getCause() instanceof BindException ? occupied(address, e) : e;
        }
    }

    private static IOException occupied(InetSocketAddress address, IOException cause) {
        return new IOException(
                "cannot listen at " + address.getHostString() + ":" + address.getPort()
                        + ", another program may be there (" + cause.getMessage()
                        + "); choose another address with --listen",
                cause);
    }

    private void awaitNodes(AllInOne cluster, Arguments arguments, Instant since) throws InterruptedException {
        int nodes = node(arguments) == null ? 0 : 1;
        for (SimShape shape : Shapes.of(this, SIM_NODES, arguments.find(SIM_NODES))) {
            nodes += shape.count();
        }
        if (!new NodesReady(cluster.api(NodesAndScheduler.ADMIN), since).await(nodes, PATIENCE)) {
            throw new CommandFailure(
                    Lava.TIMED_OUT,
                    "not all nodes were ready after " + PATIENCE.toMinutes() + " minutes; start without --wait and see"
                            + " kubectl describe nodes");
        }
    }

    private static Settings training(Roles roles) {
        return Settings.USUAL.onThisMachine().with(roles.has(Roles.Role.SCHEDULER) ? Gang.VOLCANO : Gang.NONE);
    }

    private AllInOne.Options options(Arguments arguments, RequestOptions requests) throws IOException {
        Roles roles = Roles.of(this, arguments.find(Roles.OPTION));
        return new AllInOne.Options(
                roles.has(Roles.Role.CONTROLLERS) && !arguments.has(NO_WORKLOADS),
                roles.has(Roles.Role.SCHEDULER) && !arguments.has(NO_WORKLOADS),
                UserFiles.read(arguments.find(TOKEN_FILE), arguments.find(AUTHENTICATION)),
                arguments.has(BOOTSTRAP_TOKENS),
                requests,
                AdmissionOptions.of(this, arguments),
                Shapes.of(this, SIM_NODES, arguments.find(SIM_NODES)),
                NodeTrust.of(this, arguments.find(NodeTrust.OPTION)),
                node(arguments),
                SchedulerOptions.of(this, arguments),
                TrainingOptions.of(this, arguments, training(roles)));
    }

    /**
     * Without workloads nothing would ever run on it, and start-up caches are trained without. Beside simulated nodes it would
     * really run some of the pods that are meant to be played, so it joins those only when it is named.
     */
    private WorkerNode.@Nullable Wish node(Arguments arguments) {
        if (arguments.has(NO_NODE) || arguments.has(NO_WORKLOADS) || arguments.has(WARM_UP)) {
            return null;
        }
        if (!Roles.of(this, arguments.find(Roles.OPTION)).has(Roles.Role.NODE)) {
            return null;
        }
        String given = arguments.find(NODE_NAME);
        if (given == null && arguments.has(SIM_NODES)) {
            return null;
        }
        return NodeOptions.wish(this, arguments, given == null ? WorkerNode.machineName() : given);
    }
}
