package lavaflow.sandbox;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Containers that another program makes than the usual one: here one that writes down what it was asked and asks the usual one. */
class HandlersTest {
    private TestingMachine machine;
    private Path asked;

    @BeforeEach
    void start() throws Exception {
        machine = new TestingMachine();
        asked = machine.directory.resolve("asked");
        Path program = machine.directory.resolve("talkative");
        String usual =
                Programs.find(machine.runtime.info().name()).orElseThrow().toString();
        Files.writeString(program, "#!/bin/sh\necho \"$@\" >> '" + asked + "'\nexec '" + usual + "' \"$@\"\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        machine.handle("talkative", program);
    }

    @AfterEach
    void stop() throws Exception {
        if (machine != null) {
            machine.close();
        }
    }

    @Test
    void theProgramOfTheHandlerMakesTheContainers() throws Exception {
        new PodWish("pod-2").handler("talkative").create(machine.runtime);

        assertThat(machine.output(machine.wish("c", "echo", "hello").in("pod-2")))
                .isEqualTo("hello\n");

        assertThat(Files.readString(asked)).contains(" create ");
    }

    @Test
    void itAlsoRunsCommandsInThemAfterARestart() throws Exception {
        new PodWish("pod-2").handler("talkative").create(machine.runtime);
        machine.wish("c", "sleep", "1000").in("pod-2").start();
        machine.reopen();

        CommandResult result = machine.runtime.run("c", List.of("echo", "hi"), Duration.ofSeconds(60));

        assertThat(result.code()).isZero();
        assertThat(Files.readString(asked)).contains(" exec ");
    }

    @Test
    void otherContainersAreMadeAsUsual() throws Exception {
        machine.output(machine.wish("c", "true"));

        assertThat(asked).doesNotExist();
    }

    @Test
    void theUsualOnesGoByTheirNames() throws Exception {
        new PodWish("pod-2").handler(machine.runtime.info().name()).create(machine.runtime);

        assertThat(machine.output(machine.wish("c", "echo", "hello").in("pod-2")))
                .isEqualTo("hello\n");
    }

    @Test
    void aHandlerNobodyKnowsIsRefused() {
        assertThatThrownBy(() -> new PodWish("pod-2").handler("nope").create(machine.runtime))
                .isInstanceOf(SandboxException.class)
                .hasMessage("rpc error: code = Unknown desc = failed to get sandbox runtime:"
                        + " no runtime for \"nope\" is configured");
        assertThat(machine.runtime.sandboxes()).extracting(SandboxSpec::id).doesNotContain("pod-2");
    }
}
