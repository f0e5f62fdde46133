package lavaflow;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import lavaflow.apiserver.CertificateAuthority;
import lavaflow.apiserver.Identity;
import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;
import lavaflow.remote.RemoteKubeApi;
import lavaflow.remote.Settings;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class NodeJoiningTest {
    private static final KubeApi.Kind REQUESTS =
            new KubeApi.Kind("certificates.k8s.io", "v1", "certificatesigningrequests", false);
    private static final KubeApi.Kind NODES = new KubeApi.Kind("", "v1", "nodes", false);
    private static final KubeApi.Kind SELF =
            new KubeApi.Kind("authentication.k8s.io", "v1", "selfsubjectreviews", false);

    @TempDir
    private Path directory;

    private TestingAllInOne testing;
    private Home machine;

    @BeforeEach
    void start() throws Exception {
        testing = new TestingAllInOne(directory.resolve("cluster"), false);
        machine = Home.of(directory.resolve("machine"));
        machine.create();
    }

    @AfterEach
    void stop() throws Exception {
        testing.close();
    }

    private Settings admin() {
        return Settings.of(testing.home.kubeconfig(), "test/0");
    }

    private static String user(Settings settings) {
        try (RemoteKubeApi api = new RemoteKubeApi(settings)) {
            return Json.textAt(api.create(SELF, "", Json.object()), "status", "userInfo", "username");
        }
    }

    private List<ObjectNode> requests() {
        return testing.api.list(REQUESTS, "", KubeApi.View.WHOLE).items();
    }

    @Test
    void whoeverBringsAMachineIntoAClusterLetsItWorkAsItself() throws Exception {
        NodeJoining joined = NodeJoining.of(machine, admin(), "second");

        assertThat(joined.name()).isEqualTo("second");
        assertThat(user(joined.settings())).isEqualTo("system:node:second");
        assertThat(requests()).singleElement().satisfies(request -> {
            assertThat(Json.textAt(request, "spec", "signerName"))
                    .isEqualTo("kubernetes.io/kube-apiserver-client-kubelet");
            assertThat(Json.textAt(request, "metadata", "name")).startsWith("node-csr-");
        });
    }

    @Test
    void aNodeThatComesBackNeedsNoOtherCertificate() throws Exception {
        NodeJoining.of(machine, admin(), "second");
        NodeJoining again = NodeJoining.of(machine, admin(), "second");

        assertThat(user(again.settings())).isEqualTo("system:node:second");
        assertThat(requests()).hasSize(1);
    }

    @Test
    void underAnotherNameItDoes() throws Exception {
        NodeJoining.of(machine, admin(), "second");
        NodeJoining renamed = NodeJoining.of(machine, admin(), "third");

        assertThat(user(renamed.settings())).isEqualTo("system:node:third");
    }

    @Test
    void whoComesAsANodeIsThatNode() throws Exception {
        Settings itself = NodeJoining.of(machine, admin(), "second").settings();

        assertThat(NodeJoining.of(machine, itself, null)).isEqualTo(new NodeJoining("second", itself));
        assertThatThrownBy(() -> NodeJoining.of(machine, itself, "other"))
                .isInstanceOf(CommandFailure.class)
                .hasMessage("the kubeconfig is that of the node second, so it cannot be other");
    }

    @Test
    void aCertificateForItsServerIsShownOnceSomebodyApprovedIt() throws Exception {
        NodeJoining joined = NodeJoining.of(machine, admin(), "second");
        CompletableFuture<Identity> shown = new CompletableFuture<>();
        try (RemoteKubeApi api = new RemoteKubeApi(joined.settings())) {
            Thread asking = new ServingCertificate(machine, api, InstantSource.system())
                    .improve("second", "192.0.2.7", shown::complete);
            String name = awaitRequest("kubernetes.io/kubelet-serving");
            assertThat(shown).isNotDone();
            approve(name);

            X509Certificate certificate = shown.get(3, TimeUnit.MINUTES).certificate();
            asking.interrupt();
            certificate.verify(authority().getPublicKey());
            assertThat(certificate.getSubjectX500Principal().getName()).contains("CN=system:node:second");
            assertThat(certificate.getSubjectAlternativeNames())
                    .extracting(each -> String.valueOf(each.get(1)))
                    .containsExactlyInAnyOrder("second", "192.0.2.7");
            assertThat(certificate.getExtendedKeyUsage()).containsExactly("1.3.6.1.5.5.7.3.1");
        }
    }

    @Test
    void aCertificateIsRenewedBeforeItEnds() {
        Instant made = Instant.parse("2026-01-01T00:00:00Z");
        X509Certificate tenYears = CertificateAuthority.create("test", made).certificate();

        assertThat(NodeJoining.lasts(tenYears, made.plusSeconds(6 * 365 * 86_400L)))
                .isTrue();
        assertThat(NodeJoining.lasts(tenYears, made.plusSeconds(10 * 365 * 86_400L)))
                .isFalse();
    }

    @Test
    void whenItIsRenewedIsLeftToChance() {
        Instant made = Instant.parse("2026-01-01T00:00:00Z");
        double life = 3650 * 86_400.0;

        List<Double> parts = IntStream.range(0, 50)
                .mapToObj(_ -> CertificateAuthority.create("test", made).certificate())
                .map(each -> (NodeJoining.renewal(each).getEpochSecond() - made.getEpochSecond()) / life)
                .toList();

        assertThat(parts).allSatisfy(part -> assertThat(part).isBetween(0.69, 0.91));
        assertThat(parts.stream().distinct().count()).isGreaterThan(1);
    }

    @Test
    void theClientCertificateIsRenewedWhileTheNodeRuns() throws Exception {
        NodeJoining joined = NodeJoining.of(machine, admin(), "second");
        letNodesRenew();
        KubeApi.Scope itself = KubeApi.Scope.of("", "second");
        try (RemoteKubeApi api = new RemoteKubeApi(joined.settings());
                KubeApi.Watch watch = api.watch(
                        NODES, itself, api.list(NODES, itself, KubeApi.View.WHOLE, _ -> {}), KubeApi.View.WHOLE)) {
            String before = credential(api);
            InstantSource late =
                    () -> Instant.now().plus(Duration.ofDays(requests().size() > 1 ? 0 : 364));
            try (ClientCertificate _ = new ClientCertificate(machine, joined, api, late)) {
                await(() -> !credential(api).equals(before));
            }

            assertThat(user(joined.settings())).isEqualTo("system:node:second");
            assertThat(requests()).hasSizeGreaterThan(1);
            ObjectNode node = Json.object();
            node.putObject("metadata").put("name", "second");
            testing.api.create(NODES, "", node);
            List<String> seen = new ArrayList<>();
            await(() -> {
                watch.next(Duration.ofSeconds(1))
                        .events()
                        .forEach(event -> seen.add(Json.textAt(event.object(), "metadata", "name")));
                return seen.contains("second");
            });
        }
    }

    @Test
    void aNodeStaysOneAfterTheTokenThatBroughtItHasExpired() throws Exception {
        NodeJoining.of(machine, admin(), "second");
        Path expired = directory.resolve("expired");
        Files.writeString(
                expired,
                Files.readString(testing.home.kubeconfig())
                        .replaceAll("client-certificate-data: \\S+", "token: abcdef.0123456789abcdef")
                        .replaceAll("client-key-data: \\S+", ""));

        NodeJoining again = NodeJoining.of(machine, Settings.of(expired, "test/0"), "second");

        assertThat(user(again.settings())).isEqualTo("system:node:second");
        assertThatThrownBy(() -> NodeJoining.of(machine, Settings.of(expired, "test/0"), "other"))
                .hasMessageContaining("Unauthorized");
    }

    /** As the last part of what {@code lava node --rights} prints. */
    private void letNodesRenew() {
        ObjectNode binding = Json.object();
        binding.putObject("metadata").put("name", "renewal");
        binding.putObject("roleRef")
                .put("apiGroup", "rbac.authorization.k8s.io")
                .put("kind", "ClusterRole")
                .put("name", "system:certificates.k8s.io:certificatesigningrequests:selfnodeclient");
        binding.putArray("subjects")
                .addObject()
                .put("apiGroup", "rbac.authorization.k8s.io")
                .put("kind", "Group")
                .put("name", "system:nodes");
        testing.api.create(
                new KubeApi.Kind("rbac.authorization.k8s.io", "v1", "clusterrolebindings", false), "", binding);
    }

    private static String credential(RemoteKubeApi api) {
        return String.valueOf(Json.at(
                api.create(SELF, "", Json.object()),
                "status",
                "userInfo",
                "extra",
                "authentication.kubernetes.io/credential-id"));
    }

    private static void await(Callable<Boolean> condition) {
        org.awaitility.Awaitility.await().atMost(Duration.ofMinutes(5)).until(condition);
    }

    private X509Certificate authority() throws Exception {
        Identity authority = Credentials.load(testing.home, "ca");
        assertThat(authority).isNotNull();
        return authority.certificate();
    }

    private String awaitRequest(String signer) throws InterruptedException {
        long revision = testing.api.list(REQUESTS, "", KubeApi.View.WHOLE, _ -> {});
        try (KubeApi.Watch watch = testing.api.watch(REQUESTS, revision, KubeApi.View.WHOLE)) {
            while (true) {
                for (ObjectNode request : requests()) {
                    if (Json.textAt(request, "spec", "signerName").equals(signer)) {
                        return Json.textAt(request, "metadata", "name");
                    }
                }
                watch.next(java.time.Duration.ofSeconds(60));
            }
        }
    }

    private void approve(String name) {
        ObjectNode patch = Json.object();
        patch.putObject("status")
                .putArray("conditions")
                .addObject()
                .put("type", "Approved")
                .put("status", "True")
                .put("reason", "Test");
        testing.api.patch(REQUESTS, "", name, "approval", KubeApi.Merge.PLAIN, patch);
    }
}
