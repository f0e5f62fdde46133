package lavaflow.volume;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import lavaflow.linux.Mounts;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What must never happen: that something is deleted which was only mounted. */
class TreesTest {
    @TempDir
    private Path directory;

    private Path tree;
    private Path precious;

    @BeforeEach
    void mount() throws IOException {
        TestingNode.requireRoot();
        precious = Files.createDirectory(directory.resolve("precious"));
        Files.writeString(precious.resolve("file"), "x");
        tree = Files.createDirectory(directory.resolve("tree"));
        Files.createDirectories(tree.resolve("sub/at"));
        Mounts.bind(precious, tree.resolve("sub/at"));
    }

    @AfterEach
    void unmount() throws IOException {
        Mounts.unmountBelow(directory.toRealPath());
    }

    @Test
    void mountsAreTakenAwayBeforeAnythingIsDeleted() throws Exception {
        Mounts.bind(precious, tree.resolve("sub/at"));
        Files.createFile(tree.resolve("sub/one"));
        Mounts.bind(precious.resolve("file"), tree.resolve("sub/one"));
        Trees.unmountAndDelete(tree);
        assertThat(tree).doesNotExist();
        assertThat(precious.resolve("file")).hasContent("x");
    }

    @Test
    void theSameThroughALink() throws Exception {
        Path link = Files.createSymbolicLink(directory.resolve("link"), directory);
        Trees.unmountAndDelete(link.resolve("tree"));
        assertThat(tree).doesNotExist();
        assertThat(precious.resolve("file")).hasContent("x");
    }

    @Test
    void aMountThatIsStillThereStopsTheDeletion() throws Exception {
        assertThatThrownBy(() -> Trees.delete(tree)).hasMessageContaining("still mounted");
        Path link = Files.createSymbolicLink(directory.resolve("link"), directory);
        assertThatThrownBy(() -> Trees.delete(link.resolve("tree"))).hasMessageContaining("still mounted");
        assertThat(precious.resolve("file")).hasContent("x");
    }

    @Test
    void linksAreDeletedAndNotFollowed() throws Exception {
        Path other = Files.createDirectory(directory.resolve("other"));
        Files.createSymbolicLink(other.resolve("link"), precious);
        Path link = Files.createSymbolicLink(directory.resolve("link"), precious);
        Trees.delete(other);
        Trees.delete(link);
        Trees.delete(directory.resolve("none"));
        assertThat(other).doesNotExist();
        assertThat(Files.isSymbolicLink(link)).isFalse();
        assertThat(precious.resolve("file")).hasContent("x");
    }
}
