package lavaflow.e2e;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfigBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/** The Java client that Lavaflow's own controllers use on other clusters. It tries WebSockets before it streams. */
@Tag("clients")
final class Fabric8Test {
    private static final Servers SERVERS = Servers.withWorkloads();
    private static final AtomicInteger COUNT = new AtomicInteger();
    private static KubernetesClient client;

    private String namespace;

    @BeforeAll
    static void connect() throws IOException {
        String kubeconfig = Files.readString(SERVERS.lava().kubeconfig());
        client = new KubernetesClientBuilder()
                .withConfig(Config.fromKubeconfig(kubeconfig))
                .build();
    }

    @AfterAll
    static void disconnect() {
        client.close();
        SERVERS.close();
    }

    @BeforeEach
    void makeNamespace() {
        namespace = "fabric8-" + System.currentTimeMillis() + "-" + COUNT.incrementAndGet();
        client.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(namespace)
                        .endMetadata()
                        .build())
                .create();
    }

    @AfterEach
    void deleteNamespace() {
        client.namespaces().withName(namespace).delete();
    }

    private static ConfigMap configMap(String name, Map<String, String> data) {
        return new ConfigMapBuilder()
                .withNewMetadata()
                .withName(name)
                .addToLabels("judged", "yes")
                .endMetadata()
                .withData(data)
                .build();
    }

    private static Deployment deployment(String name) {
        return new DeploymentBuilder()
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .withNewSpec()
                .withReplicas(2)
                .withNewSelector()
                .addToMatchLabels("app", name)
                .endSelector()
                .withNewTemplate()
                .withNewMetadata()
                .addToLabels("app", name)
                .endMetadata()
                .withNewSpec()
                .addNewContainer()
                .withName("main")
                .withImage("nginx:1")
                .endContainer()
                .endSpec()
                .endTemplate()
                .endSpec()
                .build();
    }

    private static final class Heard implements ResourceEventHandler<ConfigMap> {
        private final List<String> events = new CopyOnWriteArrayList<>();

        private void note(String what, ConfigMap map) {
            if (!map.getMetadata().getName().equals("kube-root-ca.crt")) {
                events.add(what + " " + map.getMetadata().getName());
            }
        }

        @Override
        public void onAdd(ConfigMap map) {
            note("add", map);
        }

        @Override
        public void onUpdate(ConfigMap old, ConfigMap map) {
            note("update", map);
        }

        @Override
        public void onDelete(ConfigMap map, boolean finalStateUnknown) {
            note("delete", map);
        }
    }

    @Test
    void informersFollow() {
        Heard heard = new Heard();
        client.configMaps()
                .inNamespace(namespace)
                .resource(configMap("a", Map.of()))
                .create();
        try (SharedIndexInformer<ConfigMap> informer =
                client.configMaps().inNamespace(namespace).inform(heard)) {
            await().atMost(Duration.ofMinutes(1)).until(informer::hasSynced);
            client.configMaps()
                    .inNamespace(namespace)
                    .resource(configMap("b", Map.of()))
                    .create();
            client.configMaps()
                    .inNamespace(namespace)
                    .withName("b")
                    .edit(map -> new ConfigMapBuilder(map).addToData("k", "v").build());
            client.configMaps().inNamespace(namespace).withName("b").delete();

            await().atMost(Duration.ofMinutes(1))
                    .untilAsserted(
                            () -> assertThat(heard.events).containsExactly("add a", "add b", "update b", "delete b"));
            assertThat(informer.getIndexer().getByKey(namespace + "/a")).isNotNull();
        }
    }

    @Test
    void watchesTellWhatHappens() {
        List<String> events = new CopyOnWriteArrayList<>();
        Watcher<ConfigMap> watcher = new Watcher<>() {
            @Override
            public void eventReceived(Action action, ConfigMap map) {
                events.add(action + " " + map.getMetadata().getName());
            }

            @Override
            public void onClose(WatcherException cause) {
                events.add("closed by " + cause);
            }
        };
        try (Watch watch = client.configMaps()
                .inNamespace(namespace)
                .withLabel("judged", "yes")
                .watch(watcher)) {
            assertThat(watch).isNotNull();
            client.configMaps()
                    .inNamespace(namespace)
                    .resource(configMap("seen", Map.of()))
                    .create();
            client.configMaps().inNamespace(namespace).withName("seen").delete();

            await().atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThat(events).containsExactly("ADDED seen", "DELETED seen"));
        }
    }

    @Test
    void waitsForConditions() {
        client.apps()
                .deployments()
                .inNamespace(namespace)
                .resource(deployment("web"))
                .create();
        CompletableFuture<Deployment> awaited = client.apps()
                .deployments()
                .inNamespace(namespace)
                .withName("web")
                .informOnCondition(
                        found -> found.stream().anyMatch(each -> each.getSpec().getReplicas() == 4))
                .thenApply(List::getFirst);

        client.apps().deployments().inNamespace(namespace).withName("web").scale(4);

        await().atMost(Duration.ofMinutes(1)).until(awaited::isDone);
        assertThat(awaited.join().getSpec().getReplicas()).isEqualTo(4);
    }

    @Test
    void patchesInAllWays() {
        client.apps()
                .deployments()
                .inNamespace(namespace)
                .resource(deployment("web"))
                .create();
        var web = client.apps().deployments().inNamespace(namespace).withName("web");

        web.patch(PatchContext.of(PatchType.JSON_MERGE), "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}");
        web.patch(PatchContext.of(PatchType.JSON), "[{\"op\":\"replace\",\"path\":\"/spec/replicas\",\"value\":5}]");
        web.patch(
                PatchContext.of(PatchType.STRATEGIC_MERGE),
                "{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"side\",\"image\":\"busybox:1\"}]}}}}");

        Deployment live = web.get();
        assertThat(live.getMetadata().getLabels()).containsEntry("a", "b");
        assertThat(live.getSpec().getReplicas()).isEqualTo(5);
        assertThat(live.getSpec().getTemplate().getSpec().getContainers()).hasSize(2);
    }

    @Test
    void appliesOnTheServersSide() {
        ConfigMap red = configMap("applied", Map.of("colour", "red"));
        client.configMaps()
                .inNamespace(namespace)
                .resource(red)
                .fieldManager("one")
                .serverSideApply();
        ConfigMap blue = configMap("applied", Map.of("colour", "blue"));

        assertThatThrownBy(() -> client.configMaps()
                        .inNamespace(namespace)
                        .resource(blue)
                        .fieldManager("two")
                        .serverSideApply())
                .isInstanceOf(KubernetesClientException.class)
                .hasMessageContaining("conflict");
        ConfigMap forced = client.configMaps()
                .inNamespace(namespace)
                .resource(blue)
                .fieldManager("two")
                .forceConflicts()
                .serverSideApply();
        assertThat(forced.getData()).containsEntry("colour", "blue");
    }

    @Test
    void refusalsAreStatuses() {
        assertThatThrownBy(() -> client.configMaps()
                        .inNamespace(namespace)
                        .resource(configMap("Bad_Name", Map.of()))
                        .create())
                .isInstanceOfSatisfying(KubernetesClientException.class, refusal -> {
                    assertThat(refusal.getCode()).isEqualTo(422);
                    assertThat(refusal.getStatus()
                                    .getDetails()
                                    .getCauses()
                                    .getFirst()
                                    .getField())
                            .isEqualTo("metadata.name");
                });
        assertThat(client.configMaps().inNamespace(namespace).withName("none").get())
                .isNull();
    }

    @Test
    void podsWithoutANodeHaveNoLog() {
        Pod pod = new PodBuilder()
                .withNewMetadata()
                .withName("solo")
                .endMetadata()
                .withNewSpec()
                .addNewContainer()
                .withName("main")
                .withImage("nginx")
                .endContainer()
                .endSpec()
                .build();
        await().atMost(Duration.ofMinutes(1))
                .ignoreExceptions()
                .until(() -> client.pods().inNamespace(namespace).resource(pod).create() != null);
        assertThat(client.pods().inNamespace(namespace).withName("solo").getLog())
                .isEmpty();
        assertThat(client.pods()
                        .inNamespace(namespace)
                        .withName("solo")
                        .withGracePeriod(0)
                        .delete())
                .hasSize(1);
    }

    @Test
    void electsALeader() {
        CompletableFuture<String> leader = new CompletableFuture<>();
        CompletableFuture<?> election = client.leaderElector()
                .withConfig(new LeaderElectionConfigBuilder()
                        .withName("judge")
                        .withLock(new LeaseLock(namespace, "leader", "one"))
                        .withLeaseDuration(Duration.ofSeconds(5))
                        .withRenewDeadline(Duration.ofSeconds(4))
                        .withRetryPeriod(Duration.ofSeconds(1))
                        .withReleaseOnCancel(true)
                        .withLeaderCallbacks(new LeaderCallbacks(() -> {}, () -> {}, leader::complete))
                        .build())
                .build()
                .start();

        await().atMost(Duration.ofMinutes(1)).until(leader::isDone);
        assertThat(leader.join()).isEqualTo("one");
        assertThat(client.leases()
                        .inNamespace(namespace)
                        .withName("leader")
                        .get()
                        .getSpec()
                        .getHolderIdentity())
                .isEqualTo("one");
        election.cancel(true);
    }
}
