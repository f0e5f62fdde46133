package lavaflow.cluster;

import java.time.Duration;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static lavaflow.cluster.TestingCluster.CLAIMS;
import static lavaflow.cluster.TestingCluster.PODS;
import static lavaflow.cluster.TestingCluster.named;
import static org.assertj.core.api.Assertions.assertThat;

/** Claims that come and go with their pod. */
class EphemeralVolumesTest {
    private final TestingVolumes volumes = new TestingVolumes();

    @BeforeEach
    void start() {
        TestingCluster cluster = volumes.cluster;
        cluster.run(
                new EphemeralVolumes(volumes.api, cluster.followers, cluster.clock(), cluster.nanoTime()).controller());
        cluster.run(new GarbageCollector(volumes.api, cluster.followers, cluster.nanoTime()).controller());
    }

    private ObjectNode pod(String name) {
        ObjectNode pod = named(name);
        ObjectNode volume =
                Json.ensureObject(pod, "spec").putArray("volumes").addObject().put("name", "scratch");
        ObjectNode template = Json.ensureObject(volume, "ephemeral", "volumeClaimTemplate");
        Json.ensureObject(template, "metadata", "labels").put("tier", "fast");
        Json.ensureObject(template, "metadata", "annotations").put("why", "speed");
        ObjectNode spec = template.putObject("spec");
        spec.putArray("accessModes").add("ReadWriteOnce");
        Json.ensureObject(spec, "resources", "requests").put("storage", "1Gi");
        ObjectNode created = volumes.api.create(PODS, "team", pod);
        volumes.cluster.settle();
        return created;
    }

    @Test
    void theClaimIsMadeFromTheTemplateAndOwnedByThePod() {
        ObjectNode pod = pod("p");
        ObjectNode claim = volumes.claim("p-scratch");
        assertThat(claim.at("/metadata/labels")).isEqualTo(Json.parse("{\"tier\":\"fast\"}"));
        assertThat(claim.at("/metadata/annotations/why").asText()).isEqualTo("speed");
        assertThat(claim.at("/spec")).isEqualTo(pod.at("/spec/volumes/0/ephemeral/volumeClaimTemplate/spec"));
        assertThat(claim.at("/metadata/ownerReferences"))
                .isEqualTo(Json.array()
                        .add(Json.object()
                                .put("apiVersion", "v1")
                                .put("kind", "Pod")
                                .put("name", "p")
                                .put("uid", Objects.uid(pod))
                                .put("controller", true)
                                .put("blockOwnerDeletion", true)));
    }

    @Test
    void theClaimGoesWithThePodAndComesBackWithoutIt() {
        pod("p");
        String first = Objects.uid(volumes.claim("p-scratch"));
        volumes.delete(CLAIMS, "team", "p-scratch");
        assertThat(Objects.uid(volumes.claim("p-scratch"))).isNotEqualTo(first);

        volumes.delete(PODS, "team", "p");
        assertThat(volumes.api.find(CLAIMS, "team", "p-scratch")).isEmpty();
    }

    @Test
    void aClaimOfSomebodyElseIsNotUsedAndMakesRoomWhenItGoes() {
        volumes.claim("p-scratch", "5Gi");
        pod("p");
        volumes.cluster.pass(Duration.ofMinutes(10));
        assertThat(volumes.messages("team"))
                .contains("FailedBinding: ephemeral volume scratch: PVC team/p-scratch was not created for pod team/p"
                        + " (pod is not owner)");
        assertThat(volumes.claim("p-scratch")
                        .at("/spec/resources/requests/storage")
                        .asText())
                .isEqualTo("5Gi");

        volumes.delete(CLAIMS, "team", "p-scratch");
        assertThat(volumes.claim("p-scratch")
                        .at("/spec/resources/requests/storage")
                        .asText())
                .isEqualTo("1Gi");
    }

    @Test
    void podsThatGoGetNoClaims() {
        ObjectNode pod = named("p");
        TestingCluster.withFinalizers(pod, "example.com/hold");
        Json.ensureObject(pod, "spec")
                .putArray("volumes")
                .addObject()
                .put("name", "scratch")
                .set("ephemeral", Json.object());
        volumes.api.create(PODS, "team", pod);
        volumes.api.delete(PODS, "team", "p", KubeApi.Deletion.PLAIN);
        volumes.cluster.settle();
        assertThat(volumes.api.find(CLAIMS, "team", "p-scratch")).isEmpty();
    }
}
