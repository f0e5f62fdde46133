package lavaflow.volume;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;

import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static lavaflow.volume.TestingNode.group;
import static lavaflow.volume.TestingNode.mode;
import static lavaflow.volume.TestingNode.named;
import static lavaflow.volume.TestingNode.pod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

class NodeVolumesTest {
    private static final String TOKEN = """
            {"name": "kube-api-access", "projected": {"defaultMode": 420, "sources": [
              {"serviceAccountToken": {"expirationSeconds": 3600, "path": "token"}},
              {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
              {"downwardAPI": {"items": [{"path": "namespace", "fieldRef": {"fieldPath": "metadata.namespace"}}]}}]}}
            """;

    @TempDir
    private Path directory;

    private TestingNode node;
    private NodeVolumes volumes;

    @BeforeEach
    void open() throws IOException {
        node = new TestingNode(directory.resolve("volumes"));
        volumes = node.volumes;
    }

    @AfterEach
    void close() throws IOException {
        node.close();
    }

    // ---- emptyDir

    @Test
    void anEmptyDirIsForEverybodyInThePodAndGoesWithIt() throws Exception {
        ObjectNode pod = pod("a", "{'name': 'scratch', 'emptyDir': {}}".replace('\'', '"'));
        Path path = node.mount(pod);
        assertThat(mode(path)).isEqualTo(0777);
        Files.writeString(path.resolve("kept"), "x");
        assertThat(Files.exists(node.mount(pod).resolve("kept"))).isTrue();
        assertThat(volumes.present()).containsExactly("a");

        volumes.unmount("a");
        assertThat(path).doesNotExist();
        assertThat(volumes.present()).isEmpty();
        volumes.unmount("a");
    }

    @Test
    void anEmptyDirInMemoryIsATmpfsOfItsSize() throws Exception {
        TestingNode.requireRoot();
        ObjectNode pod = pod("a", """
                {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "1Mi"}}""");
        Path path = node.mount(pod);
        assertThat(Files.getFileStore(path).type()).isEqualTo("tmpfs");
        assertThat(Files.getFileStore(path).getTotalSpace()).isEqualTo(1 << 20);
        assertThat(mode(path)).isEqualTo(01777);
        assertThatThrownBy(() -> Files.write(path.resolve("large"), new byte[2 << 20]))
                .isInstanceOf(IOException.class);
        assertThat(volumes.usage("a")).isEmpty();

        volumes.unmount("a");
        assertThat(path).doesNotExist();
        assertThat(node.mounts()).noneMatch(target -> target.startsWith(path));
    }

    @Test
    void memoryIsBoundedByThePodAndTheNode() throws Exception {
        TestingNode.requireRoot();
        ObjectNode free = pod("free", """
                {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "10Gi"}}""");
        assertThat(Files.getFileStore(node.mount(free)).getTotalSpace()).isEqualTo(1L << 30);
        ObjectNode limited = pod("limited", """
                {"name": "shm", "emptyDir": {"medium": "Memory"}}""");
        Json.ensureObject((ObjectNode) limited.at("/spec/containers/0"), "resources", "limits")
                .put("memory", "4Mi");
        assertThat(Files.getFileStore(node.mount(limited)).getTotalSpace()).isEqualTo(4L << 20);
    }

    @Test
    void whatAnEmptyDirHoldsBeyondItsLimitIsTold() throws Exception {
        ObjectNode pod = pod("a", """
                {"name": "scratch", "emptyDir": {"sizeLimit": "64Ki"}}""", """
                {"name": "other", "emptyDir": {}}""");
        Path path = volumes.mount(pod).get("scratch").path();
        Files.write(path.resolve("large"), new byte[200_000]);

        assertThat(volumes.usage("a"))
                .hasSize(2)
                .hasEntrySatisfying("scratch", used -> assertThat(used.bytes()).isBetween(200_000L, 300_000L));
        assertThat(volumes.breaches(pod))
                .containsExactly("Usage of EmptyDir volume \"scratch\" exceeds the limit \"64Ki\". ");
    }

    // ---- config maps and secrets

    @Test
    void aConfigMapIsFilesThatAreReplacedAtOnce() throws Exception {
        node.configMap("settings", Map.of("one", "1", "two", "2"));
        ObjectNode pod = pod("a", """
                {"name": "cfg", "configMap": {"name": "settings", "defaultMode": 292}}""");
        Path path = node.mount(pod);
        assertThat(path.resolve("one")).hasContent("1").isSymbolicLink();
        assertThat(mode(path.resolve("..data/one").toRealPath())).isEqualTo(0444);
        assertThat(volumes.mount(pod).get("cfg").readOnly()).isTrue();

        node.api.edit(Contents.CONFIG_MAPS, "team", "settings", map -> {
            ((ObjectNode) map.get("data")).put("one", "changed").remove("two");
            return map;
        });
        await().atMost(Duration.ofMinutes(1)).until(() -> node.changes.contains("a"));
        volumes.refresh(pod);
        assertThat(path.resolve("one")).hasContent("changed");
        assertThat(path.resolve("two")).doesNotExist();
    }

    @Test
    void itemsChooseKeysPathsAndModes() throws Exception {
        node.configMap("settings", Map.of("one", "1", "two", "2"));
        ObjectNode pod = pod("a", """
                {"name": "cfg", "configMap": {"name": "settings", "items": [
                  {"key": "one", "path": "deep/er/one.txt", "mode": 256}]}}""");
        Path path = node.mount(pod);
        assertThat(path.resolve("deep/er/one.txt")).hasContent("1");
        assertThat(mode(path.resolve("deep/er/one.txt").toRealPath())).isEqualTo(0400);
        assertThat(path.resolve("two")).doesNotExist();
    }

    @Test
    void whatIsMissingIsToldUnlessItMayBe() throws Exception {
        ObjectNode needs = pod("a", """
                {"name": "cfg", "configMap": {"name": "late"}}""", """
                {"name": "sec", "secret": {"secretName": "absent"}}""");
        assertThatThrownBy(() -> volumes.mount(needs))
                .hasMessage("MountVolume.SetUp failed for volume \"cfg\" : configmap \"late\" not found")
                .satisfies(e -> assertThat(e.getSuppressed()[0])
                        .hasMessage("MountVolume.SetUp failed for volume \"sec\" : secret \"absent\" not found"));
        ObjectNode optional = pod("b", """
                {"name": "cfg", "configMap": {"name": "late", "optional": true}}""");
        Path path = node.mount(optional);
        assertThat(path).isDirectory();

        node.configMap("late", Map.of("key", "value"));
        await().atMost(Duration.ofMinutes(1)).until(() -> node.changes.contains("a") && node.changes.contains("b"));
        volumes.refresh(optional);
        assertThat(path.resolve("key")).hasContent("value");
    }

    @Test
    void missingKeysAreTold() throws Exception {
        node.configMap("settings", Map.of("one", "1"));
        node.api.create(Contents.SECRETS, "team", named("secret"));
        String items = "\"items\": [{\"key\": \"no\", \"path\": \"no\"}]";
        assertThatThrownBy(() -> volumes.mount(
                        pod("a", "{\"name\": \"v\", \"configMap\": {\"name\": \"settings\", " + items + "}}")))
                .hasMessage(
                        "MountVolume.SetUp failed for volume \"v\" : configmap references non-existent config key: no");
        assertThatThrownBy(() -> volumes.mount(
                        pod("b", "{\"name\": \"v\", \"secret\": {\"secretName\": \"secret\", " + items + "}}")))
                .hasMessage("MountVolume.SetUp failed for volume \"v\" : references non-existent secret key: no");
        assertThat(node.mount(pod(
                        "c",
                        "{\"name\": \"v\", \"secret\": {\"optional\": true, \"secretName\": \"secret\", " + items
                                + "}}")))
                .isDirectory();
    }

    @Test
    void secretsAreInMemoryAndBinary() throws Exception {
        ObjectNode secret = named("secret");
        byte[] content = {0, 1, (byte) 0xff};
        secret.putObject("data").put("key", Base64.getEncoder().encodeToString(content));
        node.api.create(Contents.SECRETS, "team", secret);
        Path path = node.mount(pod("a", """
                {"name": "sec", "secret": {"secretName": "secret", "defaultMode": 256}}"""));
        assertThat(Files.readAllBytes(path.resolve("key"))).isEqualTo(content);
        assertThat(mode(path.resolve("key").toRealPath())).isEqualTo(0400);
        TestingNode.requireRoot();
        assertThat(Files.getFileStore(path).type()).isEqualTo("tmpfs");
        volumes.unmount("a");
        assertThat(path).doesNotExist();
    }

    @Test
    void immutableObjectsAreReadButNotFollowed() throws Exception {
        ObjectNode map = named("fixed").put("immutable", true);
        map.putObject("data").put("a", "b");
        node.api.create(Contents.CONFIG_MAPS, "team", map);
        node.mount(pod("a", """
                {"name": "cfg", "configMap": {"name": "fixed"}}"""));
        assertThat(node.api.requestCount()).isEqualTo(3);
        assertThat(node.api.takeWrites()).noneMatch(request -> request.contains("from"));
    }

    @Test
    void objectsAreFollowedOnceForAllPodsAndOnlyWhileUsed() throws Exception {
        node.configMap("settings", Map.of("one", "1"));
        String volume = """
                {"name": "cfg", "configMap": {"name": "settings"}}""";
        node.mount(pod("a", volume));
        node.mount(pod("b", volume));
        assertThat(volumes.objects().size()).isEqualTo(1);
        volumes.unmount("a");
        assertThat(volumes.objects().size()).isEqualTo(1);
        volumes.unmount("b");
        assertThat(volumes.objects().size()).isZero();
    }

    // ---- projected

    @Test
    void thePodsOwnTokenIsRenewedInTime() throws Exception {
        node.configMap("kube-root-ca.crt", Map.of("ca.crt", "PEM"));
        ObjectNode pod = pod("a", TOKEN);
        Path path = node.mount(pod);
        assertThat(path.resolve("token")).hasContent("token-1 of team/default");
        assertThat(path.resolve("ca.crt")).hasContent("PEM");
        assertThat(path.resolve("namespace")).hasContent("team");
        assertThat(mode(path.resolve("token").toRealPath())).isEqualTo(0644);

        node.now = node.now.plus(Duration.ofMinutes(47));
        volumes.refresh(pod);
        assertThat(path.resolve("token")).hasContent("token-1 of team/default");
        node.now = node.now.plus(Duration.ofMinutes(2));
        node.api.fail("post serviceaccounts/token team/default", ApiException.internal("busy"));
        volumes.refresh(pod);
        assertThat(path.resolve("token")).hasContent("token-1 of team/default");
        volumes.refresh(pod);
        assertThat(path.resolve("token")).hasContent("token-2 of team/default");
    }

    @Test
    void onlyWhoRunsThePodReadsItsToken() throws Exception {
        TestingNode.requireRoot();
        node.configMap("kube-root-ca.crt", Map.of("ca.crt", "PEM"));
        ObjectNode one = pod("one", TOKEN);
        Json.ensureObject(one, "spec", "securityContext").put("runAsUser", 1000);
        Path token = node.mount(one).resolve("token").toRealPath();
        assertThat(mode(token)).isEqualTo(0600);
        assertThat(Files.getAttribute(token, "unix:uid")).isEqualTo(1000);

        ObjectNode group = pod("group", TOKEN);
        Json.ensureObject(group, "spec", "securityContext").put("fsGroup", 2000);
        Path shared = node.mount(group).resolve("token").toRealPath();
        assertThat(mode(shared)).isEqualTo(0640);
        assertThat(group(shared)).isEqualTo(2000);
    }

    @Test
    void everythingWrongWithAProjectionIsToldAtOnce() {
        assertThatThrownBy(() -> volumes.mount(pod("a", """
                        {"name": "all", "projected": {"sources": [
                          {"configMap": {"name": "x"}}, {"secret": {"name": "y"}}]}}""")))
                .hasMessage("MountVolume.SetUp failed for volume \"all\" : "
                        + "[configmap \"x\" not found, secret \"y\" not found]");
    }

    @Test
    void certificatesTheClusterVouchesForAreThereOnceEach() throws Exception {
        String volume = """
                {"name": "ca", "projected": {"sources": [{"clusterTrustBundle": {"path": "ca.pem", %s}}]}}""";
        String bySigner = volume.formatted("\"signerName\": \"a.b/c\", \"labelSelector\": {}");
        assertThatThrownBy(() -> node.mount(pod("a", bySigner)))
                .hasMessageContaining("cluster trust bundles cannot be read");
        node.api.serve(TrustBundles.BUNDLES, "ClusterTrustBundle");
        assertThatThrownBy(() -> node.mount(pod("a", bySigner)))
                .hasMessageEndingWith("no trust bundles match signerName=\"a.b/c\"");
        String one = "-----BEGIN CERTIFICATE-----\nMQ==\n-----END CERTIFICATE-----\n";
        String two = "-----BEGIN CERTIFICATE-----\nMg==\n-----END CERTIFICATE-----\n";
        for (String[] bundle : new String[][] {{"a.b:c:x", one + two}, {"a.b:c:y", two}, {"other", one}}) {
            ObjectNode object = named(bundle[0]);
            object.putObject("spec")
                    .put("signerName", bundle[0].startsWith("a.b") ? "a.b/c" : "")
                    .put("trustBundle", bundle[1]);
            node.api.create(TrustBundles.BUNDLES, "", object);
        }
        assertThat(Files.readString(node.mount(pod("a", bySigner)).resolve("ca.pem")))
                .isEqualTo(one + two);
        String byName = volume.formatted("\"name\": \"other\"");
        assertThat(Files.readString(node.mount(pod("b", byName)).resolve("ca.pem")))
                .isEqualTo(one);
        assertThatThrownBy(() -> node.mount(pod("c", volume.formatted("\"name\": \"none\""))))
                .hasMessageEndingWith("clustertrustbundle \"none\" not found");
        String optional = volume.formatted("\"name\": \"none\", \"optional\": true");
        assertThat(node.mount(pod("d", optional)).resolve("ca.pem")).isEmptyFile();
    }

    @Test
    void aPodReadsAboutItself() throws Exception {
        ObjectNode pod = pod("a", """
                {"name": "info", "downwardAPI": {"items": [
                  {"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}},
                  {"path": "one", "fieldRef": {"fieldPath": "metadata.annotations['a/b']"}},
                  {"path": "cpu", "resourceFieldRef": {"containerName": "main", "resource": "limits.cpu", "divisor": "1m"}},
                  {"path": "cores", "resourceFieldRef": {"containerName": "main", "resource": "requests.cpu"}},
                  {"path": "mem", "resourceFieldRef": {"containerName": "main", "resource": "limits.memory", "divisor": "1Mi"}}]}}
                """);
        Json.ensureObject(pod, "metadata", "labels").put("z", "a \"b\"").put("b", "c\nd");
        Json.ensureObject(pod, "metadata", "annotations").put("a/b", "note");
        ObjectNode resources = Json.ensureObject((ObjectNode) pod.at("/spec/containers/0"), "resources");
        resources.putObject("limits").put("cpu", "1250m");
        resources.putObject("requests").put("cpu", "1250m");
        Path path = node.mount(pod);
        assertThat(Files.readString(path.resolve("labels"))).isEqualTo("b=\"c\\nd\"\nz=\"a \\\"b\\\"\"");
        assertThat(path.resolve("one")).hasContent("note");
        assertThat(path.resolve("cpu")).hasContent("1250");
        assertThat(path.resolve("cores")).hasContent("2");
        assertThat(path.resolve("mem")).hasContent("1024");

        Json.ensureObject(pod, "metadata", "labels").put("z", "new").remove("b");
        volumes.refresh(pod);
        assertThat(path.resolve("labels")).hasContent("z=\"new\"");
    }

    // ---- fsGroup

    @Test
    void whoMayNotGiveFilesAwayKeepsThem() throws Exception {
        assumeFalse(FileFacts.mayGiveAway(), "this is about users who are not root");
        node.configMap("kube-root-ca.crt", Map.of("ca.crt", "PEM"));
        ObjectNode pod = pod("a", TOKEN, """
                {"name": "scratch", "emptyDir": {}}""");
        Json.ensureObject(pod, "spec", "securityContext").put("fsGroup", 3000).put("runAsUser", 1234);
        assertThat(volumes.mount(pod)).hasSize(2);
    }

    @Test
    void aGroupSharesThePodsVolumes() throws Exception {
        TestingNode.requireRoot();
        node.configMap("settings", Map.of("one", "1"));
        ObjectNode pod = pod("a", """
                {"name": "scratch", "emptyDir": {}}""", """
                {"name": "cfg", "configMap": {"name": "settings", "defaultMode": 256}}""");
        Json.ensureObject(pod, "spec", "securityContext").put("fsGroup", 3000);
        var mounted = volumes.mount(pod);
        Path scratch = mounted.get("scratch").path();
        assertThat(mode(scratch)).isEqualTo(02777);
        assertThat(group(scratch)).isEqualTo(3000);
        Path file = mounted.get("cfg").path().resolve("one").toRealPath();
        assertThat(mode(file)).isEqualTo(0440);
        assertThat(group(mounted.get("cfg").path())).isEqualTo(3000);
        assertThat(mode(mounted.get("cfg").path())).isEqualTo(02777);
        assertThat(group(file)).isEqualTo(3000);
        assertThat(group(Files.createFile(scratch.resolve("new")))).isEqualTo(3000);
    }

    @Test
    void linksInAVolumeAreNotFollowedWhenItIsGivenAway() throws Exception {
        TestingNode.requireRoot();
        Path outside = Files.writeString(directory.resolve("outside"), "x");
        Files.setPosixFilePermissions(outside, PosixFilePermissions.fromString("rw-------"));
        ObjectNode pod = pod("a", """
                {"name": "scratch", "emptyDir": {}}""");
        Path path = node.mount(pod);
        Files.createSymbolicLink(path.resolve("link"), outside);
        Files.createSymbolicLink(path.resolve("up"), directory);
        Json.ensureObject(pod, "spec", "securityContext").put("fsGroup", 3000);
        node.mount(pod);
        assertThat(group(path)).isEqualTo(3000);
        assertThat(mode(outside)).isEqualTo(0600);
        assertThat(group(outside)).isNotEqualTo(3000);
    }

    // ---- what is not there

    @Test
    void otherVolumesAreRefusedInWordsThatHelp() {
        assertThatThrownBy(() -> volumes.mount(pod("a", """
                        {"name": "v", "nfs": {"server": "x", "path": "/"}}""")))
                .hasMessage("MountVolume.SetUp failed for volume \"v\" : volumes of nfs are not supported on this node;"
                        + " supported are configMap, downwardAPI, emptyDir, ephemeral, hostPath, image,"
                        + " persistentVolumeClaim (hostPath and local), projected and secret");
        assertThatThrownBy(() -> volumes.mount(pod("../../etc", "{\"name\": \"v\", \"emptyDir\": {}}")))
                .isInstanceOf(IllegalArgumentException.class);
    }

    // ---- after a crash

    @Test
    void nothingIsLeftOfANodeThatGoes() throws Exception {
        node.configMap("kube-root-ca.crt", Map.of("ca.crt", "PEM"));
        volumes.mount(pod("a", TOKEN, """
                {"name": "shm", "emptyDir": {"medium": "Memory"}}"""));
        volumes.mount(pod("b", TOKEN));
        volumes.close();
        Path link = Files.createSymbolicLink(directory.resolve("link"), node.directory);
        NodeVolumes.dismantle(link);
        assertThat(node.directory).isEmptyDirectory();
        assertThat(node.mounts()).isEmpty();
    }

    @Test
    void whatAKilledProcessLeftIsFoundAndTakenAway() throws Exception {
        node.configMap("kube-root-ca.crt", Map.of("ca.crt", "PEM"));
        ObjectNode pod = pod("a", TOKEN, """
                {"name": "shm", "emptyDir": {"medium": "Memory"}}""", """
                {"name": "scratch", "emptyDir": {}}""");
        Path scratch = volumes.mount(pod).get("scratch").path();
        Files.writeString(scratch.resolve("kept"), "x");
        node.restart();
        assertThat(node.volumes.present()).containsExactly("a");
        assertThat(node.volumes.mount(pod).get("scratch").path().resolve("kept"))
                .hasContent("x");

        node.restart();
        node.volumes.unmount("a");
        assertThat(node.volumes.present()).isEmpty();
        assertThat(scratch).doesNotExist();
        assertThat(node.mounts()).hasSizeLessThanOrEqualTo(1);
    }
}
