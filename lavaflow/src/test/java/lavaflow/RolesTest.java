package lavaflow;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class RolesTest {
    private static final KubeApi.Kind NODES = KubeApi.Kind.clusterWide("nodes");

    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00.5Z");

    private static Roles of(String written) {
        return Roles.of(new UpCommand(), written);
    }

    @Test
    void everythingRunsUnlessSaid() {
        assertThat(Roles.of(new UpCommand(), null).of()).isEqualTo(EnumSet.allOf(Roles.Role.class));
    }

    @Test
    void someAreNamed() {
        assertThat(of("scheduler,node").of()).containsExactlyInAnyOrder(Roles.Role.SCHEDULER, Roles.Role.NODE);
        assertThat(of("apiserver").of()).isEmpty();
        assertThat(of("").of()).isEmpty();
    }

    @Test
    void othersAreNotKnown() {
        assertThatThrownBy(() -> of("scheduler,cook"))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("--roles knows controllers, scheduler, node, not 'cook'");
    }

    @Test
    void theyAreOptionsThatHelpShows() {
        List<String> shown = new UpCommand()
                .options().stream()
                        .filter(option -> !option.hidden())
                        .map(Command.Option::name)
                        .toList();

        assertThat(shown)
                .contains("--detach", "--data-dir", "--listen", "--roles", "--sim-nodes", "--no-node", "--wait");
    }

    @Test
    void detailsAreGivenWithEveryCommand() {
        assertThat(Lava.run(List.of("version", "-v"), new PrintWriter(new StringWriter())))
                .isEqualTo(Lava.DONE);
        assertThat(Lava.run(List.of("up", "--roles", "cook", "--verbose"), new PrintWriter(new StringWriter())))
                .isEqualTo(Lava.USAGE);
    }

    @Test
    void commandsForAnyClusterFindTheLocalOne(@TempDir Path directory) throws Exception {
        try (TestingAllInOne testing = new TestingAllInOne(directory, false)) {
            Home local = testing.home;

            assertThat(WhichCluster.kubeconfig(null, Map.of(), local)).isEqualTo(local.kubeconfig());
            assertThat(WhichCluster.kubeconfig(null, Map.of("KUBECONFIG", "/x"), local))
                    .isNull();
            assertThat(WhichCluster.kubeconfig("/given", Map.of(), local)).isEqualTo(Path.of("/given"));
        }
        assertThat(WhichCluster.kubeconfig(null, Map.of(), Home.of(directory))).isNull();
    }

    @Test
    void whoeverWaitsForNodesSeesThemReady(@TempDir Path directory) throws Exception {
        try (TestingAllInOne testing = new TestingAllInOne(directory, false)) {
            NodesReady ready = new NodesReady(testing.api, BEGIN);
            assertThat(ready.await(0, Duration.ZERO)).isTrue();
            assertThat(ready.await(1, Duration.ofMillis(50))).isFalse();

            ObjectNode node = Json.object();
            node.putObject("metadata").put("name", "n");
            testing.api.create(NODES, "", node);
            assertThat(ready.await(1, Duration.ofMillis(50))).isFalse();
            Thread later = Thread.ofVirtual().start(() -> {
                ObjectNode patch = Json.object();
                patch.putObject("status")
                        .putArray("conditions")
                        .addObject()
                        .put("type", "Ready")
                        .put("status", "True")
                        .put("lastHeartbeatTime", "2026-01-01T00:00:00Z");
                testing.api.patch(NODES, "", "n", "status", KubeApi.Merge.STRATEGIC, patch);
            });

            assertThat(ready.await(1, Duration.ofMinutes(3))).isTrue();
            later.join();
            assertThat(new NodesReady(testing.api, BEGIN.plusSeconds(1)).await(1, Duration.ofMillis(50)))
                    .isFalse();
        }
    }
}
