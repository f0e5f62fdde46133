package lavaflow;

import java.io.IOException;
import java.net.BindException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntConsumer;

import lavaflow.apiserver.Identity;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.image.ImageStore;
import lavaflow.kubelet.ImageFiles;
import lavaflow.kubelet.Kubelet;
import lavaflow.kubelet.NodeSettings;
import lavaflow.kubelet.NodeTools;
import lavaflow.linux.UserNamespace;
import lavaflow.network.ClusterView;
import lavaflow.network.LoopbackNetwork;
import lavaflow.network.NetworkSettings;
import lavaflow.network.NodeNetwork;
import lavaflow.network.PodNetwork;
import lavaflow.nodeserver.NodeRoutes;
import lavaflow.nodeserver.NodeServer;
import lavaflow.nodeserver.ReviewedAccess;
import lavaflow.sandbox.ContainerRuntime;
import lavaflow.sandbox.OwnNamespaces;
import lavaflow.sandbox.Runtimes;
import lavaflow.sandbox.SandboxException;
import lavaflow.volume.NodeVolumes;
import lavaflow.volume.VolumeException;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The node on this machine. It starts aside, after the API is there: nobody waits for it. */
final class WorkerNode implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerNode.class);
    private static final int PORT = 10250;
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    /** No pod has longer to end when the node does. */
    static final Duration MOST_GRACE = Duration.ofSeconds(45);

    /**
     * Which cluster it belongs to.
     *
     * @param reader sees everything
     * @param api writes as the node
     * @param maker may make the Service of names; null where that is not this node's to do
     * @param apiServer where the API server listens if only this machine can reach it; null otherwise
     * @param elsewhere whether the API server is another program, which finds nodes in its own way
     */
    record Cluster(
            KubeApi reader,
            KubeApi api,
            @Nullable KubeApi maker,
            @Nullable InetSocketAddress apiServer,
            boolean elsewhere) {
        Cluster at(InetSocketAddress server) {
            boolean local = server.getAddress().isLoopbackAddress();
            return new Cluster(reader, api, maker, local ? server : null, elsewhere);
        }
    }

    /** Makes the certificate the node's server shows. */
    @FunctionalInterface
    interface Certificates {
        Identity of(String node, String address) throws IOException;

        /** Looks for a better one while the node runs, if there can be one; interrupting ends it. */
        default @Nullable Thread improve(String node, String address, Show show) {
            return null;
        }
    }

    /** Shows another certificate from now on. */
    @FunctionalInterface
    interface Show {
        void show(Identity identity) throws IOException;
    }

    /**
     * Which node it is.
     *
     * @param name in the API
     * @param devices what was said of them; null for what its directory says
     * @param ociRuntime the one that was asked for; null for the best there is
     * @param pressureTransition how long it is believed to be short of what it was short of
     * @param handlers programs that RuntimeClasses may ask for
     */
    record Wish(
            String name,
            @Nullable String devices,
            @Nullable String ociRuntime,
            Duration pressureTransition,
            Map<String, Path> handlers) {
        /** As nodes usually are. */
        static Wish of(String name) {
            return new Wish(name, null, null, NodeSettings.USUAL_TRANSITION, Map.of());
        }
    }

    private final Path home;
    private final Wish wish;
    private final Certificates certificates;
    private final InstantSource clock = InstantSource.system();
    private @Nullable Thread starting;
    private @Nullable Parts parts;
    private MachineRegister.@Nullable Tenancy tenancy;
    private boolean closed;
    private volatile IntConsumer endingPods = _ -> {};

    /** Everything that has to be closed again. */
    private record Parts(
            List<Followers> followers,
            Kubelet kubelet,
            NodeTools tools,
            ContainerRuntime runtime,
            NodeServer server,
            @Nullable Thread improving) {}

    /**
     * @param home the directory of everything this node keeps
     */
    WorkerNode(Path home, Wish wish, Certificates certificates) {
        this.home = home;
        this.wish = wish;
        this.certificates = certificates;
    }

    /** What this machine is called, as a name in the API may look. */
    static String machineName() {
        try {
            return InetAddress.getLocalHost().getHostName().toLowerCase(Locale.ROOT);
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }

    /** The address this machine would speak to others from. */
    private static String address() {
        try (DatagramSocket socket = new DatagramSocket()) {
            // Choosing a route sends nothing; the address is reserved for documentation.
            socket.connect(new InetSocketAddress(InetAddress.ofLiteral("192.0.2.1"), 9));
            return socket.getLocalAddress().getHostAddress();
        } catch (IOException | java.io.UncheckedIOException e) {
            return "127.0.0.1"; // no network
        }
    }

    private static boolean resolves(String name) {
        try {
            return InetAddress.getByName(name) != null;
        } catch (UnknownHostException e) {
            return false;
        }
    }

    private static Path directory(Path home) {
        return home.resolve("node");
    }

    /** Who hears, once it ends, how many pods have not ended yet. */
    void whenEnding(IntConsumer listener) {
        endingPods = listener;
    }

    /** Pods that are ending have no grace any more. */
    void hurry() {
        Parts open;
        synchronized (this) {
            open = parts;
        }
        if (open != null) {
            open.kubelet().hurry();
        }
    }

    void start(Cluster cluster) {
        starting = Thread.ofPlatform().daemon().name("node").start(() -> {
            try {
                open(cluster);
            } catch (IOException e) {
                LOG.warn("no pods run on this machine: {}", e.getMessage());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (RuntimeException e) {
                LOG.error("no pods run on this machine", e);
            }
        });
    }

    static NodeSettings settings(Path home, String name) {
        return NodeSettings.of(name, address(), directory(home));
    }

    private void open(Cluster cluster) throws IOException, InterruptedException {
        Tenants tenants = Tenants.of(home);
        Tenants.Place place = tenants.settle(home);
        tenancy = place.tenancy();
        if (place.moved()) {
            // Nothing runs any more where it was: what is known of it is only how it ended.
            takeApart(home);
        }
        String name = wish.name();
        NodeSettings usual =
                settings(home, name).withDevices(wish.devices()).withPressureTransition(wish.pressureTransition());
        NodeSettings settings = cluster.elsewhere() && !resolves(name) ? usual.withoutName() : usual;
        Followers around = new Followers(cluster.reader());
        ClusterView view = new ClusterView(around);
        Followers own = cluster.elsewhere() ? own(cluster.reader(), name) : around;
        List<Followers> followers = cluster.elsewhere() ? List.of(around, own) : List.of(around);
        Kubelet kubelet = new Kubelet(settings, cluster.reader(), cluster.api(), own, clock);
        OwnNamespaces.keep(settings.directory());
        PodNetwork network = network(cluster, settings, view);
        ContainerRuntime runtime = Runtimes.open(
                settings.directory().resolve("runtime"),
                NetworkSettings.id(home),
                List.of(home),
                wish.ociRuntime(),
                wish.handlers());
        runtime.info().notices().forEach(LOG::warn);
        Isolation.of(runtime.info(), network).write(settings.directory());
        ImageStore images = ImageStore.open(home);
        NodeTools tools = new NodeTools(
                runtime,
                images,
                network,
                NodeVolumes.open(
                        volumes(home), cluster.api(), kubelet::node, clock, new ImageFiles(images, cluster.api())));
        NodeServer server = serve(settings, kubelet, cluster.api());
        synchronized (this) {
            parts = new Parts(followers, kubelet, tools, runtime, server, null);
            if (closed) {
                return;
            }
        }
        followers.forEach(Followers::start);
        String podRange = "";
        if (network instanceof NodeNetwork bridged) {
            bridged.start(around);
            podRange = bridged.podRange();
        }
        kubelet.start(tools, podRange, server.port());
        server.start();
        Thread improving = certificates.improve(
                name, settings.address(), better -> server.show(better.key(), List.of(better.certificate())));
        synchronized (this) {
            parts = new Parts(followers, kubelet, tools, runtime, server, improving);
        }
        tenants.clearRuins();
    }

    /** What a node sees that may see no more than is its own: what happens elsewhere must not keep it from its pods. */
    private static Followers own(KubeApi api, String name) {
        Followers own = new Followers(api);
        own.narrow(KubeApi.Kind.core("pods"), new KubeApi.Scope("", "spec.nodeName=" + name));
        own.narrow(KubeApi.Kind.clusterWide("nodes"), KubeApi.Scope.of("", name));
        return own;
    }

    private PodNetwork network(Cluster cluster, NodeSettings settings, ClusterView view) throws IOException {
        NetworkSettings wanted = networkSettings(home);
        try {
            return NodeNetwork.open(
                    new NodeNetwork.Options(
                            wanted,
                            wish.name(),
                            settings.clusterDomain(),
                            cluster.apiServer(),
                            cluster.maker(),
                            UserNamespace.own().isInitial() ? null : OwnNamespaces.wayOut(directory(home))),
                    view);
        } catch (IOException e) {
            LOG.warn(
                    "no network of their own for pods: {}",
                    UserNamespace.own().isInitial()
                            ? e.getMessage()
                            : OwnNamespaces.networkObstacle().orElse(e.getMessage()));
            return LoopbackNetwork.open(loopback(home));
        }
    }

    /** An ordinary user's network is one that nobody else on the machine sees. */
    private static NetworkSettings networkSettings(Path home) {
        NetworkSettings settings = NetworkSettings.of(home);
        return UserNamespace.own().isInitial()
                ? settings
                : settings.alone(directory(home).resolve("bridge"));
    }

    private static NetworkSettings loopback(Path home) {
        return NetworkSettings.of(home).in(directory(home).resolve("network"));
    }

    private static Path volumes(Path home) {
        return directory(home).resolve("volumes");
    }

    /** At the usual port, or at any where somebody else has that. */
    private NodeServer serve(NodeSettings settings, Kubelet kubelet, KubeApi api) throws IOException {
        try {
            return server(PORT, settings, kubelet, api);
        } catch (BindException e) {
            return server(0, settings, kubelet, api);
        }
    }

    private NodeServer server(int port, NodeSettings settings, Kubelet kubelet, KubeApi api) throws IOException {
        Identity identity = certificates.of(wish.name(), settings.address());
        return new NodeServer(
                new InetSocketAddress(InetAddress.ofLiteral(settings.address()), port),
                identity.key(),
                List.of(identity.certificate()),
                new ReviewedAccess(api, wish.name(), clock),
                kubelet.view(),
                new NodeRoutes.Settings(settings.logs(), clock));
    }

    /** Ends all pods with their grace, and leaves nothing on the machine but files. */
    @Override
    public void close() {
        Thread running = starting;
        Parts open;
        synchronized (this) {
            closed = true;
        }
        if (running != null) {
            running.interrupt();
            join(running);
        }
        synchronized (this) {
            open = parts;
        }
        boolean clean = open == null || close(open);
        MachineRegister.Tenancy held = tenancy;
        if (held != null) {
            giveUp(held, clean && open != null);
        }
    }

    /** @param nothingIsLeft whether the machine may forget that it was there */
    private static void giveUp(MachineRegister.Tenancy tenancy, boolean nothingIsLeft) {
        try {
            if (nothingIsLeft) {
                tenancy.leave();
            }
        } catch (IOException e) {
            LOG.warn("something is left on this machine: {}", e.getMessage());
        } finally {
            tenancy.close();
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join(PATIENCE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** False if something is left. */
    private boolean close(Parts parts) {
        boolean clean = true;
        if (parts.improving() != null) {
            parts.improving().interrupt();
        }
        try {
            parts.kubelet().stopPods(MOST_GRACE, endingPods);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        parts.server().close();
        parts.kubelet().close();
        parts.followers().forEach(Followers::close);
        parts.tools().volumes().close();
        parts.tools().images().close();
        try {
            parts.runtime().dismantle();
            parts.tools().network().dismantle();
            NodeVolumes.dismantle(volumes(home));
            OwnNamespaces.leave(directory(home));
        } catch (SandboxException | IOException | VolumeException e) {
            LOG.warn("something is left on this machine: {}", e.getMessage());
            clean = false;
        }
        parts.runtime().close();
        parts.tools().network().close();
        return clean;
    }

    /**
     * Takes away what a node left that was not stopped but killed; false if there was nothing.
     *
     * @throws IOException if somebody serves it
     */
    static boolean dismantle(Path home) throws IOException, InterruptedException {
        if (Files.notExists(directory(home))) {
            return false;
        }
        Tenants.Place place = Tenants.of(home).settle(home);
        boolean clean = false;
        try {
            boolean anything = takeApart(home);
            clean = true;
            return anything;
        } finally {
            giveUp(place.tenancy(), clean);
        }
    }

    private static boolean takeApart(Path home) throws IOException {
        try (ContainerRuntime runtime = Runtimes.open(
                directory(home).resolve("runtime"), NetworkSettings.id(home), List.of(home), null, Map.of())) {
            boolean anything = !runtime.sandboxes().isEmpty();
            runtime.dismantle();
            dismantleNetwork(home);
            NodeVolumes.dismantle(volumes(home));
            return anything;
        } catch (SandboxException | VolumeException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private static void dismantleNetwork(Path home) throws IOException {
        LoopbackNetwork.dismantle(loopback(home));
        NetworkSettings settings = networkSettings(home);
        if (UserNamespace.isRoot() && (UserNamespace.own().isInitial() || Files.exists(settings.directory()))) {
            NodeNetwork.dismantle(settings);
        }
    }
}
