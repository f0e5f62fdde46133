package lavaflow;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static lavaflow.TestingAllInOne.ACCOUNTS;
import static lavaflow.TestingAllInOne.MAPS;
import static lavaflow.TestingAllInOne.NAMESPACES;
import static lavaflow.TestingAllInOne.QUOTAS;
import static lavaflow.TestingAllInOne.SECRETS;
import static lavaflow.TestingAllInOne.named;
import static lavaflow.TestingAllInOne.owned;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Server and controllers together; all tests share one cluster. */
@Timeout(600)
class AllInOneTest {
    private static TestingAllInOne testing;

    @BeforeAll
    static void start(@TempDir Path directory) throws Exception {
        testing = new TestingAllInOne(directory.resolve("data"));
    }

    @AfterAll
    static void stop() throws Exception {
        testing.close();
    }

    @Test
    void ownersTakeTheirDependentsAlongOrNot() throws Exception {
        for (String policy : List.of("Background", "Foreground", "Orphan")) {
            String name = "owner-" + policy.toLowerCase(Locale.ROOT);
            ObjectNode owner = testing.create(named(name));
            testing.create(owned(name + "-child", owner));
            testing.delete(name, policy);
        }
        testing.awaitGone(MAPS, "default", "owner-background");
        testing.awaitGone(MAPS, "default", "owner-background-child");
        testing.awaitGone(MAPS, "default", "owner-foreground");
        assertThat(testing.api.find(MAPS, "default", "owner-foreground-child")).isEmpty();
        testing.awaitGone(MAPS, "default", "owner-orphan");
        ObjectNode orphan =
                testing.api.find(MAPS, "default", "owner-orphan-child").orElseThrow();
        assertThat(Json.listAt(orphan, "metadata", "ownerReferences")).isEmpty();
    }

    @Test
    void anOwnerInTheForegroundWaits() throws Exception {
        ObjectNode owner = testing.create(named("owner"));
        ObjectNode child = owned("child", owner);
        Json.ensureObject(child, "metadata").putArray("finalizers").add("example.com/hold");
        testing.create(child);
        testing.delete("owner", "Foreground");
        testing.await(
                MAPS,
                "default",
                "child",
                found -> found.orElseThrow().path("metadata").has("deletionTimestamp"));
        assertThat(testing.api.find(MAPS, "default", "owner")).isPresent();

        ObjectNode patch = Json.object();
        patch.putObject("metadata").putNull("finalizers");
        testing.api.patch(MAPS, "default", "child", "", KubeApi.Merge.PLAIN, patch);
        testing.awaitGone(MAPS, "default", "owner");
    }

    @Test
    void aNamespaceIsFurnishedAndEmptied() throws Exception {
        AdminClient admin = AdminClient.of(testing.home);
        String json = "application/json";
        assertThat(admin.send("POST", "/api/v1/namespaces", json, Json.string(named("team"))))
                .isEqualTo(201);
        testing.awaitThere(ACCOUNTS, "team", "default");
        testing.awaitThere(MAPS, "team", "kube-root-ca.crt");
        String maps = "/api/v1/namespaces/team/configmaps";
        assertThat(admin.send("POST", maps, json, Json.string(named("settings"))))
                .isEqualTo(201);
        assertThat(admin.send("DELETE", "/api/v1/namespaces/team", json, "{}")).isEqualTo(200);
        testing.awaitGone(NAMESPACES, "", "team");

        assertThat(testing.api.list(MAPS, "team", KubeApi.View.METADATA).items())
                .isEmpty();
        assertThat(testing.api.list(ACCOUNTS, "team", KubeApi.View.METADATA).items())
                .isEmpty();
        assertThat(admin.send("GET", "/readyz", json, "")).isEqualTo(200);
    }

    @Test
    void quotasTellWhatIsUsed() throws Exception {
        ObjectNode quota = named("limits");
        Json.ensureObject(quota, "spec", "hard").put("secrets", "5").put("count/secrets", "5");
        testing.api.create(QUOTAS, "default", quota);
        testing.await(QUOTAS, "default", "limits", found -> used(found).equals("0"));
        testing.api.create(SECRETS, "default", named("one"));
        testing.await(QUOTAS, "default", "limits", found -> used(found).equals("1"));
        testing.api.delete(SECRETS, "default", "one", KubeApi.Deletion.PLAIN);
        testing.await(QUOTAS, "default", "limits", found -> used(found).equals("0"));
    }

    private static String used(Optional<ObjectNode> quota) {
        return Json.textAt(quota.orElseThrow(), "status", "used", "secrets");
    }

    @Test
    void aSecondServerIsKeptOffTheDirectory() throws Exception {
        String kubeconfig = Files.readString(testing.home.kubeconfig());

        assertThatThrownBy(() -> TestingAllInOne.start(testing.home))
                .hasMessageContaining("another process uses this directory");
        assertThat(testing.home.kubeconfig()).hasContent(kubeconfig);
        testing.create(named("still-alive"));
    }

    @Test
    void aStartThatFailsLetsGoOfEverything(@TempDir Path directory) throws Exception {
        int port = URI.create(testing.cluster.url()).getPort();
        Home other = Home.of(directory.resolve("other"));

        assertThatThrownBy(() -> AllInOne.start(other, TestingAllInOne.loopback(port)))
                .isInstanceOf(Exception.class);
        assertThat(other.running()).isEmpty();
        try (AllInOne second = TestingAllInOne.start(other)) {
            assertThat(second.url()).isNotEqualTo(testing.cluster.url());
        }
    }
}
