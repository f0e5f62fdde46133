package lavaflow.network;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.network.EndpointChoice.Target;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The whole network of a node: places for pods, rules of services, names. */
public final class NodeNetwork implements PodNetwork {
    private static final Logger LOG = LoggerFactory.getLogger(NodeNetwork.class);
    private static final int ATTEMPTS = 30;
    private static final long PAUSE_MILLIS = 1_000;

    /**
     * What a node's network is to be.
     *
     * @param node the name that endpoints of pods here carry
     * @param clusterDomain usually {@code cluster.local}
     * @param apiServer where the API server listens if no endpoint can tell, being on the loopback; null otherwise
     * @param nameServerMaker who may make the Service kube-system/kube-dns; null where this node should not
     * @param wayOut the socket of slirp4netns, which leads ports of the machine here; null where this is the machine's own network
     */
    public record Options(
            NetworkSettings settings,
            String node,
            String clusterDomain,
            @Nullable InetSocketAddress apiServer,
            @Nullable KubeApi nameServerMaker,
            @Nullable Path wayOut) {}

    private final Options options;
    private final BridgeNetwork network;
    private final ClusterView view;
    private final ServiceRules rules;
    private final DnsServer names;
    private volatile boolean synced;
    private volatile boolean closed;
    private volatile boolean dismantled;

    private NodeNetwork(Options options, BridgeNetwork network, ClusterView view) throws IOException {
        this.options = options;
        this.network = network;
        this.view = view;
        InetSocketAddress server = options.apiServer();
        Target apiServer =
                server == null ? null : new Target(server.getAddress().getHostAddress(), server.getPort());
        AddressRange services = network.machine().services();
        ClusterNames clusterNames = new ClusterNames(
                view, options.clusterDomain(), network.gateway().getHostAddress(), List.of(network.range(), services));
        MachineResolvers resolvers = new MachineResolvers(
                List.of(network.gateway().getHostAddress(), clusterNameServer(services)), System::nanoTime);
        DnsResponder responder = new DnsResponder(
                clusterNames, new Upstream(resolvers, System::nanoTime, Upstream.PATIENCE), () -> synced);
        this.names = DnsServer.open(network.gateway(), responder, this::isOfPods);
        try {
            network.leadNames(names.port());
            OutsidePorts ports = options.wayOut() == null ? null : new OutsidePorts(options.wayOut());
            this.rules = new ServiceRules(view, network, options.node(), apiServer, ports);
        } catch (IOException | RuntimeException e) {
            names.close();
            throw e;
        }
    }

    /**
     * Makes the network, or finds it again; {@link #start} is next.
     *
     * @throws IOException where this machine or this user cannot have one; {@link LoopbackNetwork} is what is left then
     */
    public static NodeNetwork open(Options options, ClusterView view) throws IOException {
        BridgeNetwork network = BridgeNetwork.open(options.settings());
        try {
            return new NodeNetwork(options, network, view);
        } catch (IOException | RuntimeException e) {
            network.close();
            throw e;
        }
    }

    /** The tenth address of services is the name server's, as everywhere. */
    private static String clusterNameServer(AddressRange services) {
        return AddressRange.text(services.first() + 10);
    }

    private boolean isOfPods(InetAddress client) {
        byte[] address = client.getAddress();
        return address.length == 4 && network.range().contains(AddressRange.number(address));
    }

    /** Begins to keep rules current once the view's followers have told everything that exists. */
    public void start(Followers followers) {
        Thread.ofPlatform().daemon().name("network-start").start(() -> begin(followers));
    }

    private void begin(Followers followers) {
        try {
            if (followers.awaitSync() && !closed) {
                synced = true;
                rules.start();
                ensureNameServer();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void ensureNameServer() throws InterruptedException {
        KubeApi api = options.nameServerMaker();
        for (int attempt = 1; api != null && !closed; attempt++) {
            try {
                ClusterDns.ensure(
                        api,
                        options.node(),
                        clusterNameServer(network.machine().services()),
                        network.gateway().getHostAddress(),
                        names.port());
                return;
            } catch (ApiException e) {
                if (attempt == ATTEMPTS) {
                    LOG.warn("there is no Service kube-system/kube-dns: {}", e.getMessage());
                    return;
                }
                Thread.sleep(PAUSE_MILLIS);
            }
        }
    }

    /** True once the kernel has the rules of every service that is known. */
    public boolean isComplete() {
        return synced && rules.isComplete();
    }

    /** The addresses of this node's pods: what a Node tells as its podCIDR. */
    public String podRange() {
        return network.podRange();
    }

    /** The machine's own address among its pods. */
    public InetAddress gateway() {
        return network.gateway();
    }

    @Override
    public Attachment attach(String uid, List<HostPort> hostPorts) throws IOException {
        return network.attach(uid, hostPorts);
    }

    @Override
    public void detach(String uid) throws IOException {
        network.detach(uid);
    }

    @Override
    public Map<String, Attachment> attached() {
        return network.attached();
    }

    @Override
    public SocketChannel dial(String uid, int port) throws IOException {
        return network.dial(uid, port);
    }

    /**
     * By the Service where there is one, so that a cluster with its own name server uses that. A node that may not put itself behind a
     * Service of which every node has its own part is asked directly.
     */
    @Override
    public List<String> nameServers() {
        ServiceView service = view.find(ClusterDns.NAMESPACE, ClusterDns.NAME);
        if (service == null || service.addresses().isEmpty()) {
            return network.nameServers();
        }
        boolean led = options.nameServerMaker() != null
                || ClusterDns.answersPodsOf(options.node(), service, view.slices(service.key()));
        return led ? service.addresses() : network.nameServers();
    }

    /** Takes away what the network of a cluster left on this machine, with or without a process that serves it. */
    public static void dismantle(NetworkSettings settings) throws IOException {
        try (Machine machine = Machine.open(settings)) {
            machine.dismantle();
        }
    }

    /** Lets go; where no pod has a place, nothing is worth keeping. */
    @Override
    public void close() {
        stop();
        if (!dismantled && network.attached().isEmpty()) {
            try {
                network.dismantle();
            } catch (IOException e) {
                LOG.warn("something of the network is left: {}", e.getMessage());
            }
        }
        network.close();
    }

    private void stop() {
        closed = true;
        rules.close();
        names.close();
    }

    @Override
    public void dismantle() throws IOException {
        stop();
        network.dismantle();
        dismantled = true;
    }
}
