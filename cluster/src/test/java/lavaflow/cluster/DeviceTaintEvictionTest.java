package lavaflow.cluster;

import java.time.Duration;

import lavaflow.controller.KubeApi;
import lavaflow.kube.GoTime;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static lavaflow.cluster.TestingCluster.DEVICE_CLAIMS;
import static lavaflow.cluster.TestingCluster.DEVICE_SLICES;
import static lavaflow.cluster.TestingCluster.PODS;
import static lavaflow.cluster.TestingCluster.named;
import static lavaflow.cluster.TestingNodes.toleration;
import static org.assertj.core.api.Assertions.assertThat;

/** When pods have to leave their devices. */
class DeviceTaintEvictionTest {
    private final TestingCluster cluster = new TestingCluster();

    @BeforeEach
    void start() {
        cluster.run(new DeviceTaintEviction(cluster.api, cluster.followers, cluster.clock(), cluster.nanoTime())
                .controller());
        cluster.namespace("team");
        slice("s", 1, "");
    }

    /** One with device {@code gpu}, tainted if a key is given. */
    private void slice(String name, int generation, String key) {
        taint(name, generation, key, "NoExecute");
    }

    private void taint(String name, int generation, String key, String effect) {
        ObjectNode slice = named(name);
        ObjectNode spec = slice.putObject("spec").put("driver", "d");
        spec.putObject("pool").put("name", "p").put("generation", generation);
        ObjectNode device = spec.putArray("devices").addObject().put("name", "gpu");
        if (!key.isEmpty()) {
            device.putArray("taints")
                    .addObject()
                    .put("key", key)
                    .put("effect", effect)
                    .put("timeAdded", GoTime.seconds(cluster.clock().instant()));
        }
        if (cluster.api.has(DEVICE_SLICES, "", name)) {
            cluster.api.edit(DEVICE_SLICES, "", name, present -> {
                present.set("spec", spec);
                return present;
            });
        } else {
            cluster.api.create(DEVICE_SLICES, "", slice);
        }
        cluster.settle();
    }

    /** A pod on a node and its claim, which has the device. */
    private void user(String name, String node, String... tolerations) {
        ObjectNode pod = named(name);
        ObjectNode spec = pod.putObject("spec").put("nodeName", node);
        spec.putArray("resourceClaims").addObject().put("name", "gpu").put("resourceClaimName", name);
        ObjectNode made = cluster.api.create(PODS, "team", pod);
        ObjectNode claim = named(name);
        ObjectNode result = Json.ensureObject(claim, "status", "allocation", "devices")
                .withArray("results")
                .addObject()
                .put("driver", "d")
                .put("pool", "p")
                .put("device", "gpu");
        for (String toleration : tolerations) {
            result.withArray("tolerations").add(Json.parse(toleration));
        }
        Json.ensureObject(claim, "status")
                .withArray("reservedFor")
                .addObject()
                .put("resource", "pods")
                .put("name", name)
                .put("uid", Objects.uid(made));
        cluster.api.create(DEVICE_CLAIMS, "team", claim);
        cluster.settle();
    }

    private boolean isGone(String pod) {
        return !cluster.api.has(PODS, "team", pod) || Objects.isDeleting(cluster.api.get(PODS, "team", pod));
    }

    @Test
    void podsLeaveATaintedDeviceAsTheirClaimsTolerateIt() {
        user("none", "n");
        user("briefly", "n", toleration("sick", 60));
        user("ever", "n", "{\"key\":\"sick\",\"operator\":\"Exists\",\"effect\":\"NoExecute\"}");
        user("other", "n", "{\"key\":\"old\",\"operator\":\"Exists\"}");
        slice("s", 1, "sick");

        assertThat(isGone("none")).isTrue();
        assertThat(isGone("other")).isTrue();
        assertThat(isGone("briefly")).isFalse();
        assertThat(cluster.messages("team"))
                .containsExactly(
                        "DeviceTaintManagerEviction: Marking for deletion",
                        "DeviceTaintManagerEviction: Marking for deletion");

        cluster.pass(Duration.ofSeconds(61));
        assertThat(isGone("briefly")).isTrue();
        assertThat(isGone("ever")).isFalse();
    }

    @Test
    void aPodThatGoesIsToldWhy() {
        user("none", "n");
        cluster.api.edit(PODS, "team", "none", pod -> TestingCluster.withFinalizers(pod, "stay"));
        slice("s", 1, "sick");

        ObjectNode condition = PodConditions.find(cluster.api.get(PODS, "team", "none"), "DisruptionTarget");
        assertThat(Json.textAt(condition, "reason")).isEqualTo("DeletionByDeviceTaintManager");
        assertThat(Json.textAt(condition, "message"))
                .isEqualTo("Device Taint manager: deleting due to NoExecute taint");
    }

    @Test
    void aTaintThatGoesInTimeSparesThePod() {
        user("briefly", "n", toleration("sick", 60));
        slice("s", 1, "sick");
        cluster.pass(Duration.ofSeconds(30));
        slice("s", 1, "");
        cluster.pass(Duration.ofSeconds(60));

        assertThat(isGone("briefly")).isFalse();
        assertThat(cluster.messages("team")).containsExactly("DeviceTaintManagerEviction: Cancelling deletion");
    }

    @Test
    void theTimeCountsFromWhenTheTaintCame() {
        slice("s", 1, "sick");
        cluster.pass(Duration.ofSeconds(61));
        user("late", "n", toleration("sick", 60));

        assertThat(isGone("late")).isTrue();
    }

    @Test
    void onlyTheNewestGenerationOfAPoolCounts() {
        user("none", "n");
        slice("t", 2, "");
        slice("s", 1, "sick");
        assertThat(isGone("none")).isFalse();

        cluster.api.delete(DEVICE_SLICES, "", "t", KubeApi.Deletion.PLAIN);
        cluster.settle();
        assertThat(isGone("none")).isTrue();
    }

    @Test
    void otherEffectsAndPodsWithoutANodeDoNotMatter() {
        user("placed", "n");
        taint("s", 1, "sick", "NoSchedule");
        assertThat(isGone("placed")).isFalse();

        user("waiting", "");
        slice("s", 1, "sick");
        assertThat(isGone("placed")).isTrue();
        assertThat(isGone("waiting")).isFalse();
    }

    @Test
    void whoOnlyNamesTheClaimIsLeftAlone() {
        user("owner", "n");
        ObjectNode pod = named("stranger");
        ObjectNode spec = pod.putObject("spec").put("nodeName", "n");
        spec.putArray("resourceClaims").addObject().put("name", "gpu").put("resourceClaimName", "owner");
        cluster.api.create(PODS, "team", pod);
        slice("s", 1, "sick");

        assertThat(isGone("owner")).isTrue();
        assertThat(isGone("stranger")).isFalse();
    }
}
