package lavaflow.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class DirectoryRemovalTest {
    @TempDir
    private Path directory;

    @Test
    void whatIsDeeperThanPathsReachIsRemoved() throws IOException {
        Path top = Files.createDirectory(directory.resolve("top"));
        // A piece is made, what there was is moved to its end, and the whole takes its place: deeper each time.
        for (int piece = 0; piece < 8; piece++) {
            Path made = directory.resolve("piece");
            Path inner = Files.createDirectories(made.resolve("d".repeat(200) + "/" + "e".repeat(200) + "/"
                    + "f".repeat(200) + "/" + "g".repeat(200) + "/" + "h".repeat(200)));
            Files.createFile(made.resolve("file"));
            Path before = top.resolve("x");
            if (Files.exists(before)) {
                Files.move(before, inner.resolve("x"));
            }
            Files.move(made, before);
        }
        DirectoryRemoval.remove(top);
        assertThat(top).doesNotExist();
        DirectoryRemoval.remove(top);
    }

    @Test
    void linksAreNotFollowed() throws IOException {
        Path kept = Files.createFile(
                Files.createDirectory(directory.resolve("kept")).resolve("file"));
        Path top = Files.createDirectory(directory.resolve("top"));
        Files.createSymbolicLink(top.resolve("link"), kept.getParent());
        DirectoryRemoval.remove(top);
        assertThat(top).doesNotExist();
        assertThat(kept).exists();
    }

    @Test
    void nothingIsRemovedWhereSomethingIsMounted() {
        String table = "22 1 8:1 / / rw - ext4 /dev/sda rw\n30 22 8:1 /x /data/a\\040b/in rw - ext4 /dev/sda rw\n";
        assertThatThrownBy(() -> DirectoryRemoval.refuseMounts(Path.of("/data/a b"), table))
                .hasMessage("something is mounted at /data/a b/in");
        assertThatThrownBy(() -> DirectoryRemoval.refuseMounts(Path.of("/data/a b/in"), table))
                .hasMessageContaining("mounted");
        assertThatCode(() -> DirectoryRemoval.refuseMounts(Path.of("/data/a"), table))
                .doesNotThrowAnyException();
    }
}
