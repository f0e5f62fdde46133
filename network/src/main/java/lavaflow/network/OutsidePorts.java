package lavaflow.network;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ports of the machine's loopback that lead into a network which an ordinary user made: those of services and pods that would be
 * the machine's if the node were. The program that carries the packets is told by its socket, one question a connection.
 */
final class OutsidePorts {
    private static final Logger LOG = LoggerFactory.getLogger(OutsidePorts.class);
    private static final String LOOPBACK = "127.0.0.1";
    private static final int LARGEST_ANSWER = 1 << 20;

    /** A port that is open. */
    record Port(String protocol, int number) implements Comparable<Port> {
        /** As elements of maps of rules are written, such as {@code tcp . 30080}. */
        static Port ofKey(String key) {
            int dot = key.indexOf(" . ");
            return new Port(key.substring(0, dot), Integer.parseInt(key.substring(dot + 3)));
        }

        @Override
        public int compareTo(Port other) {
            int byProtocol = protocol.compareTo(other.protocol);
            return byProtocol != 0 ? byProtocol : Integer.compare(number, other.number);
        }
    }

    private final Path socket;
    /** Those that could not be opened, so that it is said once. */
    private final Set<Port> refused = new HashSet<>();

    private Set<Port> open = Set.of();

    OutsidePorts(Path socket) {
        this.socket = socket;
    }

    /** Opens these ports and closes all others. */
    void keep(Set<Port> wanted) throws IOException {
        if (wanted.equals(open)) {
            return;
        }
        Map<Port, Integer> there = there();
        Set<Port> now = new TreeSet<>();
        for (Map.Entry<Port, Integer> each : there.entrySet()) {
            if (wanted.contains(each.getKey())) {
                now.add(each.getKey());
            } else {
                ObjectNode which = Json.object().put("id", each.getValue());
                ask("remove_hostfwd", which);
            }
        }
        refused.retainAll(wanted);
        for (Port port : wanted) {
            if (!now.contains(port) && open(port)) {
                now.add(port);
            }
        }
        open = refused.isEmpty() ? Set.copyOf(now) : Set.of(); // whoever has a port may give it back
    }

    private Map<Port, Integer> there() throws IOException {
        Map<Port, Integer> there = new TreeMap<>();
        for (JsonNode entry : Json.listAt(ask("list_hostfwd", Json.object()), "return", "entries")) {
            there.put(
                    new Port(
                            Json.textAt(entry, "proto"), entry.path("host_port").asInt()),
                    entry.path("id").asInt());
        }
        return there;
    }

    private boolean open(Port port) throws IOException {
        if (!port.protocol().equals("tcp") && !port.protocol().equals("udp")) {
            return true;
        }
        ObjectNode arguments = Json.object().put("proto", port.protocol()).put("host_addr", LOOPBACK);
        arguments.put("host_port", port.number()).put("guest_port", port.number());
        ObjectNode answer = ask("add_hostfwd", arguments);
        if (!answer.has("error")) {
            return true;
        }
        if (refused.add(port)) {
            LOG.warn(
                    "port {} of this machine does not lead to the cluster: {}",
                    port.number(),
                    Json.textAt(answer, "error", "desc"));
        }
        return false;
    }

    private ObjectNode ask(String command, ObjectNode arguments) throws IOException {
        ObjectNode question = Json.object().put("execute", command);
        question.set("arguments", arguments);
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(socket));
            channel.write(ByteBuffer.wrap(Json.bytes(question)));
            channel.shutdownOutput();
            ByteBuffer answer = ByteBuffer.allocate(LARGEST_ANSWER);
            while (answer.hasRemaining() && channel.read(answer) >= 0) {
                // Until it has said everything.
            }
            byte[] bytes = new byte[answer.position()];
            answer.flip().get(bytes);
            return Json.parseObject(bytes);
        }
    }
}
