package lavaflow.apiserver;

import java.nio.file.Path;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(600)
class BootstrapTest {
    @Test
    void theEndpointsOfTheServerFollowItToItsNewAddress(@TempDir Path directory) throws Exception {
        try (TestingServer testing = new TestingServer(directory)) {
            LocalApi api = testing.local();
            assertThat(endpoints(api, "", "endpoints")).isEmpty();

            new Bootstrap(api, "192.0.2.7", 6443).run();
            new Bootstrap(api, "192.0.2.8", 7443).run();

            assertThat(endpoints(api, "", "endpoints")).contains("192.0.2.8", "7443");
            assertThat(endpoints(api, "discovery.k8s.io", "endpointslices")).contains("192.0.2.8", "7443");
            String revision = revision(api);
            new Bootstrap(api, "192.0.2.8", 7443).run();
            assertThat(revision(api)).isEqualTo(revision);
        }
    }

    private static String endpoints(LocalApi api, String group, String resource) {
        return api.find(Bootstrap.SYSTEM, new LocalApi.Path(group, "v1", resource), "default", "kubernetes")
                .map(ObjectNode::toString)
                .orElse("");
    }

    private static String revision(LocalApi api) {
        ObjectNode slice = api.find(
                        Bootstrap.SYSTEM,
                        new LocalApi.Path("discovery.k8s.io", "v1", "endpointslices"),
                        "default",
                        "kubernetes")
                .orElseThrow();
        return Json.textAt(slice, "metadata", "resourceVersion");
    }
}
