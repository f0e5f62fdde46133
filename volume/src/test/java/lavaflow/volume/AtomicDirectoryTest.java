package lavaflow.volume;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static lavaflow.volume.TestingNode.mode;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@Timeout(600)
class AtomicDirectoryTest {
    private static final Instant NOW = Instant.parse("2026-11-15T06:00:00.5Z");

    @TempDir
    private Path parent;

    private Path target;
    private AtomicDirectory directory;

    @BeforeEach
    void open() {
        target = parent.resolve("volume");
        directory = new AtomicDirectory(target, () -> NOW);
    }

    private static SortedMap<String, PayloadFile> files(String... pathsAndContents) {
        SortedMap<String, PayloadFile> files = new TreeMap<>();
        for (int i = 0; i < pathsAndContents.length; i += 2) {
            files.put(
                    pathsAndContents[i],
                    new PayloadFile(pathsAndContents[i + 1].getBytes(StandardCharsets.UTF_8), 0640, null));
        }
        return files;
    }

    private boolean write(String... pathsAndContents) throws IOException, VolumeException {
        return directory.write(files(pathsAndContents), _ -> {});
    }

    private java.util.List<String> names() throws IOException {
        try (Stream<Path> entries = Files.list(target)) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void filesAreSeenThroughOneLink() throws Exception {
        assertThat(write("a", "1", "sub/b", "2")).isTrue();
        String version = Files.readSymbolicLink(target.resolve("..data")).toString();
        assertThat(version).matches("\\.\\.2026_11_15_06_00_00\\.\\d+");
        assertThat(names()).containsExactly(version, "..data", "a", "sub");
        assertThat(Files.readSymbolicLink(target.resolve("a"))).hasToString("..data/a");
        assertThat(Files.readSymbolicLink(target.resolve("sub"))).hasToString("..data/sub");
        assertThat(target.resolve("sub/b")).hasContent("2");
        assertThat(mode(target.resolve("sub/b"))).isEqualTo(0640);
        assertThat(mode(target.resolve(version))).isEqualTo(0755);
        assertThat(mode(target.resolve(version).resolve("sub"))).isEqualTo(0755);
    }

    @Test
    void theSameAgainChangesNothing() throws Exception {
        write("a", "1", "sub/b", "2");
        Path version = Files.readSymbolicLink(target.resolve("..data"));
        assertThat(write("a", "1", "sub/b", "2")).isFalse();
        assertThat(Files.readSymbolicLink(target.resolve("..data"))).isEqualTo(version);
        assertThat(write("a", "1")).isTrue();
        assertThat(write()).isTrue();
        assertThat(names()).hasSize(2).last().isEqualTo("..data");
        assertThat(write()).isFalse();
    }

    @Test
    void whatIsNoLongerThereIsNotSeen() throws Exception {
        write("a", "1", "sub/b", "2", "sub/c", "3");
        write("new", "1", "sub/c", "4");
        assertThat(names()).hasSize(4).contains("new", "sub").doesNotContain("a");
        assertThat(target.resolve("sub/b")).doesNotExist();
        assertThat(target.resolve("sub/c")).hasContent("4");
    }

    @Test
    void whatAKilledWriterLeftIsCleared() throws Exception {
        write("a", "1");
        Files.createDirectories(target.resolve("..2026_01_01_00_00_00.1/half"));
        Files.createSymbolicLink(target.resolve("..data_tmp"), Path.of("..2026_01_01_00_00_00.1"));
        write("a", "2");
        assertThat(target.resolve("a")).hasContent("2");
        assertThat(names()).hasSize(3);

        // Killed between putting a version in place and showing its names.
        Files.delete(target.resolve("a"));
        assertThat(write("a", "2")).isTrue();
        assertThat(target.resolve("a")).hasContent("2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/etc/passwd", "..", "../a", "..data", "a/../../b"})
    void pathsThatLeadElsewhereAreRefused(String path) {
        assertThatThrownBy(() -> write(path, "x"))
                .isInstanceOf(VolumeException.class)
                .hasMessageContaining("invalid path");
    }

    /** Whoever holds on to one version sees files that belong together. */
    @Test
    void aReaderSeesOneVersionOrTheNextButNeverAMixture() throws Exception {
        write("a", "0", "b", "0");
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger read = new AtomicInteger();
        AtomicReference<String> mixture = new AtomicReference<>("");
        Thread reader = Thread.ofPlatform().start(() -> {
            while (!over.get()) {
                try {
                    Path version = target.resolve("..data").toRealPath();
                    String a = Files.readString(version.resolve("a"));
                    String b = Files.readString(version.resolve("b"));
                    read.incrementAndGet();
                    if (!a.equals(b)) {
                        mixture.set(a + " and " + b);
                    }
                    if (Files.readString(target.resolve("a")).isEmpty()) {
                        mixture.set("a file that is being written");
                    }
                } catch (IOException _) {
                    // The version went while it was read; who wants to be safe opens the directory.
                }
            }
        });
        for (int i = 1; i <= 300 || read.get() < 100; i++) {
            write("a", Integer.toString(i), "b", Integer.toString(i));
        }
        over.set(true);
        reader.join();
        assertThat(mixture.get()).isEmpty();
    }
}
