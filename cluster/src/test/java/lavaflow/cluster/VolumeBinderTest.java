package lavaflow.cluster;

import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static lavaflow.cluster.TestingCluster.CLAIMS;
import static lavaflow.cluster.TestingCluster.VOLUMES;
import static org.assertj.core.api.Assertions.assertThat;

class VolumeBinderTest {
    private static final String BOUND = "pv.kubernetes.io/bind-completed";
    private static final String BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller";

    private final TestingVolumes volumes = new TestingVolumes();

    private static void forClaim(ObjectNode volume, String name) {
        Json.ensureObject(volume, "spec", "claimRef").put("namespace", "team").put("name", name);
    }

    @Test
    void aVolumeIsAvailableUntilAClaimTakesItAndBothSaySo() {
        volumes.volume("v", "2Gi");
        assertThat(volumes.volumePhase("v")).isEqualTo("Available");

        volumes.claim("c", "1Gi");

        assertThat(volumes.of("c")).isEqualTo("v");
        assertThat(volumes.phase("c")).isEqualTo("Bound");
        assertThat(volumes.volumePhase("v")).isEqualTo("Bound");
        ObjectNode claim = volumes.claim("c");
        assertThat(claim.path("metadata").path("annotations"))
                .isEqualTo(Json.object().put(BY_CONTROLLER, "yes").put(BOUND, "yes"));
        assertThat(claim.path("status").path("capacity").path("storage").asText())
                .isEqualTo("2Gi");
        assertThat(claim.path("status").path("accessModes")).isEqualTo(Json.parse("[\"ReadWriteOnce\"]"));
        JsonNode reference = volumes.volume("v").path("spec").path("claimRef");
        assertThat(Json.textAt(reference, "kind")).isEqualTo("PersistentVolumeClaim");
        assertThat(Json.textAt(reference, "uid")).isEqualTo(Objects.uid(claim));
        assertThat(Json.textAt(volumes.volume("v"), "metadata", "annotations", BY_CONTROLLER))
                .isEqualTo("yes");
    }

    @Test
    void theSmallestVolumeThatFitsIsTaken() {
        volumes.volume("big", "10Gi");
        volumes.volume("fits", "2Gi");
        volumes.volume("tiny", "500Mi");
        volumes.claim("c", "1Gi");

        assertThat(volumes.of("c")).isEqualTo("fits");
    }

    @Test
    void aVolumeThatCanDoLessIsTakenBeforeOneThatCanDoMore() {
        volumes.volume(
                "both", "1Gi", volume -> ((ArrayNode) volume.path("spec").path("accessModes")).add("ReadOnlyMany"));
        volumes.volume("big", "10Gi");
        volumes.claim("c", "1Gi");

        assertThat(volumes.of("c")).isEqualTo("big");
    }

    @Test
    void twoClaimsNeverGetTheSameVolume() {
        volumes.claim("a", "1Gi");
        volumes.claim("b", "1Gi");
        volumes.volume("v", "2Gi");

        assertThat(volumes.of("a") + volumes.of("b")).isEqualTo("v");
    }

    @Test
    void aVolumeThatWasTakenUnseenStaysWithItsClaim() {
        volumes.volume("v", "2Gi");
        volumes.api.edit(VOLUMES, "", "v", volume -> {
            forClaim(volume, "faster");
            Json.ensureObject(volume, "spec", "claimRef").put("uid", "its-uid");
            return volume;
        });
        volumes.api.fail("watch persistentvolumes", ApiException.of(500, "InternalError", "connection reset"));
        volumes.claim("c", "1Gi");

        assertThat(Json.textAt(volumes.volume("v"), "spec", "claimRef", "uid")).isEqualTo("its-uid");
        assertThat(volumes.of("c")).isEmpty();

        volumes.volume("w", "2Gi");
        assertThat(volumes.of("c")).isEqualTo("w");
    }

    @Test
    void classModesVolumeModeAndSelectorMustFit() {
        volumes.volume(
                "class", "2Gi", volume -> Json.ensureObject(volume, "spec").put("storageClassName", "other"));
        volumes.volume(
                "block", "2Gi", volume -> Json.ensureObject(volume, "spec").put("volumeMode", "Block"));
        volumes.volume(
                "mode",
                "2Gi",
                volume -> Json.ensureObject(volume, "spec")
                        .putArray("accessModes")
                        .add("ReadOnlyMany"));
        volumes.claim("c", "1Gi");
        assertThat(volumes.phase("c")).isEqualTo("Pending");

        volumes.volume("plain", "1Gi");
        volumes.claim(
                "s",
                "1Gi",
                claim -> Json.ensureObject(claim, "spec", "selector", "matchLabels")
                        .put("tier", "gold"));
        volumes.volume(
                "gold",
                "9Gi",
                volume -> Json.ensureObject(volume, "metadata", "labels").put("tier", "gold"));
        assertThat(volumes.of("s")).isEqualTo("gold");
        assertThat(volumes.of("c")).isEqualTo("plain");
    }

    @Test
    void aVolumeMadeForAClaimWaitsForIt() {
        volumes.volume("mine", "9Gi", volume -> forClaim(volume, "c"));
        volumes.volume("other", "1Gi");
        assertThat(volumes.volumePhase("mine")).isEqualTo("Available");

        volumes.claim("c", "1Gi");

        assertThat(volumes.of("c")).isEqualTo("mine");
        assertThat(volumes.volume("mine").path("metadata").has("annotations")).isFalse();
        assertThat(volumes.volumePhase("other")).isEqualTo("Available");
    }

    @Test
    void aClaimMayNameItsVolume() {
        volumes.claim("c", "1Gi", claim -> Json.ensureObject(claim, "spec").put("volumeName", "v"));
        assertThat(volumes.phase("c")).isEqualTo("Pending");
        volumes.volume("v", "5Gi");

        assertThat(volumes.phase("c")).isEqualTo("Bound");
        assertThat(volumes.claim("c").path("metadata").path("annotations"))
                .isEqualTo(Json.object().put(BOUND, "yes"));
    }

    @Test
    void aNamedVolumeThatDoesNotFitIsNotTaken() {
        volumes.volume("tiny", "1Mi");
        volumes.volume("taken", "5Gi", volume -> forClaim(volume, "somebody"));
        volumes.claim("c", "1Gi", claim -> Json.ensureObject(claim, "spec").put("volumeName", "tiny"));
        volumes.claim("d", "1Gi", claim -> Json.ensureObject(claim, "spec").put("volumeName", "taken"));

        assertThat(volumes.phase("c")).isEqualTo("Pending");
        assertThat(volumes.messages("team"))
                .containsExactlyInAnyOrder(
                        "VolumeMismatch: Cannot bind to requested volume \"tiny\": requested PV is too small",
                        "FailedBinding: volume \"taken\" already bound to a different claim.");
    }

    @Test
    void aClaimThatWaitsForItsConsumerIsLeftToTheScheduler() {
        volumes.storageClass("manual", "example.com/x", TestingVolumes::waits);
        volumes.volume("v", "5Gi");
        volumes.claim("c", "1Gi");
        assertThat(volumes.phase("c")).isEqualTo("Pending");

        volumes.pod("user", "", "c");
        assertThat(volumes.messages("team"))
                .containsExactly(
                        "WaitForFirstConsumer: waiting for first consumer to be created before binding",
                        "WaitForPodScheduled: waiting for pod user to be scheduled");

        volumes.edit(VOLUMES, "", "v", volume -> forClaim(volume, "c"));
        assertThat(volumes.phase("c")).isEqualTo("Bound");
    }

    @Test
    void aProvisionerIsAskedOnceANodeIsChosen() {
        volumes.storageClass("manual", "example.com/x", TestingVolumes::waits);
        volumes.claim("c", "1Gi");
        assertThat(Json.at(volumes.claim("c"), "metadata", "annotations")).isNull();

        volumes.edit(
                CLAIMS,
                "team",
                "c",
                claim -> Json.ensureObject(claim, "metadata", "annotations")
                        .put("volume.kubernetes.io/selected-node", "n"));

        assertThat(Json.textAt(
                        volumes.claim("c"), "metadata", "annotations", "volume.kubernetes.io/storage-provisioner"))
                .isEqualTo("example.com/x");
        assertThat(Json.textAt(
                        volumes.claim("c"), "metadata", "annotations", "volume.beta.kubernetes.io/storage-provisioner"))
                .isEqualTo("example.com/x");
        assertThat(volumes.messages("team"))
                .anyMatch(message -> message.startsWith(
                        "ExternalProvisioning: Waiting for a volume to be created either by the external provisioner"
                                + " 'example.com/x'"));
    }

    @Test
    void whatCannotBeProvisionedIsExplained() {
        volumes.storageClass("none", "kubernetes.io/no-provisioner", _ -> {});
        volumes.claim("a", "1Gi");
        volumes.claim("b", "1Gi", claim -> Json.ensureObject(claim, "spec").put("storageClassName", "none"));
        volumes.claim("c", "1Gi", claim -> Json.ensureObject(claim, "spec").put("storageClassName", ""));

        assertThat(volumes.messages("team"))
                .containsExactlyInAnyOrder(
                        "ProvisioningFailed: storageclass.storage.k8s.io \"manual\" not found",
                        "ProvisioningFailed: no volume plugin matched name: kubernetes.io/no-provisioner",
                        "FailedBinding: no persistent volumes available for this claim and no storage class is set");
    }

    @Test
    void aClaimWithoutAClassGetsTheDefaultOneOnceThereIsOne() {
        volumes.claim("c", "1Gi", claim -> Json.ensureObject(claim, "spec").remove("storageClassName"));
        volumes.storageClass(
                "usual",
                "example.com/x",
                storageClass -> Json.ensureObject(storageClass, "metadata", "annotations")
                        .put("storageclass.kubernetes.io/is-default-class", "true"));

        assertThat(Json.textAt(volumes.claim("c"), "spec", "storageClassName")).isEqualTo("usual");
    }

    @Test
    void aClaimWhoseVolumeIsGoneIsLost() {
        volumes.volume("v", "5Gi");
        volumes.claim("c", "1Gi");
        volumes.delete(VOLUMES, "", "v");

        assertThat(volumes.phase("c")).isEqualTo("Lost");
        assertThat(volumes.messages("team"))
                .containsExactly("ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!");
    }

    @Test
    void aClaimOnAnothersVolumeIsMisbound() {
        volumes.volume("v", "5Gi");
        volumes.claim("c", "1Gi");
        volumes.claim("d", "1Gi", claim -> {
            Json.ensureObject(claim, "spec").put("volumeName", "v");
            Json.ensureObject(claim, "metadata", "annotations").put(BOUND, "yes");
        });

        assertThat(volumes.phase("c")).isEqualTo("Bound");
        assertThat(volumes.phase("d")).isEqualTo("Lost");
        assertThat(volumes.messages("team"))
                .contains("ClaimMisbound: Two claims are bound to the same volume, this one is bound incorrectly");
    }

    @Test
    void aRetainedVolumeIsReleasedAndNotGivenToAClaimOfTheSameName() {
        volumes.volume("v", "5Gi");
        volumes.claim("c", "1Gi");
        volumes.delete(CLAIMS, "team", "c");
        assertThat(volumes.volumePhase("v")).isEqualTo("Released");

        volumes.claim("c", "1Gi");
        assertThat(volumes.phase("c")).isEqualTo("Pending");

        volumes.edit(
                VOLUMES, "", "v", volume -> Json.ensureObject(volume, "spec").remove("claimRef"));
        assertThat(volumes.phase("c")).isEqualTo("Bound");
    }

    @Test
    void aVolumeThatNobodyCanDeleteFails() {
        volumes.volume("v", "5Gi", volume -> {
            Json.ensureObject(volume, "spec").put("persistentVolumeReclaimPolicy", "Delete");
            Json.ensureObject(volume, "spec", "hostPath").put("path", "/somewhere");
        });
        volumes.claim("c", "1Gi");
        volumes.delete(CLAIMS, "team", "c");

        assertThat(volumes.volumePhase("v")).isEqualTo("Failed");
        assertThat(volumes.messages("default"))
                .containsExactly(
                        "VolumeFailedDelete: host_path deleter only supports /tmp/.+ but received provided /somewhere");
    }

    @Test
    void aVolumeTakenForAClaimThatChoseAnotherIsFreeAgain() {
        volumes.volume("v", "5Gi");
        volumes.claim("c", "1Gi");
        String uid = Objects.uid(volumes.claim("c"));
        volumes.volume("w", "5Gi", volume -> {
            forClaim(volume, "c");
            Json.ensureObject(volume, "spec", "claimRef").put("uid", uid);
            Json.ensureObject(volume, "metadata", "annotations").put(BY_CONTROLLER, "yes");
        });

        assertThat(volumes.of("c")).isEqualTo("v");
        assertThat(volumes.volumePhase("w")).isEqualTo("Available");
        assertThat(volumes.volume("w").path("spec").has("claimRef")).isFalse();
    }

    @Test
    void nothingToDoCostsNoWrite() {
        volumes.volume("v", "5Gi");
        volumes.claim("c", "1Gi");
        volumes.api.takeWrites();

        volumes.edit(
                VOLUMES,
                "",
                "v",
                volume -> Json.ensureObject(volume, "metadata", "annotations").put("a", "b"));

        assertThat(volumes.api.takeWrites()).containsExactly("update persistentvolumes v");
    }
}
