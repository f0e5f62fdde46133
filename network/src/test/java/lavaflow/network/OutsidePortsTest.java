package lavaflow.network;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;

import lavaflow.kube.Json;
import lavaflow.network.OutsidePorts.Port;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Against a socket that speaks as slirp4netns does: one question a connection, numbers for what is open. */
@Timeout(120)
class OutsidePortsTest {
    private static final Port WEB = new Port("tcp", 30080);
    private static final Port NAMES = new Port("udp", 30053);
    private static final Port TAKEN = new Port("tcp", 30001);

    @TempDir
    Path directory;

    private final Map<Integer, Port> open = new TreeMap<>();
    private final Set<Port> taken = java.util.concurrent.ConcurrentHashMap.newKeySet();
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private ServerSocketChannel server;
    private OutsidePorts ports;

    @BeforeEach
    void listen() throws IOException {
        Path socket = directory.resolve("socket");
        server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(socket));
        Thread.ofVirtual().start(this::serve);
        ports = new OutsidePorts(socket);
    }

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    private void serve() {
        try {
            while (true) {
                try (SocketChannel client = server.accept()) {
                    byte[] question = Channels.newInputStream(client).readAllBytes();
                    client.write(ByteBuffer.wrap(Json.bytes(answer(Json.parseObject(question)))));
                }
            }
        } catch (IOException e) {
            // closed
        }
    }

    private synchronized ObjectNode answer(ObjectNode question) {
        String command = Json.textAt(question, "execute");
        ObjectNode arguments = (ObjectNode) question.get("arguments");
        asked.add(command);
        ObjectNode answer = Json.object();
        switch (command) {
            case "list_hostfwd" -> {
                ArrayNode entries = answer.putObject("return").putArray("entries");
                open.forEach((id, port) -> entries.addObject()
                        .put("id", id)
                        .put("proto", port.protocol())
                        .put("host_addr", "127.0.0.1")
                        .put("host_port", port.number()));
            }
            case "add_hostfwd" -> {
                Port port = new Port(
                        Json.textAt(arguments, "proto"),
                        arguments.get("host_port").asInt());
                assertThat(Json.textAt(arguments, "host_addr")).isEqualTo("127.0.0.1");
                if (taken.contains(port)) {
                    answer.putObject("error").put("desc", "bad request: add_hostfwd: slirp_add_hostfwd failed");
                } else {
                    int id = open.keySet().stream().mapToInt(each -> each).max().orElse(0) + 1;
                    open.put(id, port);
                    answer.putObject("return").put("id", id);
                }
            }
            case "remove_hostfwd" -> {
                open.remove(arguments.get("id").asInt());
                answer.putObject("return");
            }
            default -> answer.putObject("error").put("desc", command);
        }
        return answer;
    }

    private synchronized Set<Port> opened() {
        return Set.copyOf(open.values());
    }

    @Test
    void portsAreOpenedAndClosedAsTheyAreWanted() throws IOException {
        ports.keep(Set.of(WEB, NAMES));
        assertThat(opened()).containsExactlyInAnyOrder(WEB, NAMES);

        ports.keep(Set.of(NAMES));
        assertThat(opened()).containsExactly(NAMES);

        ports.keep(Set.of());
        assertThat(opened()).isEmpty();
    }

    @Test
    void whatIsAsWantedIsNotAskedFor() throws IOException {
        ports.keep(Set.of(WEB));
        int questions = asked.size();

        ports.keep(Set.of(WEB));

        assertThat(asked).hasSize(questions);
    }

    @Test
    void whatTheLastRunOpenedIsFoundAgain() throws IOException {
        ports.keep(Set.of(WEB, NAMES));

        new OutsidePorts(directory.resolve("socket")).keep(Set.of(WEB));

        assertThat(opened()).containsExactly(WEB);
        assertThat(asked.stream().filter("add_hostfwd"::equals)).hasSize(2);
    }

    @Test
    void aPortThatSomebodyElseHasIsTriedAgain() throws IOException {
        taken.add(TAKEN);
        ports.keep(Set.of(WEB, TAKEN));
        assertThat(opened()).containsExactly(WEB);

        taken.clear();
        ports.keep(Set.of(WEB, TAKEN));
        assertThat(opened()).containsExactlyInAnyOrder(WEB, TAKEN);
    }

    @Test
    void keysOfRulesArePorts() {
        assertThat(Port.ofKey("tcp . 30080")).isEqualTo(WEB);
        assertThat(Port.ofKey("udp . 30053")).isEqualTo(NAMES);
    }
}
