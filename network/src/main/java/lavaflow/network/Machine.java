package lavaflow.network;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

import lavaflow.linux.KernelException;
import lavaflow.linux.Links;
import lavaflow.linux.NetworkNamespace;
import lavaflow.linux.UserNamespace;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The machine's part of the network: the bridge, its rules, and the switches of the kernel that it needs. */
final class Machine implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Machine.class);
    private static final Path SWITCHES = Path.of("/proc/sys/net/ipv4");
    private static final int USUAL_MTU = 1500;
    private static final int RANGES = 256;
    private static final Duration PORTS_PATIENCE = Duration.ofSeconds(2);
    private static final Duration PORTS_PAUSE = Duration.ofMillis(10);

    private final NetworkSettings settings;
    private final AddressRange services;
    private final Links links;
    private final RuleTable table;
    private final ForwardingSwitch forwarding;
    private int bridge;
    private int mtu = USUAL_MTU;

    private Machine(NetworkSettings settings, AddressRange services, Links links) {
        this.services = services;
        this.settings = settings;
        this.links = links;
        this.table = new RuleTable(settings.table());
        this.forwarding = new ForwardingSwitch(settings.shared());
    }

    static Machine open(NetworkSettings settings) throws IOException {
        AddressRange services = AddressRange.parse(settings.serviceRange());
        if (services == null) {
            throw new IOException("no range for services: " + settings.serviceRange());
        }
        Files.createDirectories(settings.directory());
        return new Machine(settings, services, Links.open());
    }

    Links links() {
        return links;
    }

    AddressRange services() {
        return services;
    }

    RuleTable table() {
        return table;
    }

    /** Makes bridge and rules, or brings them up to date; returns where pods have their addresses. */
    AddressRange prepare() throws IOException {
        try (FileChannel file = FileChannel.open(
                        settings.shared().resolve("network-lock"),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE);
                FileLock _ = file.lock()) {
            AddressRange present = present();
            AddressRange range = present == null ? choose(services) : present;
            // First, because this fails where there is no nft: then nothing is left.
            try {
                restoreRules(range);
            } catch (IOException e) {
                // Maps of another version have other types, which cannot be changed.
                LOG.debug("rules are made anew: {}", e.getMessage());
                table.delete();
                restoreRules(range);
            }
            bridge(range, present == null);
            forwarding.on();
            openFirewall();
            return range;
        }
    }

    /** Where a firewall drops what it does not know, lets pods through. */
    void openFirewall() {
        try {
            new FirewallOpening(settings.bridge()).make();
        } catch (IOException e) {
            LOG.warn("whether a firewall lets pods through is unknown: {}", e.getMessage());
        }
    }

    void restoreRules(AddressRange range) throws IOException {
        table.apply(BaseRules.script(settings, range, services));
    }

    private void bridge(AddressRange range, boolean made) throws IOException {
        String name = settings.bridge();
        mtu = mtuOutside();
        if (made) {
            links.delete(name);
            links.addBridge(name, hardwareAddress(range.gateway()), mtu);
            links.plain(name);
        }
        bridge = links.find(name).orElseThrow().index();
        if (made) {
            links.addAddress(bridge, range.gateway(), range.prefix(), true);
        }
        // Answers from this machine's loopback, and to it, pass the bridge; the rules keep everything else off it.
        set("conf/" + name + "/route_localnet", "1");
        // Neighbours should go on asking the machine although they share a wire.
        set("conf/" + name + "/send_redirects", "0");
        links.up(name);
        if (links.routes().stream().noneMatch(route -> route.prefix() == 0)) {
            // This machine itself finds services only if it has some route to them, wherever that leads.
            try {
                links.addRoute(bridge, services.first(), services.prefix(), 0);
            } catch (KernelException e) {
                if (e.errno() != KernelException.EEXIST) {
                    throw e;
                }
            }
        }
    }

    /** The range of the bridge if there is one, and it is where pods should be. */
    private @Nullable AddressRange present() throws IOException {
        Links.Link link = links.find(settings.bridge()).orElse(null);
        if (link == null) {
            return null;
        }
        for (Links.Address address : links.addresses()) {
            if (address.link() == link.index()) {
                return new AddressRange(address.address(), address.prefix());
            }
        }
        return null;
    }

    private AddressRange choose(AddressRange services) throws IOException {
        List<Links.Route> routes = links.routes();
        AddressRange wanted = AddressRange.parse(settings.podRange());
        if (wanted != null && isFree(wanted, services, routes)) {
            return wanted;
        }
        // Clusters begin at different places, so that most keep theirs whatever order they start in.
        int start = Integer.parseInt(settings.id(), 36) % RANGES;
        for (int i = 0; i < RANGES; i++) {
            AddressRange range = new AddressRange((10 << 24) | (244 << 16) | (((start + i) % RANGES) << 8), 24);
            if (isFree(range, services, routes)) {
                if (wanted != null) {
                    LOG.warn("{} is in use on this machine; pods get addresses of {}", wanted, range);
                }
                return range;
            }
        }
        throw new IOException("no range of 10.244.0.0/16 is free on this machine");
    }

    private static boolean isFree(AddressRange range, AddressRange services, List<Links.Route> routes) {
        if (range.overlaps(services.first(), services.prefix())) {
            return false;
        }
        for (Links.Route route : routes) {
            if (route.prefix() > 0 && range.overlaps(route.destination(), route.prefix())) {
                return false;
            }
        }
        return true;
    }

    /** Packets of pods should fit the way out of the machine. */
    private int mtuOutside() throws IOException {
        for (Links.Route route : links.routes()) {
            if (route.prefix() == 0 && route.link() != 0) {
                for (Links.Link link : links.all()) {
                    if (link.index() == route.link()) {
                        return link.mtu();
                    }
                }
            }
        }
        return USUAL_MTU;
    }

    /** Made of the IP address: the same after every restart, another one for every pod. */
    private static long hardwareAddress(int address) {
        return (0x0a58L << 32) | (address & 0xffffffffL);
    }

    /** Gives a new namespace, which the calling thread is in, its interface. */
    void furnish(String port, int namespace, int address, AddressRange range) throws IOException {
        Links.Peer peer = new Links.Peer("eth0", hardwareAddress(address), namespace);
        try {
            links.addPair(port, bridge, mtu, peer);
        } catch (KernelException e) {
            if (e.errno() != KernelException.EEXIST) {
                throw e;
            }
            // The kernel takes its time with what the pod before had.
            links.delete(port);
            links.addPair(port, bridge, mtu, peer);
        }
        links.openPort(port);
        try (Links inside = Links.open()) {
            inside.up("lo");
            inside.plain("eth0");
            int eth0 = inside.find("eth0").orElseThrow().index();
            inside.addAddress(eth0, address, range.prefix(), false);
            inside.up("eth0");
            inside.addRoute(eth0, range.gateway(), 32, 0);
            inside.addRoute(eth0, 0, 0, range.gateway());
        }
        set("conf/all/accept_redirects", "0");
        set("conf/eth0/accept_redirects", "0");
        // As container engines do: whoever may not be root may still serve and ping.
        set("ip_unprivileged_port_start", "0");
        set("ping_group_range", "0\t" + UserNamespace.own().lastGroup());
    }

    private static void set(String name, String value) throws IOException {
        Files.writeString(SWITCHES.resolve(name), value);
    }

    /** Takes away bridge and rules, and what is left of pods. */
    void dismantle() throws IOException {
        clear(settings.directory().resolve("namespaces"), true);
        awaitPortsGone();
        for (Links.Link link : links.all()) {
            if (link.name().startsWith(settings.portPrefix())) {
                links.delete(link.name());
            }
        }
        links.delete(settings.bridge());
        table.delete();
        try {
            new FirewallOpening(settings.bridge()).close();
        } catch (IOException e) {
            LOG.debug("no firewall", e);
        }
        forwarding.off(links);
        clear(settings.directory().resolve("pods"), false);
        clear(settings.directory(), false);
        try {
            Files.deleteIfExists(Objects.requireNonNull(settings.directory().getParent()));
            if (!others()) {
                Files.deleteIfExists(settings.shared().resolve("network-lock"));
            }
            Files.deleteIfExists(settings.shared());
        } catch (DirectoryNotEmptyException e) {
            // Others keep something there.
        }
    }

    private boolean others() throws IOException {
        return links.all().stream().anyMatch(link -> link.name().startsWith(NetworkSettings.BRIDGES));
    }

    /** They go with their namespaces, all together and much quicker than one by one. */
    private void awaitPortsGone() throws IOException {
        long deadline = System.nanoTime() + PORTS_PATIENCE.toNanos();
        try {
            while (System.nanoTime() < deadline
                    && links.all().stream().anyMatch(link -> link.name().startsWith(settings.portPrefix()))) {
                Thread.sleep(PORTS_PAUSE);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void clear(Path directory, boolean mounted) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        try (var files = Files.list(directory)) {
            for (Path file : files.toList()) {
                if (mounted) {
                    NetworkNamespace.delete(file);
                } else if (!Files.isDirectory(file)) {
                    Files.delete(file);
                }
            }
        }
        Files.deleteIfExists(directory);
    }

    @Override
    public void close() {
        links.close();
    }
}
