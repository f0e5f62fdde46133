package lavaflow.network;

import java.nio.ByteBuffer;
import java.util.List;

import lavaflow.controller.Followers;
import lavaflow.controller.TestingKubeApi;

import com.code_intelligence.jazzer.junit.FuzzTest;

/** Whatever arrives at the name server's port, it is answered, asked of others, or left alone; never anything else. */
final class DnsFuzzTest {
    private final DnsResponder responder = responder();

    private static DnsResponder responder() {
        TestingKubeApi api = TestingCluster.api();
        ClusterView view = new ClusterView(new Followers(api));
        ClusterNames names =
                new ClusterNames(view, "cluster.local", "10.244.0.1", List.of(new AddressRange(10 << 24, 8)));
        return new DnsResponder(names, new Upstream(List::of, System::nanoTime, Upstream.PATIENCE), () -> true);
    }

    @FuzzTest
    void aPacketIsHarmless(byte[] input) {
        responder.read(ByteBuffer.wrap(input), false).answer().ifPresent(answer -> {
            if (answer.remaining() > Math.max(4096, input.length)) {
                throw new AssertionError("an answer larger than any packet");
            }
        });
        responder.read(ByteBuffer.wrap(input), true);
    }

    @FuzzTest
    void anAnswerFromUpstreamIsHarmless(byte[] input) {
        try {
            DnsReader.leastTtl(ByteBuffer.wrap(input));
            DnsReader.answers(ByteBuffer.wrap(input));
        } catch (DnsFormatException e) {
            // Then another server is asked.
        }
    }
}
