package lavaflow.apiserver;

import java.nio.file.Path;
import java.time.Duration;

import lavaflow.kube.Json;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class RoleBootstrapTest {
    private static final String ROLES = "/apis/rbac.authorization.k8s.io/v1/clusterroles";

    @Test
    void aStartBringsBackWhatIsMissing(@TempDir Path directory) throws Exception {
        try (TestingServer server = new TestingServer(directory)) {
            assertThat(Json.listAt(server.get(ROLES + "/cluster-admin").json(), "rules"))
                    .hasSize(2);
            assertThat(server.delete(ROLES + "/system:discovery").code()).isEqualTo(200);
            assertThat(server.patch(ROLES + "/system:basic-user", "application/merge-patch+json", "{\"rules\":[]}")
                            .code())
                    .isEqualTo(200);
        }
        try (TestingServer server = new TestingServer(directory)) {
            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThat(
                                    server.get(ROLES + "/system:discovery").code())
                            .isEqualTo(200));
            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThat(Json.listAt(
                                    server.get(ROLES + "/system:basic-user").json(), "rules"))
                            .isNotEmpty());
        }
    }

    @Test
    void seededRolesCanBeChangedLikeAnyOther(@TempDir Path directory) throws Exception {
        try (TestingServer server = new TestingServer(directory)) {
            var applied = server.apply(
                    ROLES + "/view",
                    "me",
                    "{\"apiVersion\":\"rbac.authorization.k8s.io/v1\",\"kind\":\"ClusterRole\",\"metadata\":{\"name\":"
                            + "\"view\",\"labels\":{\"a\":\"b\"}}}");
            assertThat(applied.code()).isEqualTo(200);
            assertThat(Json.textAt(applied.json(), "metadata", "labels", "a")).isEqualTo("b");
        }
    }
}
