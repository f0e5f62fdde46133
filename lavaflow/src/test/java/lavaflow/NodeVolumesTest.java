package lavaflow;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import lavaflow.access.User;
import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;
import lavaflow.remote.RemoteKubeApi;
import lavaflow.remote.Settings;
import lavaflow.volume.ImageVolumes;
import lavaflow.volume.NodeVolumes;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static lavaflow.TestingAllInOne.MAPS;
import static lavaflow.TestingAllInOne.SECRETS;
import static lavaflow.TestingAllInOne.named;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Volumes with the rights of a node, and no others. */
@Timeout(600)
class NodeVolumesTest {
    private static final KubeApi.Kind PODS = KubeApi.Kind.core("pods");

    @Test
    void aNodeNeedsNoMoreThanANodeMay(@TempDir Path directory) throws Exception {
        try (TestingAllInOne testing = new TestingAllInOne(directory.resolve("data"), false)) {
            KubeApi admin = testing.api;
            ObjectNode node = admin.create(KubeApi.Kind.clusterWide("nodes"), "", named("here"));
            testing.awaitThere(MAPS, "default", "kube-root-ca.crt");
            testing.awaitThere(TestingAllInOne.ACCOUNTS, "default", "default");
            ObjectNode secret = named("password");
            secret.putObject("stringData").put("word", "first");
            admin.create(SECRETS, "default", secret);
            admin.create(SECRETS, "default", named("of-others"));
            ObjectNode pod = admin.create(PODS, "default", pod());

            KubeApi asNode = testing.cluster.api(new User("system:node:here", List.of("system:nodes")));
            assertThatThrownBy(() -> asNode.find(SECRETS, "default", "of-others"))
                    .hasMessageContaining("cannot list resource");
            LinkedBlockingQueue<String> changed = new LinkedBlockingQueue<>();
            try (NodeVolumes volumes = NodeVolumes.open(
                    directory.resolve("volumes"), asNode, () -> node, InstantSource.system(), ImageVolumes.NONE)) {
                volumes.onChange(changed::add);
                var mounted = volumes.mount(pod);
                Path word = mounted.get("secret").path().resolve("word");
                assertThat(word).hasContent("first");
                Path access = mounted.values().stream()
                        .filter(volume -> volume.name().startsWith("kube-api-access-"))
                        .findFirst()
                        .orElseThrow()
                        .path();
                assertThat(access.resolve("namespace")).hasContent("default");
                assertThat(Files.readString(access.resolve("ca.crt"))).contains("BEGIN CERTIFICATE");
                assertThat(userOf(testing, Files.readString(access.resolve("token"))))
                        .isEqualTo("system:serviceaccount:default:default");

                secret.putObject("stringData").put("word", "second");
                admin.patch(SECRETS, "default", "password", "", KubeApi.Merge.PLAIN, secret);
                String uid = Json.textAt(pod, "metadata", "uid");
                while (!Files.readString(word).equals("second")) {
                    assertThat(changed.poll(3, TimeUnit.MINUTES)).isEqualTo(uid);
                    volumes.refresh(pod);
                }
                volumes.unmount(uid);
                assertThat(volumes.present()).isEmpty();
            } finally {
                lavaflow.linux.Mounts.unmountBelow(directory.toRealPath());
            }
        }
    }

    private static ObjectNode pod() {
        ObjectNode pod = named("one");
        ObjectNode spec = pod.putObject("spec").put("nodeName", "here");
        spec.putArray("containers").addObject().put("name", "main").put("image", "host");
        spec.putArray("volumes")
                .addObject()
                .put("name", "secret")
                .putObject("secret")
                .put("secretName", "password");
        return pod;
    }

    /** Who the server takes the holder of a token for. */
    private static String userOf(TestingAllInOne testing, String token) throws Exception {
        KubeApi.Kind reviews = new KubeApi.Kind("authentication.k8s.io", "v1", "tokenreviews", false);
        ObjectNode review = Json.object().put("kind", "TokenReview").put("apiVersion", "authentication.k8s.io/v1");
        review.putObject("spec").put("token", token);
        try (RemoteKubeApi remote = new RemoteKubeApi(Settings.of(testing.home.kubeconfig(), "test/0"))) {
            return Json.textAt(remote.create(reviews, "", review), "status", "user", "username");
        }
    }
}
