package lavaflow;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import lavaflow.access.AccountTokens;
import lavaflow.access.Attributes;
import lavaflow.access.Authorizer;
import lavaflow.access.TokenKeys;
import lavaflow.access.User;
import lavaflow.apiserver.CertificateAuthority;
import lavaflow.cluster.CoreControllers;
import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;
import lavaflow.remote.RemoteKubeApi;
import lavaflow.remote.Settings;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static lavaflow.TestingAllInOne.named;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/** Controllers over HTTP, beside a server that runs none for workloads. */
@Timeout(600)
class ControllersRoleTest {
    private static final KubeApi.Kind DEPLOYMENTS = new KubeApi.Kind("apps", "v1", "deployments", true);
    private static final KubeApi.Kind LEASES = new KubeApi.Kind("coordination.k8s.io", "v1", "leases", true);
    private static final String LEASE = "kube-controller-manager";

    private Path directory;
    private TestingAllInOne testing;
    private final List<Running> running = new ArrayList<>();

    /** A role on a thread of its own, which is interrupted to end it. */
    private static final class Running {
        private final BlockingQueue<Boolean> lost = new LinkedBlockingQueue<>();
        private final ControllersRole role;
        private final Thread thread;

        Running(ControllersRole role) {
            this.role = role;
            this.thread = Thread.ofVirtual().start(() -> {
                try (role) {
                    lost.add(role.run());
                } catch (InterruptedException _) {
                    Thread.currentThread().interrupt();
                }
            });
        }

        void end() throws InterruptedException {
            thread.interrupt();
            thread.join();
        }
    }

    @BeforeEach
    void start(@TempDir Path temporary) throws Exception {
        directory = temporary;
        testing = new TestingAllInOne(temporary.resolve("data"), false);
    }

    @AfterEach
    void stop() throws Exception {
        for (Running each : running) {
            each.end();
        }
        testing.close();
    }

    private ControllersRole connect(String controllers, boolean elect) throws Exception {
        return connect(controllers, false, elect);
    }

    private ControllersRole connect(String controllers, boolean accounts, boolean elect) throws Exception {
        return ControllersRole.connect(new ControllersRole.Options(
                Settings.of(testing.home.kubeconfig(), "test/0"),
                ControllerSelection.parse(controllers),
                new RemoteAccess.Material(null, null, null, null),
                null,
                accounts,
                elect,
                TestingAllInOne.loopback(0),
                lavaflow.training.Settings.USUAL));
    }

    private Running run(String controllers, boolean elect) throws Exception {
        Running begun = new Running(connect(controllers, elect));
        running.add(begun);
        return begun;
    }

    private static ObjectNode deployment(String name) {
        ObjectNode deployment = named(name);
        deployment.set("spec", Json.parse("""
                {"replicas":2,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},
                 "spec":{"containers":[{"name":"c","image":"i"}]}}}"""));
        return deployment;
    }

    private static boolean hasReplicas(Optional<ObjectNode> deployment, long count) {
        return Json.longAt(deployment.orElseThrow(), 0, "status", "replicas") == count;
    }

    @Test
    void controllersWorkThroughTheServerTheyWereGiven() throws Exception {
        Running role = run("deployment-controller,replicaset-controller", false);
        testing.api.create(DEPLOYMENTS, "default", deployment("web"));
        testing.await(DEPLOYMENTS, "default", "web", found -> hasReplicas(found, 2));

        HttpResponse<String> metrics = get(role, "/metrics");
        assertThat(metrics.body())
                .contains("workqueue_depth{name=\"deployment\"} ")
                .contains("workqueue_work_duration_seconds_count{name=\"replicaset\"} ")
                .contains("leader_election_master_status{name=\"kube-controller-manager\"} 0\n")
                .doesNotContain("name=\"job\"");
        assertThat(get(role, "/readyz").body()).isEqualTo("ok");
        assertThat(get(role, "/nothing").statusCode()).isEqualTo(404);
    }

    @Test
    void eachControllerMayWriteAsItsOwnAccount() throws Exception {
        KubeApi.Kind roles = new KubeApi.Kind("rbac.authorization.k8s.io", "v1", "clusterroles", false);
        ObjectNode role = testing.api
                .find(roles, "", "system:controller:replicaset-controller")
                .orElseThrow();
        ObjectNode lesser = role.deepCopy();
        Json.listAt(lesser, "rules").forEach(rule -> {
            if (Json.listAt(rule, "resources").toString().contains("\"pods\"")) {
                ((ObjectNode) rule).putArray("verbs").add("list");
            }
        });
        testing.api.update(roles, "", lesser);
        running.add(new Running(connect("deployment-controller,replicaset-controller", true, false)));
        testing.api.create(DEPLOYMENTS, "default", deployment("web"));
        testing.await(
                DEPLOYMENTS,
                "default",
                "web",
                found -> String.valueOf(found.orElseThrow())
                        .contains(
                                "pods is forbidden: User \\\"system:serviceaccount:kube-system:replicaset-controller\\\""
                                        + " cannot create resource \\\"pods\\\""));

        ObjectNode patch = Json.object();
        patch.set("rules", Json.at(role, "rules"));
        testing.api.patch(roles, "", "system:controller:replicaset-controller", "", KubeApi.Merge.PLAIN, patch);
        testing.await(DEPLOYMENTS, "default", "web", found -> hasReplicas(found, 2));
    }

    private static HttpResponse<String> get(Running role, String path) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            URI uri = URI.create("http://127.0.0.1:" + role.role.metricsPort() + path);
            return client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
        }
    }

    @Test
    void oneOfManyWorksAndGivesTheLeaseBackWhenItEnds() throws Exception {
        Running first = run("deployment-controller", true);
        awaitLeading(first);
        String holder = holder();
        Running second = run("deployment-controller", true);
        first.end();
        testing.await(
                LEASES,
                "kube-system",
                LEASE,
                lease -> !Json.textAt(lease.orElseThrow(), "spec", "holderIdentity")
                                .isEmpty()
                        && !holder().equals(holder));

        assertThat(Json.longAt(
                        testing.api.find(LEASES, "kube-system", LEASE).orElseThrow(), 0, "spec", "leaseTransitions"))
                .isEqualTo(1);
        assertThat(first.lost.poll(3, TimeUnit.MINUTES)).isFalse();
        assertThat(second.lost).isEmpty();
    }

    /** The lease is there before who made it knows. */
    private static void awaitLeading(Running role) {
        await().atMost(Duration.ofMinutes(3))
                .until(() -> get(role, "/metrics")
                        .body()
                        .contains("leader_election_master_status{name=\"" + LEASE + "\"} 1\n"));
    }

    private String holder() {
        return Json.textAt(testing.api.find(LEASES, "kube-system", LEASE).orElseThrow(), "spec", "holderIdentity");
    }

    @Test
    void aLeaderWhoseServerIsGoneStops() throws Exception {
        Running first = run("deployment-controller", true);
        awaitLeading(first);
        testing.cluster.close();

        assertThat(first.lost.poll(3, TimeUnit.MINUTES))
                .as("somebody else may lead")
                .isTrue();
        testing.cluster = TestingAllInOne.start(testing.home);
    }

    @Test
    void controllersWithoutWhatTheyNeedAreLeftOut() throws Exception {
        try (ControllersRole role = connect("*,nobody-controller", false)) {
            assertThat(role.unknownControllers()).containsExactly("nobody-controller");
            assertThat(role.withoutMaterial())
                    .containsExactlyInAnyOrder(
                            "certificatesigningrequest-signing-controller",
                            "serviceaccount-token-controller",
                            "validatingadmissionpolicy-status-controller");
        }
    }

    @Test
    void theRootCertificateIsTheKubeconfigsUnlessAnotherIsGiven() throws Exception {
        KubeApi api = testing.api;
        KubeApi.Kind maps = TestingAllInOne.MAPS;
        testing.awaitThere(maps, "default", "kube-root-ca.crt");
        String published =
                Json.textAt(api.find(maps, "default", "kube-root-ca.crt").orElseThrow(), "data", "ca.crt");
        CoreControllers.Access access;
        try (RemoteKubeApi remote = new RemoteKubeApi(Settings.of(testing.home.kubeconfig(), "test/0"))) {
            access = RemoteAccess.of(remote, new RemoteAccess.Material(null, null, null, null), InstantSource.system());
            Path other = Files.writeString(directory.resolve("other.crt"), "other");
            CoreControllers.Access given =
                    RemoteAccess.of(remote, new RemoteAccess.Material(null, other, null, null), InstantSource.system());
            assertThat(given.rootCertificate()).isEqualTo("other");
        }

        assertThat(access.rootCertificate()).isEqualTo(published);
    }

    @Test
    void materialMayBeOfAnyKindThatOpenSslWrites() throws Exception {
        CertificateAuthority authority = CertificateAuthority.create("test", Instant.now());
        Path certificate = Files.writeString(
                directory.resolve("ca.crt"), authority.identity().certificatePem());
        Path newer = Files.writeString(
                directory.resolve("new.key"), authority.identity().keyPem());
        Path older = Files.writeString(
                directory.resolve("old.key"), authority.identity().ellipticKeyPem());
        Path tokens = Files.writeString(directory.resolve("tokens.key"), TokenKeys.newSigningKey());
        try (RemoteKubeApi remote = new RemoteKubeApi(Settings.of(testing.home.kubeconfig(), "test/0"))) {
            for (Path key : List.of(newer, older)) {
                CoreControllers.Access access = RemoteAccess.of(
                        remote, new RemoteAccess.Material(tokens, null, certificate, key), InstantSource.system());
                assertThat(access.signer()).isNotNull();
                assertThat(access.tokens().issueLegacy("ns", new AccountTokens.Reference("a", "u"), "s"))
                        .isNotEmpty();
            }
        }
    }

    @Test
    void whoMayDoWhatIsAskedOfTheServer() throws Exception {
        try (RemoteKubeApi remote = new RemoteKubeApi(Settings.of(testing.home.kubeconfig(), "test/0"))) {
            Authorizer authorizer = RemoteAccess.of(
                            remote, new RemoteAccess.Material(null, null, null, null), InstantSource.system())
                    .authorizer();
            Attributes attributes = Attributes.ofResource(
                    "create", "certificates.k8s.io", "v1", "certificatesigningrequests", "nodeclient", "", "");

            assertThat(authorizer
                            .decide(new User("root", List.of("system:masters")), attributes)
                            .allowed())
                    .isTrue();
            assertThat(authorizer
                            .decide(new User("jane", List.of()), attributes)
                            .allowed())
                    .isFalse();
        }
    }

    @Test
    void aKubeconfigThatIsNotThereIsToldAtOnce() {
        ControllersRole.Options options = new ControllersRole.Options(
                Settings.of(directory.resolve("nope"), "test/0"),
                ControllerSelection.parse("*"),
                new RemoteAccess.Material(null, null, null, null),
                null,
                false,
                false,
                null,
                lavaflow.training.Settings.USUAL);

        assertThatThrownBy(() -> ControllersRole.connect(options)).hasMessageStartingWith("cannot read the kubeconfig");
    }
}
