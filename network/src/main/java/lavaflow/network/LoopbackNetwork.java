package lavaflow.network;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;

import lavaflow.network.PodRecords.PodRecord;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pods without a network of their own: each has an address of the machine's loopback, and they share all ports. For
 * machines and users that may not make namespaces.
 */
public final class LoopbackNetwork implements PodNetwork {
    private static final Logger LOG = LoggerFactory.getLogger(LoopbackNetwork.class);

    /** What is not isolated, for whoever starts a node. */
    public static final String NOTICE =
            "pods share this machine's network: each has an address of the loopback, but a program that listens at"
                    + " every address, as TensorFlow's servers do, keeps the port from all other pods (give each such pod"
                    + " another port), and service addresses and names do not work";

    private final AddressPool pool;
    private final PodRecords records;
    private final Path directory;
    private final Map<String, PodRecord> pods = new ConcurrentSkipListMap<>();

    private LoopbackNetwork(NetworkSettings settings) throws IOException {
        // Clusters keep apart: each has one of a hundred ranges.
        int second = 100 + Math.floorMod(settings.id().hashCode(), 100);
        this.directory = settings.directory();
        this.records = new PodRecords(directory.resolve("pods"));
        this.pool = new AddressPool(new AddressRange((127 << 24) | (second << 16), 16), 0);
        records.load().forEach((uid, pod) -> {
            if (pool.take(pod.address())) {
                pods.put(uid, pod);
            }
        });
    }

    public static LoopbackNetwork open(NetworkSettings settings) throws IOException {
        LOG.warn(NOTICE);
        return new LoopbackNetwork(settings);
    }

    /** Forgets the addresses of pods that are gone, without a process that gives any. */
    public static void dismantle(NetworkSettings settings) throws IOException {
        if (Files.exists(settings.directory())) {
            new LoopbackNetwork(settings).dismantle();
        }
    }

    @Override
    public Attachment attach(String uid, List<HostPort> hostPorts) throws IOException {
        PodRecord pod = pods.get(uid);
        if (pod == null) {
            pod = new PodRecord(pool.take(), List.copyOf(hostPorts));
            records.write(uid, pod);
            pods.put(uid, pod);
        }
        return attachment(pod);
    }

    private static Attachment attachment(PodRecord pod) {
        return new Attachment(null, List.of(AddressRange.address(pod.address())));
    }

    @Override
    public void detach(String uid) throws IOException {
        PodRecord pod = pods.remove(uid);
        if (pod != null) {
            records.delete(uid);
            pool.giveBack(pod.address());
        }
    }

    @Override
    public Map<String, Attachment> attached() {
        Map<String, Attachment> all = new TreeMap<>();
        pods.forEach((uid, pod) -> all.put(uid, attachment(pod)));
        return all;
    }

    /** Programs that listen at localhost are asked there, whoever's they are. */
    @Override
    public SocketChannel dial(String uid, int port) throws IOException {
        PodRecord pod = pods.get(uid);
        if (pod == null) {
            throw new IOException("no network for pod " + uid);
        }
        try {
            return SocketChannel.open(new InetSocketAddress(AddressRange.address(pod.address()), port));
        } catch (IOException e) {
            return BridgeNetwork.dialLoopback(port);
        }
    }

    @Override
    public List<String> nameServers() {
        return ResolverFile.ofMachine().nameServers();
    }

    @Override
    public void close() {}

    @Override
    public void dismantle() throws IOException {
        for (String uid : List.copyOf(pods.keySet())) {
            detach(uid);
        }
        Files.deleteIfExists(directory.resolve("pods"));
        Files.deleteIfExists(directory);
    }
}
