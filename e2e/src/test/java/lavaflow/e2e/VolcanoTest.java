package lavaflow.e2e;

import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Stream;

import lavaflow.remote.RemoteKubeApi;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/**
 * Does the same on two real kube-apiservers, one with Volcano's controllers, scheduler and webhooks and one with ours, and
 * compares field by field what became of Jobs, flows, cron jobs, queues and HyperNodes.
 *
 * <p>{@code e2e/jobs/compare} starts everything; {@code -Dvolcano.only=TEXT} picks scenarios. Both end states are in {@code
 * target/volcano}.
 */
@Tag("volcano")
final class VolcanoTest {
    private static final int AT_ONCE = Integer.getInteger("volcano.width", 6);

    private static TwoClusters clusters;

    @BeforeAll
    static void connect() throws Exception {
        clusters = new TwoClusters(Scope.VOLCANO, Path.of("target/volcano"), AT_ONCE, "e2e/jobs/compare");
        for (RemoteKubeApi api : clusters.both()) {
            clusters.surround(new PlayedNode(api));
        }
    }

    @AfterAll
    static void disconnect() throws Exception {
        if (clusters != null) {
            clusters.close();
        }
    }

    @TestFactory
    Stream<DynamicNode> endsLikeVolcanos() throws IOException {
        return clusters.compare(Path.of("src/test/resources/volcano"), System.getProperty("volcano.only", ""));
    }
}
