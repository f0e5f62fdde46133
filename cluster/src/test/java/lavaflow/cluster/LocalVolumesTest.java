package lavaflow.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static lavaflow.cluster.TestingCluster.ATTACHMENTS;
import static lavaflow.cluster.TestingCluster.CLAIMS;
import static lavaflow.cluster.TestingCluster.DRIVERS;
import static lavaflow.cluster.TestingCluster.NODES;
import static lavaflow.cluster.TestingCluster.PODS;
import static lavaflow.cluster.TestingCluster.VOLUMES;
import static lavaflow.cluster.TestingCluster.named;
import static org.assertj.core.api.Assertions.assertThat;

/** Volumes that are made, grown and attached on demand. */
class LocalVolumesTest {
    private final TestingVolumes volumes = new TestingVolumes();

    @TempDir
    private Path root;

    @BeforeEach
    void start() {
        TestingCluster cluster = volumes.cluster;
        cluster.run(new LocalVolumes(
                        volumes.api, cluster.followers, root.resolve("made"), cluster.clock(), cluster.nanoTime())
                .controller());
        cluster.run(
                new VolumeExpansion(volumes.api, cluster.followers, cluster.clock(), cluster.nanoTime()).controller());
        cluster.run(new AttachDetach(volumes.api, cluster.followers, cluster.clock(), cluster.nanoTime()).controller());
        volumes.storageClass("local-path", "rancher.io/local-path", TestingVolumes::waits);
        ObjectNode node = named("n1");
        Json.ensureObject(node, "metadata", "labels").put("kubernetes.io/hostname", "host-1");
        Json.ensureObject(node, "metadata", "annotations")
                .put("volumes.kubernetes.io/controller-managed-attach-detach", "true");
        volumes.api.create(NODES, "", node);
        cluster.settle();
    }

    private void claim(String name) {
        volumes.claim(name, "1Gi", claim -> Json.ensureObject(claim, "spec").put("storageClassName", "local-path"));
    }

    private void choose(String claim, String node) {
        volumes.edit(
                CLAIMS,
                "team",
                claim,
                each -> Json.ensureObject(each, "metadata", "annotations")
                        .put("volume.kubernetes.io/selected-node", node));
    }

    private Path directory(String claim) {
        return root.resolve("made").resolve(volumes.of(claim) + "_team_" + claim);
    }

    @Test
    void aClaimGetsADirectoryOnTheChosenNode() {
        claim("data");
        assertThat(root.resolve("made")).doesNotExist();
        choose("data", "n1");

        assertThat(volumes.phase("data")).isEqualTo("Bound");
        assertThat(volumes.of("data")).isEqualTo("pvc-" + Objects.uid(volumes.claim("data")));
        assertThat(directory("data")).isDirectory();
        JsonNode spec = volumes.volume(volumes.of("data")).path("spec");
        assertThat(Json.textAt(spec, "hostPath", "path"))
                .isEqualTo(directory("data").toString());
        assertThat(Json.textAt(spec, "persistentVolumeReclaimPolicy")).isEqualTo("Delete");
        assertThat(spec.path("nodeAffinity"))
                .isEqualTo(Json.parse("{\"required\":{\"nodeSelectorTerms\":[{\"matchExpressions\":[{\"key\":"
                        + "\"kubernetes.io/hostname\",\"operator\":\"In\",\"values\":[\"host-1\"]}]}]}}"));
        assertThat(volumes.messages("team"))
                .contains(
                        "Provisioning: External provisioner is provisioning volume for claim \"team/data\"",
                        "ProvisioningSucceeded: Successfully provisioned volume " + volumes.of("data"));
    }

    @Test
    void theDirectoryGoesWithTheClaimAndLinksAreNotFollowed() throws IOException {
        claim("data");
        choose("data", "n1");
        Path directory = directory("data");
        Path precious = Files.writeString(root.resolve("precious"), "keep");
        Files.createDirectories(directory.resolve("a/b"));
        Files.writeString(directory.resolve("a/b/file"), "x");
        Files.createSymbolicLink(directory.resolve("link"), root);

        String volume = volumes.of("data");
        volumes.delete(CLAIMS, "team", "data");

        assertThat(directory).doesNotExist();
        assertThat(precious).exists();
        assertThat(volumes.api.has(VOLUMES, "", volume)).isFalse();
    }

    private List<Path> made() throws IOException {
        try (Stream<Path> found = Files.list(root.resolve("made"))) {
            return found.toList();
        }
    }

    @Test
    void aClaimThatGoesBeforeItGotAVolumeLeavesNoDirectory() throws IOException {
        claim("data");
        volumes.api.fail(
                "create persistentvolumes pvc-" + Objects.uid(volumes.claim("data")),
                ApiException.of(429, "TooManyRequests", "the server is busy"));
        choose("data", "n1");
        assertThat(made()).hasSize(1);

        volumes.delete(CLAIMS, "team", "data");
        volumes.cluster.pass(Duration.ofSeconds(1));

        assertThat(made()).isEmpty();
    }

    @Test
    void whatAnEarlierProcessDidNotFinishGoesUnlessItHoldsSomething() throws IOException {
        claim("data");
        choose("data", "n1");
        Path used = directory("data");
        Files.createDirectory(root.resolve("made/pvc-gone_team_other"));
        Path kept = Files.createDirectory(root.resolve("made/pvc-retained_team_other"));
        Files.writeString(kept.resolve("file"), "x");
        Path foreign = Files.createDirectory(root.resolve("made/foreign"));
        TestingCluster cluster = volumes.cluster;
        cluster.run(new LocalVolumes(
                        volumes.api, cluster.followers, root.resolve("made"), cluster.clock(), cluster.nanoTime())
                .controller());
        cluster.settle();

        assertThat(made()).containsExactlyInAnyOrder(used, kept, foreign);
    }

    @Test
    void whatCouldNotBeMadeIsTriedAgain() throws IOException {
        Path inTheWay = Files.writeString(root.resolve("made"), "not a directory");
        claim("data");
        choose("data", "n1");
        assertThat(volumes.phase("data")).isEqualTo("Pending");

        Files.delete(inTheWay);
        volumes.cluster.pass(Duration.ofMinutes(1));

        assertThat(volumes.phase("data")).isEqualTo("Bound");
    }

    @Test
    void aVolumeThatOnlyClaimsToBeOursIsNotTouched() throws IOException {
        Path precious = Files.createDirectories(root.resolve("precious"));
        volumes.volume("evil", "1Gi", volume -> {
            Json.ensureObject(volume, "metadata", "annotations")
                    .put("pv.kubernetes.io/provisioned-by", "rancher.io/local-path");
            Json.ensureObject(volume, "spec").put("persistentVolumeReclaimPolicy", "Delete");
            Json.ensureObject(volume, "spec", "hostPath").put("path", precious.toString());
        });
        volumes.claim("c", "1Gi");
        volumes.delete(CLAIMS, "team", "c");

        assertThat(precious).exists();
        assertThat(volumes.volumePhase("evil")).isEqualTo("Released");
        assertThat(volumes.messages("default"))
                .containsExactly("VolumeFailedDelete: path " + precious + " was not made by rancher.io/local-path");
    }

    @Test
    void whatItCannotMakeIsExplained() {
        volumes.claim("shared", "1Gi", claim -> {
            Json.ensureObject(claim, "spec").put("storageClassName", "local-path");
            Json.ensureObject(claim, "spec").putArray("accessModes").add("ReadWriteMany");
        });
        choose("shared", "n1");

        assertThat(volumes.phase("shared")).isEqualTo("Pending");
        assertThat(volumes.messages("team"))
                .contains(
                        "ProvisioningFailed: failed to provision volume with StorageClass \"local-path\": NodePath only"
                                + " supports ReadWriteOnce and ReadWriteOncePod (1.22+) access modes");
    }

    @Test
    void aNodeThatIsGoneIsChosenAnew() {
        claim("data");
        choose("data", "gone");

        assertThat(Json.at(volumes.claim("data"), "metadata", "annotations", "volume.kubernetes.io/selected-node"))
                .isNull();
    }

    @Test
    void aClaimThatWantsToGrowIsToldWhoWouldHaveTo() {
        claim("data");
        choose("data", "n1");
        volumes.edit(
                CLAIMS,
                "team",
                "data",
                claim -> Json.ensureObject(claim, "spec", "resources", "requests")
                        .put("storage", "2Gi"));

        assertThat(volumes.messages("team"))
                .contains("ExternalExpanding: waiting for an external controller to expand this PVC");
    }

    // ---- attaching

    private void driven(String name, String driver) {
        volumes.volume(
                name,
                "1Gi",
                volume -> Json.ensureObject(volume, "spec", "csi")
                        .put("driver", driver)
                        .put("volumeHandle", "h-" + name));
        volumes.claim(name, "1Gi");
    }

    private ObjectNode attachment() {
        return volumes.api
                .list(ATTACHMENTS, "", lavaflow.controller.KubeApi.View.WHOLE)
                .items()
                .getFirst();
    }

    @Test
    void theVolumesOfAPodAreAttachedToItsNodeAndDetachedAfterIt() {
        driven("a", "csi.example.com");
        volumes.pod("p", "n1", "a");

        assertThat(attachment().path("spec"))
                .isEqualTo(Json.parse("{\"attacher\":\"csi.example.com\",\"nodeName\":\"n1\",\"source\":"
                        + "{\"persistentVolumeName\":\"a\"}}"));
        assertThat(Objects.name(attachment()))
                .isEqualTo("csi-4ef73984b6c7dc7ba5a3ddbc29f3ee4867e2bf3750581b5ede0896c22c40d395");
        volumes.edit(
                ATTACHMENTS,
                "",
                Objects.name(attachment()),
                each -> Json.ensureObject(each, "status").put("attached", true));
        assertThat(volumes.api.get(NODES, "", "n1").at("/status/volumesAttached"))
                .isEqualTo(Json.parse("[{\"name\":\"kubernetes.io/csi/csi.example.com^h-a\",\"devicePath\":\"\"}]"));
        assertThat(volumes.messages("team"))
                .contains("SuccessfulAttachVolume: AttachVolume.Attach succeeded for volume \"a\" ");

        volumes.edit(PODS, "team", "p", pod -> Json.ensureObject(pod, "status").put("phase", "Succeeded"));
        assertThat(volumes.api
                        .list(ATTACHMENTS, "", lavaflow.controller.KubeApi.View.WHOLE)
                        .items())
                .isEmpty();
        assertThat(volumes.api.get(NODES, "", "n1").at("/status/volumesAttached"))
                .isEmpty();
    }

    @Test
    void aVolumeInUseStaysAttached() {
        driven("a", "csi.example.com");
        volumes.pod("p", "n1", "a");
        volumes.edit(
                NODES,
                "",
                "n1",
                node -> Json.ensureObject(node, "status")
                        .putArray("volumesInUse")
                        .add("kubernetes.io/csi/csi.example.com^h-a"));
        volumes.edit(PODS, "team", "p", pod -> Json.ensureObject(pod, "status").put("phase", "Succeeded"));
        assertThat(attachment()).isNotNull();

        volumes.edit(NODES, "", "n1", node -> Json.ensureObject(node, "status").remove("volumesInUse"));
        assertThat(volumes.api
                        .list(ATTACHMENTS, "", lavaflow.controller.KubeApi.View.WHOLE)
                        .items())
                .isEmpty();
    }

    /** A pod that is over, on a node that says it still uses its volume. */
    private void leftBehind(String ready) {
        driven("a", "csi.example.com");
        volumes.pod("p", "n1", "a");
        volumes.edit(NODES, "", "n1", node -> {
            ObjectNode status = Json.ensureObject(node, "status");
            status.putArray("volumesInUse").add("kubernetes.io/csi/csi.example.com^h-a");
            status.putArray("conditions").addObject().put("type", "Ready").put("status", ready);
        });
        volumes.edit(PODS, "team", "p", pod -> Json.ensureObject(pod, "status").put("phase", "Failed"));
    }

    private int attachments() {
        return volumes.api
                .list(ATTACHMENTS, "", lavaflow.controller.KubeApi.View.WHOLE)
                .items()
                .size();
    }

    @Test
    void aNodeThatIsNotWellIsWaitedForSixMinutes() {
        leftBehind("Unknown");
        volumes.cluster.pass(Duration.ofSeconds(359));
        assertThat(attachments()).isEqualTo(1);
        volumes.cluster.pass(Duration.ofSeconds(1));
        assertThat(attachments()).isZero();
    }

    @Test
    void aNodeThatIsWellIsWaitedForUntilItIsNot() {
        leftBehind("True");
        volumes.cluster.pass(Duration.ofMinutes(20));
        assertThat(attachments()).isEqualTo(1);
        volumes.edit(
                NODES,
                "",
                "n1",
                node -> Json.ensureObject(node, "status")
                        .putArray("conditions")
                        .addObject()
                        .put("type", "Ready")
                        .put("status", "False"));
        assertThat(attachments()).isZero();
    }

    @Test
    void aNodeOutOfServiceIsNotWaitedFor() {
        leftBehind("Unknown");
        volumes.edit(
                NODES,
                "",
                "n1",
                node -> Json.ensureObject(node, "spec")
                        .putArray("taints")
                        .addObject()
                        .put("key", "node.kubernetes.io/out-of-service")
                        .put("effect", "NoExecute"));
        assertThat(attachments()).isZero();
    }

    @Test
    void aVolumeForOneNodeIsNotAttachedToTwo() {
        ObjectNode node = named("n2");
        Json.ensureObject(node, "metadata", "annotations")
                .put("volumes.kubernetes.io/controller-managed-attach-detach", "true");
        volumes.api.create(NODES, "", node);
        driven("a", "csi.example.com");
        volumes.pod("p", "n1", "a");
        volumes.pod("q", "n2", "a");

        assertThat(volumes.api
                        .list(ATTACHMENTS, "", lavaflow.controller.KubeApi.View.WHOLE)
                        .items())
                .hasSize(1);
        assertThat(volumes.messages("team"))
                .contains(
                        "FailedAttachVolume: Multi-Attach error for volume \"a\" Volume is already exclusively attached to"
                                + " one node and can't be attached to another");

        volumes.edit(PODS, "team", "p", pod -> Json.ensureObject(pod, "status").put("phase", "Succeeded"));
        assertThat(Json.textAt(attachment(), "spec", "nodeName")).isEqualTo("n2");
    }

    @Test
    void driversThatNeedNoAttachingAndNodesThatDoItThemselvesAreLeftAlone() {
        ObjectNode driver = named("easy.example.com");
        driver.putObject("spec").put("attachRequired", false);
        volumes.api.create(DRIVERS, "", driver);
        volumes.api.create(NODES, "", named("n2"));
        driven("a", "easy.example.com");
        driven("b", "csi.example.com");
        volumes.pod("p", "n1", "a");
        volumes.pod("q", "n2", "b");

        assertThat(volumes.api
                        .list(ATTACHMENTS, "", lavaflow.controller.KubeApi.View.WHOLE)
                        .items())
                .isEmpty();
    }
}
