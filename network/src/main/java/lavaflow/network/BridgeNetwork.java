package lavaflow.network;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Stream;

import lavaflow.linux.Links;
import lavaflow.linux.NetworkNamespace;
import lavaflow.network.PodRecords.PodRecord;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pods in network namespaces of their own, joined by a bridge of the machine.
 *
 * <p>A pod reaches everything, its neighbours too, through the machine: so every packet to a service and every answer
 * passes the same rules, whether or not the machine filters what its bridges carry.
 *
 * <p>Calls about different pods may run at the same time, those about one pod must not.
 */
public final class BridgeNetwork implements PodNetwork {
    private static final Logger LOG = LoggerFactory.getLogger(BridgeNetwork.class);

    private final NetworkSettings settings;
    private final Machine machine;
    private final AddressRange range;
    private final AddressPool pool;
    private final PodRecords records;
    private final Path namespaces;
    private final Path cursor;
    private final Map<String, PodRecord> pods = new ConcurrentSkipListMap<>();
    private final HostPorts hostPorts;
    private final SpareNamespaces spares;
    private volatile Runnable portsChanged = () -> {};

    private BridgeNetwork(NetworkSettings settings, Machine machine, AddressRange range) throws IOException {
        this.settings = settings;
        this.machine = machine;
        this.range = range;
        this.records = new PodRecords(settings.directory().resolve("pods"));
        this.namespaces = Files.createDirectories(settings.directory().resolve("namespaces"));
        this.cursor = settings.directory().resolve("next");
        this.pool = new AddressPool(range, readCursor());
        this.hostPorts = new HostPorts(machine.table());
        this.spares = new SpareNamespaces(this::furnished, pool::giveBack, pods::isEmpty);
    }

    /**
     * The network of a cluster, made now or found again with every pod that has a place in it.
     *
     * @throws IOException where this machine or this user cannot have one
     */
    public static BridgeNetwork open(NetworkSettings settings) throws IOException {
        Machine machine = Machine.open(settings);
        try {
            BridgeNetwork network = new BridgeNetwork(settings, machine, machine.prepare());
            network.adopt();
            return network;
        } catch (IOException | RuntimeException e) {
            machine.close();
            throw e;
        }
    }

    private int readCursor() throws IOException {
        try {
            return Files.exists(cursor)
                    ? Integer.parseInt(Files.readString(cursor).trim())
                    : 0;
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /** Finds what was given before, and clears away what was being made when this process's predecessor ended. */
    private void adopt() throws IOException {
        records.load().forEach((uid, pod) -> {
            if (NetworkNamespace.isOne(namespaces.resolve(uid)) && pool.take(pod.address())) {
                pods.put(uid, pod);
            }
        });
        for (String uid : records.load().keySet()) {
            if (!pods.containsKey(uid)) {
                records.delete(uid);
            }
        }
        List<String> ports = new ArrayList<>();
        pods.values().forEach(pod -> ports.add(port(pod.address())));
        for (Links.Link link : machine.links().all()) {
            if (link.name().startsWith(settings.portPrefix()) && !ports.contains(link.name())) {
                machine.links().delete(link.name());
            }
        }
        for (Path file : namespaceFiles()) {
            if (!pods.containsKey(file.getFileName().toString())) {
                NetworkNamespace.delete(file);
            }
        }
        hostPorts.replaceAll(pods);
    }

    private List<Path> namespaceFiles() throws IOException {
        try (Stream<Path> files = Files.list(namespaces)) {
            return files.sorted().toList();
        }
    }

    private String port(int address) {
        return settings.port(range.podNumber(address));
    }

    /** The addresses of this node's pods: what a Node tells as its podCIDR. */
    public String podRange() {
        return range.toString();
    }

    /** The machine's own address among its pods. */
    public InetAddress gateway() {
        return AddressRange.address(range.gateway());
    }

    NetworkSettings settings() {
        return settings;
    }

    AddressRange range() {
        return range;
    }

    Machine machine() {
        return machine;
    }

    /** Is called whenever pods may have other ports of the machine. */
    void onPortsChange(Runnable listener) {
        portsChanged = listener;
    }

    /** The ports of the machine that pods have. */
    List<HostPort> hostPorts() {
        return pods.values().stream().flatMap(pod -> pod.hostPorts().stream()).toList();
    }

    /** Leads questions to the name server, wherever on the bridge it listens. */
    void leadNames(int port) throws IOException {
        String address = AddressRange.text(range.gateway());
        hostPorts.leadNames(address, port);
        hostPorts.replaceAll(pods);
    }

    /** Makes the rules again that do not change, and those of ports of the machine. */
    void restoreRules() throws IOException {
        machine.restoreRules(range);
        machine.openFirewall();
        hostPorts.replaceAll(pods);
    }

    @Override
    public Attachment attach(String uid, List<HostPort> wanted) throws IOException {
        if (!uid.matches("[A-Za-z0-9][A-Za-z0-9_.-]{0,252}")) {
            throw new IOException("no uid of a pod: " + uid);
        }
        PodRecord known = pods.get(uid);
        if (known == null) {
            known = make(uid, wanted);
        } else if (!known.hostPorts().equals(wanted)) {
            hostPorts.remove(known);
            known = new PodRecord(known.address(), List.copyOf(wanted));
            keep(uid, known);
        }
        return attachment(uid, known);
    }

    private Attachment attachment(String uid, PodRecord pod) {
        return new Attachment(namespaces.resolve(uid), List.of(AddressRange.address(pod.address())));
    }

    private PodRecord make(String uid, List<HostPort> wanted) throws IOException {
        SpareNamespaces.Spare place = spares.take();
        int address = place.address();
        try (NetworkNamespace.Unnamed namespace = place.namespace()) {
            namespace.keep(namespaces.resolve(uid));
            PodRecord made = new PodRecord(address, List.copyOf(wanted));
            keep(uid, made);
            Files.writeString(cursor, Integer.toString(pool.next()));
            return made;
        } catch (IOException | RuntimeException e) {
            undo(uid, address, e);
            throw e;
        }
    }

    /** What every pod gets, whichever it is. */
    private SpareNamespaces.Spare furnished() throws IOException {
        int address = pool.take();
        try {
            return new SpareNamespaces.Spare(
                    address,
                    NetworkNamespace.create(namespace -> machine.furnish(port(address), namespace, address, range)));
        } catch (IOException | RuntimeException e) {
            try {
                machine.links().delete(port(address));
                pool.giveBack(address);
            } catch (IOException left) {
                e.addSuppressed(left);
            }
            throw e;
        }
    }

    private void keep(String uid, PodRecord pod) throws IOException {
        hostPorts.add(pod);
        records.write(uid, pod);
        pods.put(uid, pod);
        if (!pod.hostPorts().isEmpty()) {
            portsChanged.run();
        }
    }

    private void undo(String uid, int address, Exception cause) {
        try {
            NetworkNamespace.delete(namespaces.resolve(uid));
            machine.links().delete(port(address));
            pool.giveBack(address);
        } catch (IOException e) {
            // The address stays taken until the next start clears what is left of it.
            cause.addSuppressed(e);
        }
    }

    @Override
    public void detach(String uid) throws IOException {
        PodRecord pod = pods.get(uid);
        if (pod == null) {
            return;
        }
        hostPorts.remove(pod);
        // Its interface goes with it. Taking that away first would make the kernel wait for every one on its own, and
        // everybody else who changes something about interfaces meanwhile.
        NetworkNamespace.delete(namespaces.resolve(uid));
        records.delete(uid);
        pods.remove(uid);
        pool.giveBack(pod.address());
        spares.dropUnused();
        if (!pod.hostPorts().isEmpty()) {
            portsChanged.run();
        }
    }

    @Override
    public Map<String, Attachment> attached() {
        Map<String, Attachment> all = new TreeMap<>();
        pods.forEach((uid, pod) -> all.put(uid, attachment(uid, pod)));
        return all;
    }

    @Override
    public SocketChannel dial(String uid, int port) throws IOException {
        if (!pods.containsKey(uid)) {
            throw new IOException("no network for pod " + uid);
        }
        return NetworkNamespace.enter(namespaces.resolve(uid), () -> dialLoopback(port));
    }

    /** As localhost is meant: whoever listens at either address answers. */
    static SocketChannel dialLoopback(int port) throws IOException {
        try {
            return SocketChannel.open(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port));
        } catch (IOException e) {
            try {
                return SocketChannel.open(new InetSocketAddress(InetAddress.ofLiteral("::1"), port));
            } catch (IOException other) {
                throw e;
            }
        }
    }

    @Override
    public List<String> nameServers() {
        return List.of(AddressRange.text(range.gateway()));
    }

    @Override
    public void close() {
        spares.close();
        machine.close();
    }

    @Override
    public void dismantle() throws IOException {
        spares.close();
        machine.dismantle();
        pods.clear();
        LOG.debug("network {} is gone", settings.id());
    }
}
