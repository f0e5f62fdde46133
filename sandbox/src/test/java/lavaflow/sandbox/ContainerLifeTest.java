package lavaflow.sandbox;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** From the wish for a container to its end. */
class ContainerLifeTest {
    private TestingMachine machine;

    @BeforeEach
    void open() throws Exception {
        machine = new TestingMachine();
    }

    @AfterEach
    void close() throws Exception {
        if (machine != null) {
            machine.close();
        }
    }

    @Test
    void aProgramRunsWritesItsLogAndEndsWithItsCode() throws Exception {
        machine.wish("a", "sh", "-c", "echo out; echo err >&2; exit 3").start();

        ContainerExit exit = machine.exit("a");

        assertThat(exit.code()).isEqualTo(3);
        assertThat(exit.outOfMemory()).isFalse();
        assertThat(Files.readAllLines(machine.logFile("a")))
                .anyMatch(line -> line.matches("\\d{4}-\\d\\d-\\d\\dT\\S+ stdout F out"))
                .anyMatch(line -> line.matches("\\d{4}-\\d\\d-\\d\\dT\\S+ stderr F err"));
        assertThat(machine.state("a").phase()).isEqualTo(ContainerState.Phase.EXITED);
        assertThat(machine.state("a").exit()).isEqualTo(exit);
    }

    @Test
    void aContainerIsCreatedThenRunsThenIsKilled() throws Exception {
        machine.runtime.create(machine.wish("a", "sleep", "1000").spec());
        assertThat(machine.state("a").phase()).isEqualTo(ContainerState.Phase.CREATED);

        machine.runtime.start("a");
        assertThat(machine.state("a").phase()).isEqualTo(ContainerState.Phase.RUNNING);
        assertThat(machine.state("a").pid()).isPositive();

        machine.runtime.kill("a");
        assertThat(machine.exit("a").code()).isEqualTo(137);

        machine.runtime.remove("a");
        assertThat(machine.runtime.containers()).isEmpty();
    }

    @Test
    void aFirstProcessHearsOnlyTheSignalsItWaitsFor() throws Exception {
        TestingMachine.assumePython();
        Wish.script(machine, "deaf", "echo ready; exec sleep 1000").start();
        machine.awaitLog("deaf", "ready"); // before that it may still be the runtime, which hears everything
        // No shell: it blocks all signals for a moment whenever it starts a program.
        Wish.script(machine, "listening", """
                        exec python3 -c 'import signal, time; signal.signal(signal.SIGTERM, exit); print("ready", flush=True); time.sleep(1000)'
                        """).start();
        machine.awaitLog("listening", "ready");

        assertThat(machine.runtime.hears("deaf", "SIGTERM")).isFalse();
        assertThat(machine.runtime.hears("listening", "SIGTERM")).isTrue();
        assertThat(machine.runtime.hears("listening", "SIGUSR1")).isFalse();
    }

    @Test
    void aCommandRunsBesideTheProgram() throws Exception {
        machine.wish("a", "sleep", "1000").start();

        CommandResult result = machine.runtime.run("a", List.of("sh", "-c", "echo hi; exit 4"), Duration.ofSeconds(90));

        assertThat(result.code()).isEqualTo(4);
        assertThat(result.output()).isEqualTo("hi\n");
    }

    @Test
    void aProgramThatDoesNotExistIsToldAsContainerEnginesTellIt() throws Exception {
        machine.runtime.create(machine.wish("a", "nope").spec());

        assertThatThrownBy(() -> machine.runtime.start("a"))
                .isInstanceOfSatisfying(
                        SandboxException.class, e -> assertThat(e.reason()).isEqualTo(SandboxException.Cause.START))
                .hasMessage("unable to start container process: exec: \"nope\": executable file not found in $PATH");
        assertThat(machine.state("a").exit().code()).isEqualTo(128);
        assertThat(machine.state("a").exit().problem()).contains("executable file not found in $PATH");
    }

    @Test
    void aFileThatIsNoProgramIsTold() throws Exception {
        machine.runtime.create(machine.wish("a", "/etc/passwd").spec());

        assertThatThrownBy(() -> machine.runtime.start("a"))
                .hasMessageContaining("exec: \"/etc/passwd\": permission denied");
    }

    @Test
    void aDirectoryThatIsNotThereIsMade() throws Exception {
        Wish wish = machine.wish("a", "pwd")
                .program(new ContainerSpec.Program(List.of("pwd"), List.of(), "/not/yet", false, false, false));

        assertThat(machine.output(wish)).isEqualTo("/not/yet\n");
    }

    @Test
    void aSignalReachesTheFirstProcess() throws Exception {
        Wish.script(machine, "a", "trap 'echo bye; exit 9' TERM; echo ready; while :; do sleep 0.1; done")
                .start();
        machine.awaitLog("a", "ready");

        machine.runtime.signal("a", "SIGTERM");

        assertThat(machine.exit("a").code()).isEqualTo(9);
        assertThatThrownBy(() -> machine.runtime.signal("a", "SIGTERM")).isInstanceOf(SandboxException.class);
    }

    @Test
    void signalsNobodyKnowsAreRefused() throws Exception {
        machine.wish("a", "sleep", "1000").start();

        assertThatThrownBy(() -> machine.runtime.signal("a", "SIGNOTHING")).hasMessage("invalid signal: SIGNOTHING");
    }

    @Test
    void everyCallMayBeRepeated() throws Exception {
        ContainerSpec spec = Wish.script(machine, "a", "echo once").spec();
        machine.runtime.createSandbox(TestingMachine.sandbox());
        machine.runtime.create(spec);
        machine.runtime.create(spec);
        machine.runtime.start("a");
        machine.runtime.start("a");
        machine.exit("a");
        machine.runtime.start("a");
        machine.runtime.kill("a");
        machine.runtime.remove("a");
        machine.runtime.remove("a");
        machine.runtime.kill("a");
        assertThat(machine.log("a")).isEqualTo("once\n");
        machine.runtime.removeSandbox(TestingMachine.POD);
        machine.runtime.removeSandbox(TestingMachine.POD);
        assertThat(machine.runtime.sandboxes()).isEmpty();
    }

    @Test
    void removingASandboxTakesAllOfItAway() throws Exception {
        machine.wish("a", "sleep", "1000").start();
        machine.runtime.create(machine.wish("b", "sleep", "1000").spec());
        long pid = machine.state("a").pid();

        machine.runtime.removeSandbox(TestingMachine.POD);

        assertThat(machine.runtime.containers()).isEmpty();
        assertThat(Path.of("/proc", Long.toString(pid))).doesNotExist();
        assertThat(machine.leftOvers()).isEmpty();
    }

    @Test
    void theLogOfARemovedContainerStays() throws Exception {
        machine.output(Wish.script(machine, "a", "echo kept"));
        machine.runtime.remove("a");

        assertThat(machine.log("a")).isEqualTo("kept\n");
    }

    @Test
    void namesThatWouldLeadElsewhereAreRefused() {
        assertThatThrownBy(() -> machine.wish("../x", "true").start())
                .isInstanceOfSatisfying(
                        SandboxException.class,
                        e -> assertThat(e.reason()).isEqualTo(SandboxException.Cause.CONFIGURATION));
    }

    @Test
    void hugeEnvironmentsEndInAReason() throws Exception {
        machine.runtime.create(machine.wish("a", "true")
                .environment("BIG=" + "x".repeat(3 << 20))
                .spec());

        assertThatThrownBy(() -> {
                    machine.runtime.start("a");
                    ContainerExit exit = machine.exit("a");
                    throw new IllegalStateException(exit.code() + " " + machine.log("a"));
                })
                .hasMessageContaining("argument list too long");
    }
}
