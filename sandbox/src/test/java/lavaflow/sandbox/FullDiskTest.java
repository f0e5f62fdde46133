package lavaflow.sandbox;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

import lavaflow.linux.Signals;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Everything the runtime keeps is on a file system of a few megabytes. */
class FullDiskTest {
    private TestingMachine machine;

    @BeforeEach
    void start() throws Exception {
        machine = new TestingMachine("4m");
    }

    @AfterEach
    void stop() throws Exception {
        if (machine != null) {
            Files.deleteIfExists(ballast());
            machine.close();
        }
    }

    private Path ballast() {
        return machine.disk().resolve("ballast");
    }

    private void fill() {
        byte[] block = new byte[1024];
        assertThatThrownBy(() -> {
                    try (OutputStream ballast = Files.newOutputStream(ballast())) {
                        while (true) {
                            ballast.write(block);
                        }
                    }
                })
                .isInstanceOf(IOException.class)
                .hasMessageContaining("No space left");
    }

    private void startOneThatEndsWhenTold(int code) throws Exception {
        machine.wish("c", "sh", "-c", "trap 'exit " + code + "' TERM; echo up; while :; do sleep 0.1; done")
                .start();
        machine.awaitLog("c", "up");
    }

    @Test
    void howAContainerEndedIsKnown() throws Exception {
        startOneThatEndsWhenTold(7);
        fill();

        machine.runtime.signal("c", "TERM");

        assertThat(machine.exit("c").code()).isEqualTo(7);
    }

    @Test
    void alsoWhenNobodySawIt() throws Exception {
        startOneThatEndsWhenTold(9);
        long pid = machine.state("c").pid();
        fill();
        machine.runtime.close();

        Signals.send(pid, Signals.TERM);
        machine.awaitSupervisorGone("c");
        machine.reopen();

        assertThat(machine.state("c").exit()).isNotNull();
        assertThat(machine.state("c").exit().code()).isEqualTo(9);
    }

    @Test
    void nothingIsLeftOfItInMemory() throws Exception {
        startOneThatEndsWhenTold(7);
        fill();
        machine.runtime.signal("c", "TERM");
        machine.exit("c");
        Path kept = Places.of(machine.disk(), machine.cluster).spareExit("c");
        assertThat(kept).exists();

        machine.runtime.remove("c");

        assertThat(kept).doesNotExist();
    }
}
