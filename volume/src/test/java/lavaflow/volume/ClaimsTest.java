package lavaflow.volume;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static lavaflow.volume.TestingNode.group;
import static lavaflow.volume.TestingNode.json;
import static lavaflow.volume.TestingNode.mode;
import static lavaflow.volume.TestingNode.named;
import static lavaflow.volume.TestingNode.pod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Volumes that outlive pods, and files of the machine. */
class ClaimsTest {
    private static final String USE = """
            {"name": "data", "persistentVolumeClaim": {"claimName": "claim"}}""";
    private static final String NOT_PROCESSED =
            "Unable to attach or mount volumes: unmounted volumes=[data], unattached"
                    + " volumes=[data], failed to process volumes=[data]: error processing PVC team/claim: ";

    @TempDir
    private Path directory;

    private TestingNode node;
    private Path data;

    @BeforeEach
    void open() throws IOException {
        node = new TestingNode(directory.resolve("volumes"));
        data = Files.createDirectory(directory.resolve("data"));
    }

    @AfterEach
    void close() throws IOException {
        node.close();
    }

    private static String quoted(String text) {
        return text.replace('\'', '"');
    }

    /** A claim and its volume, bound to each other. */
    private ObjectNode bound(String source) {
        ObjectNode claim = named("claim");
        claim.putObject("spec").put("volumeName", "volume");
        claim.putObject("status").put("phase", "Bound");
        ObjectNode created = node.api.create(Claims.CLAIMS, "team", claim);
        ObjectNode volume = named("volume");
        volume.set("spec", json(quoted(source.replace("DATA", data.toString()))));
        Json.ensureObject(volume, "spec", "claimRef").put("uid", Json.textAt(created, "metadata", "uid"));
        return node.api.create(Claims.VOLUMES, "", volume);
    }

    private void provisioned() {
        bound("{'hostPath': {'path': 'DATA', 'type': 'DirectoryOrCreate'}, 'accessModes': ['ReadWriteOnce']}");
        node.api.edit(Claims.VOLUMES, "", "volume", volume -> {
            Json.ensureObject(volume, "metadata", "annotations")
                    .put("pv.kubernetes.io/provisioned-by", "rancher.io/local-path");
            return volume;
        });
    }

    // ---- claims

    @Test
    void aClaimIsTheDirectoryBehindIt() throws Exception {
        bound("{'hostPath': {'path': 'DATA'}}");
        Files.writeString(data.resolve("kept"), "x");
        MountedVolume mounted = node.volumes.mount(pod("a", USE)).get("data");
        assertThat(mounted.path()).isEqualTo(data);
        assertThat(mounted.readOnly()).isFalse();
        node.volumes.unmount("a");
        assertThat(data.resolve("kept")).hasContent("x");

        MountedVolume readOnly = node.volumes.mount(pod("b", """
                        {"name": "data", "persistentVolumeClaim": {"claimName": "claim", "readOnly": true}}""")).get("data");
        assertThat(readOnly.readOnly()).isTrue();
    }

    @Test
    void localVolumesMustBeThere() throws Exception {
        bound("{'local': {'path': 'DATA'}}");
        assertThat(node.mount(pod("a", USE))).isEqualTo(data);
        Files.delete(data);
        assertThatThrownBy(() -> node.mount(pod("b", USE)))
                .hasMessage("MountVolume.SetUp failed for volume \"volume\" : path \"" + data + "\" does not exist");
    }

    @Test
    void claimsThatAreNotReadyAreTold() {
        assertThatThrownBy(() -> node.mount(pod("a", USE)))
                .hasMessage(NOT_PROCESSED
                        + "failed to fetch PVC from API server: persistentvolumeclaims \"claim\" not found");
        ObjectNode volume = bound("{'local': {'path': 'DATA'}}");
        node.api.edit(Claims.CLAIMS, "team", "claim", claim -> {
            Json.ensureObject(claim, "status").put("phase", "Pending");
            return claim;
        });
        assertThatThrownBy(() -> node.mount(pod("a", USE))).hasMessage(NOT_PROCESSED + "PVC is not bound");
        node.api.edit(Claims.CLAIMS, "team", "claim", claim -> {
            Json.ensureObject(claim, "status").put("phase", "Bound");
            return claim;
        });
        node.api.edit(Claims.VOLUMES, "", "volume", object -> {
            Json.ensureObject(object, "spec", "claimRef").put("uid", "other");
            return object;
        });
        assertThatThrownBy(() -> node.mount(pod("a", USE)))
                .hasMessage(NOT_PROCESSED + "found PV object \"volume\" but its pv.Spec.ClaimRef.UID \"other\" does not"
                        + " point to claim.UID \"" + Json.textAt(volume, "spec", "claimRef", "uid") + "\"");
    }

    @Test
    void aVolumeOfAnotherNodeIsRefused() {
        bound("""
                {'local': {'path': 'DATA'}, 'nodeAffinity': {'required': {'nodeSelectorTerms': [{'matchExpressions': [
                  {'key': 'kubernetes.io/hostname', 'operator': 'In', 'values': ['there']}]}]}}}""");
        assertThatThrownBy(() -> node.mount(pod("a", USE)))
                .hasMessage("MountVolume.NodeAffinity check failed for volume \"volume\" : no matching"
                        + " NodeSelectorTerms");
    }

    @Test
    void otherKindsOfVolumesAreRefusedInWordsThatHelp() {
        bound("{'accessModes': ['ReadWriteOnce'], 'csi': {'driver': 'x'}}");
        assertThatThrownBy(() -> node.mount(pod("a", USE)))
                .hasMessage("MountVolume.SetUp failed for volume \"volume\" : persistent volumes of csi are not"
                        + " supported on this node; supported are hostPath and local");
    }

    @Test
    void blockVolumesAreRefused() {
        bound("{'volumeMode': 'Block', 'local': {'path': '/dev/loop0'}}");
        assertThatThrownBy(() -> node.mount(pod("a", USE)))
                .hasMessageContaining("volumes with volumeMode Block are not supported on this node");
        ObjectNode mounts = pod("b", USE);
        TestingNode.volumeMount(mounts, "data");
        assertThatThrownBy(() -> node.mount(mounts))
                .hasMessage("volume data has volumeMode Block, but is specified in volumeMounts");
    }

    @Test
    void aVolumeForOnePodIsForOnePodAlsoAfterARestart() throws Exception {
        bound("{'local': {'path': 'DATA'}, 'accessModes': ['ReadWriteOncePod']}");
        node.mount(pod("a", USE));
        node.mount(pod("a", USE));
        node.restart();
        assertThatThrownBy(() -> node.mount(pod("b", USE)))
                .hasMessage("MountVolume.SetUp failed for volume \"volume\" : volume uses the ReadWriteOncePod access"
                        + " mode and is already in use by another pod");
        node.volumes.unmount("a");
        assertThat(node.mount(pod("b", USE))).isEqualTo(data);
    }

    @Test
    void aPodsOwnClaimMustBeItsOwn() throws Exception {
        String volume = """
                {"name": "im", "ephemeral": {"volumeClaimTemplate": {}}}""";
        ObjectNode claim = named("cla-im");
        claim.putObject("spec").put("volumeName", "volume");
        claim.putObject("status").put("phase", "Bound");
        node.api.create(Claims.CLAIMS, "team", claim);
        assertThatThrownBy(() -> node.mount(pod("cla", volume)))
                .hasMessageEndingWith("PVC team/cla-im was not created for pod team/cla (pod is not owner)");
        ObjectNode owned = node.api.edit(Claims.CLAIMS, "team", "cla-im", object -> {
            Json.ensureObject(object, "metadata")
                    .putArray("ownerReferences")
                    .addObject()
                    .put("uid", "cla")
                    .put("controller", true);
            return object;
        });
        ObjectNode pv = named("volume");
        pv.set("spec", json("{\"local\": {\"path\": \"" + data + "\"}}"));
        Json.ensureObject(pv, "spec", "claimRef").put("uid", Json.textAt(owned, "metadata", "uid"));
        node.api.create(Claims.VOLUMES, "", pv);
        assertThat(node.mount(pod("cla", volume))).isEqualTo(data);
    }

    // ---- sharing

    @Test
    void podsOfDifferentUsersShareAProvisionedClaim() throws Exception {
        TestingNode.requireRoot();
        provisioned();
        FileFacts.setPermissions(data, 0777);
        node.mount(pod("a", USE));
        for (List<String> command : List.of(
                List.of(
                        "setpriv",
                        "--reuid=1001",
                        "--regid=1001",
                        "--clear-groups",
                        "sh",
                        "-c",
                        "umask 022; mkdir '%s/dir' && echo one > '%s/dir/file'".formatted(data, data)),
                List.of(
                        "setpriv",
                        "--reuid=1002",
                        "--regid=1002",
                        "--clear-groups",
                        "sh",
                        "-c",
                        "echo two >> '%s/dir/file' && echo three > '%s/dir/other'".formatted(data, data)))) {
            FileFacts.setPermissions(directory, 0755);
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String said = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as(said).isZero();
        }
        assertThat(data.resolve("dir/file")).hasContent("one\ntwo");
    }

    @Test
    void aGroupSharesAProvisionedClaimButNotTheMachinesFiles() throws Exception {
        TestingNode.requireRoot();
        provisioned();
        Files.createDirectory(data.resolve("sub"));
        ObjectNode pod = pod("a", USE);
        Json.ensureObject(pod, "spec", "securityContext").put("fsGroup", 5000);
        node.mount(pod);
        assertThat(group(data)).isEqualTo(5000);
        assertThat(group(data.resolve("sub"))).isEqualTo(5000);
        assertThat(mode(data.resolve("sub")) & 02070).isEqualTo(02070);

        Path other = Files.createDirectory(directory.resolve("other"));
        ObjectNode host = pod("b", "{\"name\": \"h\", \"hostPath\": {\"path\": \"" + other + "\"}}");
        Json.ensureObject(host, "spec", "securityContext").put("fsGroup", 5000);
        node.mount(host);
        assertThat(group(other)).isNotEqualTo(5000);
    }

    @Test
    void whereTheDirectoryLooksRightItsFilesAreNotLookedAtIfThePodSaysSo() throws Exception {
        TestingNode.requireRoot();
        bound("{'local': {'path': 'DATA'}}");
        ObjectNode pod = pod("a", USE);
        Json.ensureObject(pod, "spec", "securityContext")
                .put("fsGroup", 5000)
                .put("fsGroupChangePolicy", "OnRootMismatch");
        Path early = Files.createFile(data.resolve("early"));
        node.mount(pod);
        assertThat(group(early)).isEqualTo(5000);
        Files.setAttribute(early, "unix:gid", 0);
        node.mount(another(pod, "b"));
        assertThat(group(early)).isZero();
        Json.ensureObject(pod, "spec", "securityContext").put("fsGroupChangePolicy", "Always");
        node.mount(another(pod, "c"));
        assertThat(group(early)).isEqualTo(5000);

        Files.setAttribute(early, "unix:gid", 0);
        node.restart();
        node.mount(another(pod, "c"));
        assertThat(group(early)).as("once for each pod").isZero();
    }

    private static ObjectNode another(ObjectNode pod, String uid) {
        Json.ensureObject(pod, "metadata").put("uid", uid);
        return pod;
    }

    // ---- host paths

    private Path host(String path, String type) throws VolumeException {
        return node.mount(pod(
                "host",
                "{\"name\": \"h\", \"hostPath\": {\"path\": \"" + directory.resolve(path) + "\", \"type\": \"" + type
                        + "\"}}"));
    }

    @Test
    void hostPathsAreOfTheTypeThatIsAskedFor() throws Exception {
        Files.createFile(directory.resolve("file"));
        try (ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            socket.bind(UnixDomainSocketAddress.of(directory.resolve("socket")));
            assertThat(host("data", "Directory")).isEqualTo(data);
            assertThat(host("file", "File")).isRegularFile();
            assertThat(host("file", "FileOrCreate")).isRegularFile();
            assertThat(host("socket", "Socket")).exists();
            assertThat(host("/dev/null", "CharDevice")).exists();
            assertThat(host("file", "")).isRegularFile();
        }
        for (String[] wrong : new String[][] {
            {"file", "Directory", "a directory"},
            {"file", "DirectoryOrCreate", "a directory"},
            {"data", "File", "a file"},
            {"data", "FileOrCreate", "a file"},
            {"file", "Socket", "a socket file"},
            {"file", "CharDevice", "a character device"},
            {"/dev/null", "BlockDevice", "a block device"},
            {"none", "Directory", "a directory"},
            {"none", "File", "a file"}
        }) {
            assertThatThrownBy(() -> host(wrong[0], wrong[1]))
                    .hasMessage("MountVolume.SetUp failed for volume \"h\" : hostPath type check failed: "
                            + directory.resolve(wrong[0]) + " is not " + wrong[2]);
        }
    }

    @Test
    void hostPathsAreMadeWhereTheTypeSaysSo() throws Exception {
        Path made = host("new/deep", "DirectoryOrCreate");
        assertThat(made).isDirectory();
        assertThat(mode(made)).isEqualTo(0755);
        assertThat(mode(host("new/file", "FileOrCreate"))).isEqualTo(0644);
        assertThat(host("whatever/else", "")).isDirectory();
        assertThatThrownBy(() -> host("missing/file", "FileOrCreate")).hasMessageContaining("directory does not exist");

        node.volumes.unmount("host");
        assertThat(made).as("the machine's files stay").isDirectory();
    }
}
