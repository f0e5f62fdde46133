package lavaflow.network;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import lavaflow.controller.Followers;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Names outside the cluster are asked of the machine's own name servers, here one of the test's that never says the same twice. */
class UpstreamTest {
    private final AtomicLong now = new AtomicLong();
    private final AtomicInteger asked = new AtomicInteger();
    private DatagramSocket server;
    private InetSocketAddress address;

    @BeforeEach
    void serve() throws IOException {
        server = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        address = new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getLocalPort());
        Thread.ofVirtual().start(() -> {
            try {
                while (true) {
                    DatagramPacket packet = new DatagramPacket(new byte[4096], 4096);
                    server.receive(packet);
                    DnsQuery query = DnsQuery.parse(ByteBuffer.wrap(packet.getData(), 0, packet.getLength()));
                    String other = "192.0.2." + asked.incrementAndGet();
                    DnsRecord record = new DnsRecord.Address(query.name(), 10, other, false);
                    DnsAnswer answer = new DnsAnswer(0, false, List.of(record), List.of(), List.of());
                    byte[] bytes = new byte[4096];
                    ByteBuffer written = DnsWriter.write(query, answer, 4096);
                    int length = written.remaining();
                    written.get(bytes, 0, length);
                    server.send(new DatagramPacket(bytes, length, packet.getSocketAddress()));
                }
            } catch (IOException | DnsFormatException e) {
                // The test is over.
            }
        });
    }

    @AfterEach
    void close() {
        server.close();
    }

    /** With more patience than a busy machine needs to let the server of the test answer. */
    private Upstream upstream(InetSocketAddress... servers) {
        return new Upstream(() -> List.of(servers), now::get, Duration.ofMinutes(1));
    }

    private static DnsResponder responder(Upstream upstream) {
        TestingKubeApi api = TestingCluster.api();
        ObjectNode service = Json.object().put("apiVersion", "v1").put("kind", "Service");
        service.putObject("metadata").put("namespace", "shop").put("name", "out");
        service.set("spec", Json.parse("{\"type\":\"ExternalName\",\"externalName\":\"example.com\"}"));
        api.create(ClusterView.SERVICES, "shop", service);
        Followers followers = new Followers(api);
        ClusterView view = new ClusterView(followers);
        followers.pump();
        return new DnsResponder(new ClusterNames(view, "cluster.local", "10.244.0.1", List.of()), upstream, () -> true);
    }

    private static ByteBuffer answer(DnsResponder responder, ByteBuffer question) {
        DnsResponder.Reading reading = responder.read(question, false);
        return reading.answer().orElseGet(() -> responder.ask(reading.query(), question, false));
    }

    private static ByteBuffer question(String name, int id) {
        return DnsWriter.question(name, DnsRecord.A).putShort(0, (short) id);
    }

    @Test
    void answersAreKeptForAWhileAndCarryTheNumberOfTheQuestion() throws DnsFormatException {
        DnsResponder responder = responder(upstream(address));
        List<DnsRecord> first = DnsReader.answers(answer(responder, question("example.com", 1)));
        assertThat(first).hasSize(1);
        for (int id = 2; id <= 4; id++) {
            ByteBuffer answer = answer(responder, question("example.com", id));
            assertThat(answer.getShort(0)).isEqualTo((short) id);
            assertThat(DnsReader.answers(answer)).isEqualTo(first);
        }
        now.set(11_000_000_000L);
        assertThat(DnsReader.answers(answer(responder, question("example.com", 5))))
                .hasSize(1)
                .isNotEqualTo(first);
    }

    @Test
    void anAliasOfSomethingOutsideComesWithItsAddress() throws DnsFormatException {
        DnsResponder responder = responder(upstream(address));
        ByteBuffer answer = answer(responder, question("out.shop.svc.cluster.local", 1));
        assertThat(DnsReader.answers(answer)).extracting(DnsRecord::type).containsExactly(DnsRecord.CNAME, DnsRecord.A);
    }

    @Test
    void withoutServersNothingOutsideExists() {
        DnsResponder responder = responder(upstream());
        assertThat(responder
                                .read(question("example.com", 1), false)
                                .answer()
                                .orElseThrow()
                                .get(3)
                        & 15)
                .isEqualTo(DnsAnswer.NO_SUCH_NAME);
    }

    @Test
    void aServerThatRefusesIsLeftAloneForAMoment() throws IOException {
        InetSocketAddress nobody;
        try (DatagramSocket closed = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            nobody = new InetSocketAddress(InetAddress.getLoopbackAddress(), closed.getLocalPort());
        }
        DnsResponder responder = responder(upstream(nobody));
        assertThat(answer(responder, question("example.com", 1)).get(3) & 15).isEqualTo(DnsAnswer.SERVER_FAILURE);
        assertThat(answer(responder, question("example.org", 2)).get(3) & 15).isEqualTo(DnsAnswer.SERVER_FAILURE);
    }
}
