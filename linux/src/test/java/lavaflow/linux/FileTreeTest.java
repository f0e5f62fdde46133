package lavaflow.linux;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

class FileTreeTest {
    private static final int MOST = 1_000_000;

    @TempDir
    private Path directory;

    @Test
    void onlyWhatIsOnDiskCounts() throws Exception {
        FileTree.Space before = FileTree.measure(directory, MOST);
        try (RandomAccessFile file =
                new RandomAccessFile(directory.resolve("holes").toFile(), "rw")) {
            file.setLength(1L << 32);
        }
        Files.write(directory.resolve("one"), new byte[100_000]);
        Files.createLink(directory.resolve("two"), directory.resolve("one"));
        Files.createSymbolicLink(directory.resolve("up"), Path.of("/usr"));
        FileTree.Space after = FileTree.measure(directory, MOST);
        assertThat(after.bytes() - before.bytes()).isBetween(100_000L, 150_000L);
        assertThat(after.files() - before.files()).isEqualTo(3);
    }

    @Test
    void whatIsNotThereTakesNothingAndIsDeletedAlready() throws Exception {
        assertThat(FileTree.measure(directory.resolve("gone/deep"), MOST)).isEqualTo(FileTree.Space.NONE);
        FileTree.delete(directory.resolve("gone/deep"));
    }

    @Test
    void countingEndsSomewhere() throws Exception {
        for (int i = 0; i < 50; i++) {
            Files.createDirectories(directory.resolve("d" + i + "/e"));
        }
        assertThat(FileTree.measure(directory, 20).files()).isEqualTo(20);
    }

    @Test
    void treesAreDeletedThatAreDeeperThanAnyPath() throws Exception {
        Path deep = directory.resolve("deep");
        makeDeep(deep, 20, 50);
        assertThat(FileTree.measure(deep, MOST).files()).isEqualTo(20 * 50 + 1);
        FileTree.delete(deep);
        assertThat(deep).doesNotExist();
    }

    /** Makes a tree of so many parts, each of so many levels: a part is made below the root and moved to the end of the rest. */
    private void makeDeep(Path top, int parts, int levels) throws IOException {
        Files.createDirectory(top);
        for (int part = 0; part < parts; part++) {
            Path piece = directory.resolve("piece");
            Path inner = piece;
            for (int i = 1; i < levels; i++) {
                inner = inner.resolve("d".repeat(20));
            }
            Files.createDirectories(inner);
            Path first = top.resolve("x");
            if (Files.exists(first)) {
                Files.move(first, inner.resolve("x"));
            }
            Files.move(piece, first);
        }
    }

    @Test
    void manyDirectoriesAreDeletedWithWhatIsInThem() throws Exception {
        Path wide = directory.resolve("wide");
        for (int i = 0; i < 500; i++) {
            Path each = Files.createDirectories(wide.resolve("directory-with-a-long-name-" + i));
            Files.createFile(each.resolve("a"));
            Files.createDirectory(each.resolve("b"));
        }
        FileTree.delete(wide);
        assertThat(wide).doesNotExist();
    }

    @Test
    void linksAreDeletedAndNotFollowed() throws Exception {
        Path kept = Files.createDirectories(directory.resolve("kept/inner"));
        Files.createFile(kept.resolve("file"));
        Path gone = Files.createDirectory(directory.resolve("gone"));
        Files.createSymbolicLink(gone.resolve("link"), kept);
        FileTree.delete(gone);
        assertThat(gone).doesNotExist();
        assertThat(kept.resolve("file")).exists();

        Path link = Files.createSymbolicLink(directory.resolve("link"), kept);
        FileTree.delete(link);
        assertThat(link).doesNotExist();
        assertThat(kept.resolve("file")).exists();
    }

    @Test
    void namesAreBytes() throws Exception {
        Path odd = Path.of(java.net.URI.create(directory.toUri() + "%ff%fe+x"));
        Files.createDirectories(odd.resolve("inner"));
        FileTree.delete(odd);
        assertThat(odd).doesNotExist();
        Files.createDirectories(odd.resolve("inner"));
        FileTree.delete(odd.resolve("inner"));
        assertThat(odd).isEmptyDirectory();
    }

    @Test
    void directoriesThatAreNotWritableAreDeletedByTheirOwner() throws Exception {
        Path closed = Files.createDirectory(directory.resolve("closed"));
        Files.createFile(closed.resolve("file"));
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("r-xr-xr-x"));
        FileTree.delete(closed);
        assertThat(closed).doesNotExist();
    }

    @Test
    void whatIsMountedIsNeitherCountedNorDeleted() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "only root may mount");
        Path other = Files.createDirectory(directory.resolve("other"));
        Files.write(other.resolve("file"), new byte[1 << 20]);
        Path tree = Files.createDirectory(directory.resolve("tree"));
        Path point = Files.createDirectory(tree.resolve("point"));
        try {
            // The same device: only the kernel knows that this is something else.
            Mounts.bind(other, point);
        } catch (IOException e) {
            assumeTrue(false, "mounts are not allowed here");
        }
        try {
            assertThat(FileTree.measure(tree, MOST).bytes()).isLessThan(100_000);
            assertThatThrownBy(() -> FileTree.delete(tree)).hasMessageContaining("mounted at point");
            assertThatThrownBy(() -> FileTree.delete(point)).hasMessageContaining("mounted at point");
            assertThat(other.resolve("file")).exists();
        } finally {
            Mounts.unmount(point);
        }
        FileTree.delete(tree);
        assertThat(tree).doesNotExist();
    }
}
