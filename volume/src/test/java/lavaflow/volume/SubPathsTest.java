package lavaflow.volume;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

import lavaflow.kube.Json;
import lavaflow.linux.Mounts;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static lavaflow.volume.TestingNode.group;
import static lavaflow.volume.TestingNode.mode;
import static lavaflow.volume.TestingNode.pod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Parts of volumes whose contents belong to somebody who wants to see what lies beside them. */
@Timeout(600)
class SubPathsTest {
    @TempDir
    private Path directory;

    private TestingNode node;
    private ObjectNode pod;
    private JsonNode mount;
    private MountedVolume volume;
    private Path path;

    @BeforeEach
    void open() throws Exception {
        TestingNode.requireRoot();
        node = new TestingNode(directory.resolve("volumes"));
        pod = pod("a", """
                {"name": "data", "emptyDir": {}}""");
        mount = TestingNode.volumeMount(pod, "data");
        volume = node.volumes.mount(pod).get("data");
        path = volume.path();
        Files.writeString(directory.resolve("secret"), "secret");
    }

    @AfterEach
    void close() throws IOException {
        if (node != null) {
            node.close();
        }
    }

    private Path source(String subPath) throws VolumeException {
        return node.volumes.source(pod, "main", volume, mount, subPath);
    }

    @Test
    void thePartIsBoundToAPlaceThatNobodyElseCanChange() throws Exception {
        Files.createDirectories(path.resolve("logs/app"));
        Files.writeString(path.resolve("logs/app/one"), "1");
        Path source = source("logs/app");
        assertThat(source).startsWith(node.directory.toRealPath()).isNotEqualTo(path.resolve("logs/app"));
        assertThat(source.resolve("one")).hasContent("1");

        Files.move(path.resolve("logs"), path.resolve("moved"));
        Files.createSymbolicLink(path.resolve("logs"), directory);
        assertThat(source.resolve("one")).as("what was found stays what it was").hasContent("1");

        node.volumes.unmount("a");
        assertThat(source).doesNotExist();
        assertThat(node.mounts()).noneMatch(target -> target.startsWith(source));
    }

    @Test
    void aRestartedContainerGetsTheSamePartOrANewOneOfThatName() throws Exception {
        Files.createDirectory(path.resolve("part"));
        Path first = source("part");
        assertThat(source("part")).isEqualTo(first);
        assertThat(node.mounts()).filteredOn(first::equals).hasSize(1);

        Files.move(path.resolve("part"), path.resolve("old"));
        Files.createDirectory(path.resolve("part"));
        Files.writeString(path.resolve("part/new"), "new");
        assertThat(source("part").resolve("new")).hasContent("new");
        assertThat(node.mounts()).filteredOn(first::equals).hasSize(1);
    }

    @Test
    void missingDirectoriesAreMadeLikeTheVolume() throws Exception {
        assertThat(source("not/yet/there")).isDirectory();
        assertThat(mode(path.resolve("not"))).isEqualTo(0777);
        assertThat(mode(path.resolve("not/yet/there"))).isEqualTo(0777);

        ObjectNode shared = pod("shared", """
                {"name": "data", "emptyDir": {}}""");
        Json.ensureObject(shared, "spec", "securityContext").put("fsGroup", 4000);
        JsonNode wanted = TestingNode.volumeMount(shared, "data");
        MountedVolume data = node.volumes.mount(shared).get("data");
        Path made = node.volumes.source(shared, "main", data, wanted, "a/b");
        assertThat(group(made)).isEqualTo(4000);
        assertThat(mode(made)).isEqualTo(02777);
    }

    @Test
    void aPartMayBeAFileAndAFileOfAConfigMap() throws Exception {
        Files.writeString(path.resolve("file"), "content");
        assertThat(source("file")).isRegularFile().hasContent("content");

        node.configMap("settings", Map.of("key", "value"));
        ObjectNode other = pod("b", """
                {"name": "cfg", "configMap": {"name": "settings"}}""");
        JsonNode wanted = TestingNode.volumeMount(other, "cfg");
        MountedVolume map = node.volumes.mount(other).get("cfg");
        Path key = node.volumes.source(other, "main", map, wanted, "key");
        assertThat(key).isRegularFile().hasContent("value");
        node.api.edit(Contents.CONFIG_MAPS, "team", "settings", object -> {
            ((ObjectNode) object.get("data")).put("key", "changed");
            return object;
        });
        org.awaitility.Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> node.changes.contains("b"));
        node.volumes.refresh(other);
        assertThat(map.path().resolve("key")).hasContent("changed");
        assertThat(key).as("parts of volumes are not renewed").hasContent("value");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/etc", "..", "../secret", "a/../../secret", "a/.."})
    void waysUpAreRefused(String subPath) {
        assertThatThrownBy(() -> source(subPath))
                .isInstanceOf(VolumeException.class)
                .hasMessageContaining("must not");
    }

    @Test
    void linksInsideTheVolumeAreFollowedAndOthersRefused() throws Exception {
        Files.createDirectories(path.resolve("real/deep"));
        Files.createSymbolicLink(path.resolve("inside"), Path.of("real"));
        Files.createSymbolicLink(path.resolve("real/up"), Path.of("../real/deep"));
        assertThat(source("inside/deep")).isDirectory();
        assertThat(source("inside/up")).isDirectory();

        Files.createSymbolicLink(path.resolve("absolute"), directory);
        Files.createSymbolicLink(path.resolve("relative"), Path.of("../../../../.."));
        Files.createSymbolicLink(path.resolve("proc"), Path.of("/proc/self/root"));
        Files.createSymbolicLink(path.resolve("loop"), Path.of("loop"));
        for (String name : new String[] {"absolute", "relative", "proc", "loop", "absolute/secret", "relative/x"}) {
            assertThatThrownBy(() -> source(name))
                    .as(name)
                    .isInstanceOf(VolumeException.class)
                    .hasMessageContaining("leads outside of the volume");
        }
        Files.createSymbolicLink(path.resolve("dangling"), Path.of("nowhere"));
        assertThatThrownBy(() -> source("dangling")).hasMessageContaining("is a link that leads nowhere");
        assertThatThrownBy(() -> source("dangling/below")).isInstanceOf(VolumeException.class);
        assertThat(path.resolve("nowhere")).doesNotExist();
    }

    @Test
    void directoriesAreNotMadeThroughLinksThatLeadOutside() throws Exception {
        Path outside = Files.createDirectory(directory.resolve("outside"));
        Files.createSymbolicLink(path.resolve("link"), outside);
        assertThatThrownBy(() -> source("link/made")).hasMessageContaining("leads outside");
        assertThat(outside).isEmptyDirectory();
    }

    /** Whoever can write to the volume swaps a directory and a link to the outside, as fast as the machine can. */
    @Test
    void nobodyIsFastEnoughToLeadTheNodeOutside() throws Exception {
        Path outside = Files.createDirectory(directory.resolve("outside"));
        Files.writeString(outside.resolve("marker"), "secret");
        Files.createDirectories(path.resolve("good/part"));
        Files.createSymbolicLink(path.resolve("bad"), outside);
        AtomicBoolean over = new AtomicBoolean();
        Thread renamer = Thread.ofPlatform().start(() -> swap(over));
        int found = 0;
        int refused = 0;
        try {
            for (int i = 0; i < 1000 || found == 0 || refused == 0; i++) {
                try {
                    Path source = source(i % 2 == 0 ? "turn/part" : "turn/made-" + i);
                    found++;
                    assertThat(source.resolve("marker")).doesNotExist();
                    assertThat(inVolume(source)).as("round " + i).isTrue();
                } catch (VolumeException e) {
                    refused += String.valueOf(e.getMessage()).contains("leads outside") ? 1 : 0;
                }
            }
        } finally {
            over.set(true);
            renamer.join();
        }
        assertThat(outside.toFile().list()).containsExactly("marker");
    }

    private void swap(AtomicBoolean over) {
        for (int i = 0; !over.get(); i++) {
            try {
                Files.move(path.resolve("good"), path.resolve("turn"));
                Files.move(path.resolve("turn"), path.resolve("good"));
                Files.move(path.resolve("bad"), path.resolve("turn"));
                Files.move(path.resolve("turn"), path.resolve("bad"));
            } catch (IOException _) {
                // The node made turn itself while nothing was there.
                boolean ignored = path.resolve("turn")
                        .toFile()
                        .renameTo(path.resolve("junk-" + i).toFile());
            }
        }
    }

    private boolean inVolume(Path source) throws IOException {
        Path real = path.toRealPath();
        return Mounts.table().stream()
                .filter(entry -> entry.target().equals(source))
                .allMatch(entry ->
                        entry.root().startsWith(real) || entry.root().toString().contains("empty-dir/data"));
    }

    // ---- files that the node reads ----

    @Test
    void filesAreReadWhereTheyAre() throws Exception {
        Files.createDirectory(path.resolve("a"));
        Files.writeString(path.resolve("a/file"), "text");
        Files.createSymbolicLink(path.resolve("link"), Path.of("a/file"));

        assertThat(node.volumes.text(volume, "a/file")).isEqualTo("text");
        assertThat(node.volumes.text(volume, "link")).isEqualTo("text");
    }

    @Test
    @Timeout(60)
    void whatIsNoFileOfTheVolumeIsNotRead() throws Exception {
        Files.createSymbolicLink(path.resolve("out"), directory.resolve("secret"));
        Files.createDirectory(path.resolve("a"));
        assertThat(new ProcessBuilder("mkfifo", path.resolve("pipe").toString())
                        .start()
                        .waitFor())
                .isZero();
        Files.write(path.resolve("large"), new byte[(1 << 20) + 1]);

        refuses("none", "there is no file \"none\"");
        refuses("out", "\"out\" leads outside of the volume");
        refuses("a/../../secret", "subPath \"a/../../secret\" must not contain \"..\"");
        refuses("a", "\"a\" is not a file");
        refuses("pipe", "\"pipe\" is not a file");
        refuses("large", "\"large\" is larger than 1048576 bytes");
    }

    private void refuses(String file, String problem) {
        assertThatThrownBy(() -> node.volumes.text(volume, file))
                .isInstanceOf(VolumeException.class)
                .hasMessage(problem);
    }
}
