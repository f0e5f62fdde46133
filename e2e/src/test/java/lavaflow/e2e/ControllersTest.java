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
 * Does the same on two real kube-apiservers, one with upstream's kube-controller-manager and one with {@code lava
 * controllers}, and compares field by field what is there in the end.
 *
 * <p>{@code e2e/controllers} starts everything; {@code -Dcontrollers.only=TEXT} picks scenarios. Both end states are in {@code
 * target/controllers}.
 */
@Tag("controllers")
final class ControllersTest {
    private static final int AT_ONCE = 12;

    private static TwoClusters clusters;

    @BeforeAll
    static void connect() throws Exception {
        clusters = new TwoClusters(Scope.EVERYTHING, Path.of("target/controllers"), AT_ONCE, "e2e/controllers");
        for (RemoteKubeApi api : clusters.both()) {
            clusters.surround(new PlayedNode(api));
            clusters.surround(new MetricsProgram(api));
        }
    }

    @AfterAll
    static void disconnect() throws Exception {
        if (clusters != null) {
            clusters.close();
        }
    }

    @TestFactory
    Stream<DynamicNode> endsLikeUpstreams() throws IOException {
        return clusters.compare(Path.of("src/test/resources/controllers"), System.getProperty("controllers.only", ""));
    }
}
