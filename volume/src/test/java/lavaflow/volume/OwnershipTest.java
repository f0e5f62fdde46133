package lavaflow.volume;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static lavaflow.volume.TestingNode.group;
import static lavaflow.volume.TestingNode.mode;
import static org.assertj.core.api.Assertions.assertThat;

@Timeout(600)
class OwnershipTest {
    private static final Ownership OWNERSHIP = new Ownership(6000, true);

    @TempDir
    private Path directory;

    private Path volume;

    @BeforeEach
    void makeVolume() throws IOException {
        TestingNode.requireRoot();
        volume = Files.createDirectory(directory.resolve("volume"));
    }

    @Test
    void filesAreReadableAndDirectoriesPassTheGroupOn() throws Exception {
        Path sub = Files.createDirectory(volume.resolve("sub"));
        Path file = Files.createFile(sub.resolve("file"));
        Path program = Files.createFile(volume.resolve("program"));
        FileFacts.setPermissions(sub, 0700);
        FileFacts.setPermissions(file, 0600);
        FileFacts.setPermissions(program, 0700);

        OWNERSHIP.give(volume, false);
        assertThat(mode(sub)).isEqualTo(02770);
        assertThat(mode(file)).isEqualTo(0660);
        assertThat(mode(program)).as("not what was not there before").isEqualTo(0760);
        assertThat(group(file)).isEqualTo(6000);
    }

    @Test
    void whatIsNotToBeWrittenIsOnlyReadable() throws Exception {
        Path file = Files.createFile(volume.resolve("file"));
        FileFacts.setPermissions(file, 0400);
        FileFacts.setPermissions(volume, 0700);
        OWNERSHIP.give(volume, true);
        assertThat(mode(file)).isEqualTo(0440);
        assertThat(mode(volume)).isEqualTo(02750);
    }

    @Test
    void pipesAndDeepTreesHoldNobodyUp() throws Exception {
        Process made = new ProcessBuilder("mkfifo", volume.resolve("pipe").toString()).start();
        assertThat(made.waitFor()).isZero();
        Path deep = volume;
        for (int i = 0; i < 150; i++) {
            deep = Files.createDirectory(deep.resolve("directory-" + i));
        }
        OWNERSHIP.give(volume, false);
        assertThat(group(volume.resolve("pipe"))).isEqualTo(6000);
        assertThat(group(deep)).isEqualTo(6000);
    }

    /** A pod that shares the volume swaps a directory and a link to the machine's files while they are given away. */
    @Test
    void nobodyIsFastEnoughToGiveAwayTheMachinesFiles() throws Exception {
        Path outside = Files.createDirectory(directory.resolve("outside"));
        Path precious = Files.createFile(outside.resolve("file"));
        FileFacts.setPermissions(precious, 0600);
        Files.createFile(Files.createDirectory(volume.resolve("good")).resolve("file"));
        Files.createSymbolicLink(volume.resolve("bad"), outside);
        AtomicBoolean over = new AtomicBoolean();
        Thread swapping = Thread.ofPlatform().start(() -> {
            try {
                while (!over.get()) {
                    Files.move(volume.resolve("good"), volume.resolve("turn"));
                    Files.move(volume.resolve("turn"), volume.resolve("good"));
                    Files.move(volume.resolve("bad"), volume.resolve("turn"));
                    Files.move(volume.resolve("turn"), volume.resolve("bad"));
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        try {
            for (int i = 0; i < 1000; i++) {
                OWNERSHIP.give(volume, false);
            }
        } finally {
            over.set(true);
            swapping.join();
        }
        assertThat(mode(precious)).isEqualTo(0600);
        assertThat(group(precious)).isNotEqualTo(6000);
        assertThat(group(outside)).isNotEqualTo(6000);
        assertThat(group(volume.resolve("good/file"))).isEqualTo(6000);
    }
}
