package lavaflow.network;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Gives pods their places in the network. What it gave outlives this process; every call may be repeated. */
public interface PodNetwork extends AutoCloseable {
    /**
     * A pod's place.
     *
     * @param namespace the file that names its network namespace; null where pods share the machine's
     */
    record Attachment(@org.jspecify.annotations.Nullable Path namespace, List<InetAddress> addresses) {}

    /** A port of the machine that leads to a pod; the address is empty for all of the machine's. */
    record HostPort(String protocol, String hostAddress, int hostPort, int podPort) {}

    /** A pod's place, made now or found again. */
    Attachment attach(String uid, List<HostPort> hostPorts) throws IOException;

    /** Takes a pod's place away. */
    void detach(String uid) throws IOException;

    /** Every pod that has a place, by uid, also from before this process. */
    Map<String, Attachment> attached();

    /** Connects to a port that a pod may have opened for itself only. */
    SocketChannel dial(String uid, int port) throws IOException;

    /** The name servers pods should ask. */
    List<String> nameServers();

    /** Lets go; with {@code dismantle} before, nothing is left on the machine. */
    @Override
    void close();

    /** Takes away bridge, rules and every place; for {@code lava down}. */
    void dismantle() throws IOException;
}
