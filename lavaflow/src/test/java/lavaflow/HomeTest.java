package lavaflow;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class HomeTest {
    @TempDir
    private Path directory;

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    private Home home() throws IOException {
        Home home = Home.of(directory.resolve("data"));
        home.create();
        return home;
    }

    @Test
    void whoWantsSomethingOfAClusterThatIsNotThereLearnsHowToStartIt() {
        String missing = directory.resolve("nothing").toString();
        for (List<String> words : List.of(
                List.of("kubeconfig", "--data-dir", missing),
                List.of("backup", directory.resolve("copy").toString(), "--data-dir", missing))) {
            assertThat(Lava.run(words, new PrintWriter(new StringWriter()))).isEqualTo(Lava.UNREACHABLE);
        }
        assertThat(Home.of(Path.of(missing)).missing()).hasMessageEndingWith("Start it with: lava up --detach");
    }

    @Test
    void aNewDirectoryIsPrivate() throws IOException {
        assertThat(mode(home().directory())).isEqualTo("rwx------");
    }

    @Test
    void aDirectoryThatWasThereKeepsItsMode() throws IOException {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-x---"));
        Home home = Home.of(directory);
        home.create();

        assertThat(mode(directory)).isEqualTo("rwxr-x---");
    }

    @Test
    void filesArePrivateFromTheirFirstByteAndReplacedAsAWhole() throws IOException {
        Home home = home();
        home.writePrivate(home.kubeconfig(), "first");
        home.writePrivate(home.kubeconfig(), "second");

        assertThat(home.kubeconfig()).hasContent("second");
        assertThat(mode(home.kubeconfig())).isEqualTo("rw-------");
        try (Stream<Path> files = Files.list(home.directory())) {
            assertThat(files).containsExactly(home.kubeconfig());
        }
    }

    @Test
    void whatACrashLeftHalfWrittenIsInNobodysWay() throws IOException {
        Home home = home();
        Files.writeString(home.directory().resolve("kubeconfig.new"), "half");
        home.writePrivate(home.kubeconfig(), "whole");

        assertThat(home.kubeconfig()).hasContent("whole");
    }

    @Test
    void aServerThatRunsIsFoundUntilItWithdraws() throws IOException {
        Home home = home();
        Home.Running self = new Home.Running(
                ProcessHandle.current().pid(),
                "https://127.0.0.1:1",
                Instant.now().toString());
        home.announce(self);
        assertThat(home.running()).contains(self);

        home.withdraw();
        assertThat(home.running()).isEmpty();
    }

    @Test
    void aServerThatEndsTellsHowManyPodsItWaitsFor() throws IOException {
        Home home = home();
        Home.Running self = new Home.Running(
                ProcessHandle.current().pid(),
                "https://127.0.0.1:1",
                Instant.now().toString());
        assertThat(self.isEnding()).isFalse();
        home.announce(self.ending(3));

        Home.Running found = home.running().orElseThrow();
        assertThat(found.isEnding()).isTrue();
        assertThat(found.endingPods()).isEqualTo(3);
    }

    @Test
    void aServerThatDiedIsNotRunning() throws Exception {
        Process process = new ProcessBuilder("true").start();
        process.waitFor();
        Home home = home();
        home.announce(new Home.Running(
                process.pid(), "https://127.0.0.1:1", Instant.now().toString()));

        assertThat(home.running()).isEmpty();
    }

    @Test
    void anotherProcessThatGotItsNumberIsNotTakenForIt() throws IOException {
        Home home = home();
        home.announce(new Home.Running(ProcessHandle.current().pid(), "https://127.0.0.1:1", "2001-01-01T00:00:00Z"));

        assertThat(home.running()).isEmpty();
    }

    @Test
    void dataGoesWhereTheEnvironmentSays() {
        assertThat(Home.of(null, Map.of("HOME", "/h")).kubeconfig()).isEqualTo(Path.of("/h/.lava/kubeconfig"));
        assertThat(Home.of(null, Map.of("HOME", "/h", "LAVA_HOME", "/data")).kubeconfig())
                .isEqualTo(Path.of("/data/kubeconfig"));
        assertThat(Home.of(Path.of("/given"), Map.of("LAVA_HOME", "/data")).kubeconfig())
                .isEqualTo(Path.of("/given/kubeconfig"));
    }
}
