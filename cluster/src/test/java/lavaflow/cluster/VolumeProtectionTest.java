package lavaflow.cluster;

import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static lavaflow.cluster.TestingCluster.ATTRIBUTES;
import static lavaflow.cluster.TestingCluster.CLAIMS;
import static lavaflow.cluster.TestingCluster.PODS;
import static lavaflow.cluster.TestingCluster.VOLUMES;
import static lavaflow.cluster.TestingCluster.named;
import static lavaflow.cluster.TestingCluster.withFinalizers;
import static org.assertj.core.api.Assertions.assertThat;

class VolumeProtectionTest {
    private final TestingCluster cluster = new TestingCluster();
    private final TestingKubeApi api = cluster.api;

    @BeforeEach
    void start() {
        cluster.run(new VolumeProtection(api, cluster.followers, cluster.nanoTime()).controller());
        cluster.namespace("team");
        api.create(CLAIMS, "team", withFinalizers(named("data"), "kubernetes.io/pvc-protection"));
        cluster.settle();
    }

    private void pod(String name, String node) {
        ObjectNode pod = named(name);
        ObjectNode spec = pod.putObject("spec").put("nodeName", node);
        spec.putArray("volumes")
                .addObject()
                .put("name", "v")
                .putObject("persistentVolumeClaim")
                .put("claimName", "data");
        api.create(PODS, "team", pod);
    }

    private void deleteClaim() {
        cluster.delete(CLAIMS, "team", "data", "Background");
        cluster.settle();
    }

    private boolean hasClaim() {
        return api.has(CLAIMS, "team", "data");
    }

    @Test
    void anUnusedClaimGoesAtOnce() {
        deleteClaim();

        assertThat(hasClaim()).isFalse();
    }

    @Test
    void aClaimGoesWhenItsLastPodIsGone() {
        pod("a", "node");
        pod("b", "node");
        deleteClaim();
        assertThat(hasClaim()).isTrue();

        api.delete(PODS, "team", "a", lavaflow.controller.KubeApi.Deletion.PLAIN);
        api.finishPod("team", "a");
        cluster.settle();
        assertThat(hasClaim()).isTrue();

        api.delete(PODS, "team", "b", lavaflow.controller.KubeApi.Deletion.PLAIN);
        api.finishPod("team", "b");
        cluster.settle();
        assertThat(hasClaim()).isFalse();
    }

    @Test
    void aPodThatEndedStillUsesItsClaim() {
        pod("a", "node");
        api.edit(PODS, "team", "a", pod -> {
            pod.putObject("status").put("phase", "Succeeded");
            return pod;
        });
        deleteClaim();

        assertThat(hasClaim()).isTrue();
    }

    @Test
    void aPodWithoutANodeDoesNot() {
        pod("a", "");
        deleteClaim();

        assertThat(hasClaim()).isFalse();
    }

    @Test
    void otherFinalizersOfAClaimStay() {
        api.create(CLAIMS, "team", withFinalizers(named("more"), "kubernetes.io/pvc-protection", "example.com/mine"));
        cluster.delete(CLAIMS, "team", "more", "Background");
        cluster.settle();

        assertThat(Objects.finalizers(api.get(CLAIMS, "team", "more"))).containsExactly("example.com/mine");
    }

    @Test
    void aVolumeGoesWhenItIsNotBoundAnyMore() {
        ObjectNode volume = withFinalizers(named("volume"), "kubernetes.io/pv-protection");
        volume.putObject("status").put("phase", "Bound");
        api.create(VOLUMES, "", volume);
        cluster.delete(VOLUMES, "", "volume", "Background");
        cluster.settle();
        assertThat(api.has(VOLUMES, "", "volume")).isTrue();

        ObjectNode released = api.get(VOLUMES, "", "volume");
        Json.ensureObject(released, "status").put("phase", "Released");
        api.update(VOLUMES, "status", released);
        cluster.settle();
        assertThat(api.has(VOLUMES, "", "volume")).isFalse();
    }

    @Test
    void anAttributeClassGoesWhenNoClaimNamesIt() {
        api.edit(CLAIMS, "team", "data", claim -> {
            claim.putObject("spec").put("volumeAttributesClassName", "fast");
            return claim;
        });
        api.create(ATTRIBUTES, "", withFinalizers(named("fast"), "kubernetes.io/vac-protection"));
        cluster.delete(ATTRIBUTES, "", "fast", "Background");
        cluster.settle();
        assertThat(api.has(ATTRIBUTES, "", "fast")).isTrue();

        deleteClaim();
        assertThat(api.has(ATTRIBUTES, "", "fast")).isFalse();
    }

    @Test
    void podsCostNothingWhileNothingWaits() {
        pod("a", "node");
        api.takeWrites();
        cluster.settle();

        assertThat(api.requestCount()).isZero();
    }
}
