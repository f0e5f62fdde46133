package lavaflow;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;
import lavaflow.remote.Settings;
import lavaflow.scheduler.GangSettings;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static lavaflow.TestingAllInOne.named;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The scheduler over HTTP, beside a server that has none. */
@Timeout(600)
class SchedulerRoleTest {
    private static final KubeApi.Kind PODS = KubeApi.Kind.core("pods");
    private static final KubeApi.Kind NODES = KubeApi.Kind.clusterWide("nodes");
    private static final KubeApi.Kind GROUPS = new KubeApi.Kind("scheduling.volcano.sh", "v1beta1", "podgroups", true);

    private static final KubeApi.Kind QUEUES = new KubeApi.Kind("scheduling.volcano.sh", "v1beta1", "queues", false);

    private TestingAllInOne testing;
    private @Nullable Thread thread;
    private int metrics;

    @BeforeEach
    void start(@TempDir Path temporary) throws Exception {
        testing = new TestingAllInOne(temporary.resolve("data"), false);
    }

    @AfterEach
    void stop() throws Exception {
        Thread running = thread;
        if (running != null) {
            running.interrupt();
            running.join();
        }
        testing.close();
    }

    private void run(boolean plain) throws Exception {
        SchedulerRole role = SchedulerRole.connect(new SchedulerRole.Options(
                Settings.of(testing.home.kubeconfig(), "test/0"),
                new SchedulerOptions(null, GangSettings.USUAL_NAMES, plain, null),
                true,
                false,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)));
        metrics = role.metricsPort();
        thread = Thread.ofVirtual().start(() -> {
            try (role) {
                role.run();
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private void node(String name) {
        ObjectNode node = named(name);
        node.set("status", Json.parse("{\"allocatable\":{\"cpu\":\"2\",\"memory\":\"2Gi\",\"pods\":\"10\"}}"));
        testing.api.create(NODES, "", node);
    }

    private static ObjectNode pod(String name, String scheduler, String group) {
        ObjectNode pod = named(name);
        Json.ensureObject(pod, "metadata").putObject("annotations").put("scheduling.k8s.io/group-name", group);
        pod.set("spec", Json.parse("""
                {"schedulerName":"%s","tolerations":[{"operator":"Exists"}],"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"1"}}}]}
                """.formatted(scheduler)));
        return pod;
    }

    private void gang(String name, int pods) {
        ObjectNode group =
                named(name).put("apiVersion", "scheduling.volcano.sh/v1beta1").put("kind", "PodGroup");
        group.putObject("spec").put("minMember", (long) pods);
        testing.api.create(GROUPS, "default", group);
        for (int i = 0; i < pods; i++) {
            testing.api.create(PODS, "default", pod(name + "-" + i, "volcano", name));
        }
    }

    private void awaitKinds() throws InterruptedException {
        testing.await(
                new KubeApi.Kind("apiextensions.k8s.io", "v1", "customresourcedefinitions", false),
                "",
                "queues.scheduling.volcano.sh",
                found -> testing.api.kinds().contains(QUEUES)
                        && testing.api.kinds().contains(GROUPS));
        testing.awaitThere(QUEUES, "", "default");
    }

    private String nodeOf(String pod) {
        return testing.api
                .find(PODS, "default", pod)
                .map(found -> Json.textAt(found, "spec", "nodeName"))
                .orElse("");
    }

    @Test
    void gangsGetTheirNodesAndPodsOfTheDefaultSchedulerAreLeftAlone() throws Exception {
        node("n1");
        testing.awaitThere(TestingAllInOne.ACCOUNTS, "default", "default");
        run(false);
        awaitKinds();
        testing.api.create(PODS, "default", pod("single", "default-scheduler", ""));
        gang("large", 3);
        gang("small", 2);

        testing.await(
                PODS,
                "default",
                "small-1",
                found -> !nodeOf("small-0").isEmpty() && !nodeOf("small-1").isEmpty());

        assertThat(List.of(nodeOf("single"), nodeOf("large-0"), nodeOf("large-1"), nodeOf("large-2")))
                .containsOnly("");
        // They are counted after they were placed.
        await().atMost(Duration.ofMinutes(3))
                .untilAsserted(() -> assertThat(measured())
                        .contains("volcano_schedule_attempts_total{result=\"scheduled\"} 2\n")
                        .contains("volcano_unschedule_job_count 1\n")
                        .contains("volcano_queue_allocated_milli_cpu{queue_name=\"default\"} 2000\n")
                        .contains("leader_election_master_status"));
    }

    private String measured() throws IOException {
        URI place =
                URI.create("http://" + InetAddress.getLoopbackAddress().getHostAddress() + ":" + metrics + "/metrics");
        try (InputStream in = place.toURL().openStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void itPlacesPodsOfTheDefaultSchedulerWhereItIsToldTo() throws Exception {
        node("n1");
        testing.awaitThere(TestingAllInOne.ACCOUNTS, "default", "default");
        run(true);
        testing.api.create(PODS, "default", pod("single", "default-scheduler", ""));

        testing.await(PODS, "default", "single", _ -> nodeOf("single").equals("n1"));
    }
}
