package lavaflow.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import lavaflow.linux.Mounts;
import lavaflow.linux.Signals;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** What a new process finds of one that ended in the middle of its work. */
@Timeout(1800)
class AdoptionTest {
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

    private Path file(String container, String name) {
        return machine.directory.resolve("node/containers").resolve(container).resolve(name);
    }

    private static void kill(long pid) throws Exception {
        Signals.send(pid, Signals.KILL);
        TestingMachine.awaitEnd(pid);
    }

    @Test
    void aRunningContainerRunsOnAndItsEndIsSeenByTheNext() throws Exception {
        Wish.script(machine, "a", "read x; exit 6").stdin().start();
        ContainerState before = machine.state("a");

        machine.reopen();

        assertThat(machine.state("a")).isEqualTo(before);
        assertThat(machine.runtime.sandboxes()).containsExactly(TestingMachine.sandbox());
        try (ProcessStreams streams = machine.runtime.attach("a", new StreamWishes(true, true, true, false))) {
            streams.stdin().write('\n');
        }
        assertThat(machine.exit("a").code()).isEqualTo(6);
    }

    @Test
    void endsAreKnownAlsoAfterEverythingWasTakenAway() throws Exception {
        Wish.script(machine, "a", "exit 5").start();
        assertThat(machine.exit("a").code()).isEqualTo(5);
        machine.wish("b", "sleep", "1000").start();
        machine.runtime.dismantle();

        machine.reopen();

        assertThat(machine.runtime.sandboxes()).isEmpty();
        assertThat(machine.runtime.containers())
                .extracting(
                        ContainerState::id,
                        state -> state.exit() == null ? -1 : state.exit().code())
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("a", 5), org.assertj.core.groups.Tuple.tuple("b", 137));

        machine.runtime.remove("a");
        machine.runtime.removeSandbox(TestingMachine.sandbox().id());
        assertThat(machine.runtime.containers()).isEmpty();
        machine.reopen();
        assertThat(machine.runtime.containers()).isEmpty();
    }

    @Test
    void whatRanInASandboxThatWasTakenAwayIsToldFromWhatRanInTheNextOne() throws Exception {
        Wish.script(machine, "a", "exit 0").start();
        assertThat(machine.exit("a").code()).isZero();
        machine.runtime.dismantle();
        machine.reopen();
        machine.runtime.createSandbox(TestingMachine.sandbox());
        Wish.script(machine, "b", "exit 0").start();
        assertThat(machine.exit("b").code()).isZero();

        machine.reopen();

        assertThat(machine.state("a").departed()).isTrue();
        assertThat(machine.state("b").departed()).isFalse();
    }

    @Test
    void aContainerWhoseFilesAreGoneEndsAllTheSame() throws Exception {
        machine.wish("a", "sleep", "1000").start();
        long supervisor = ControlGroups.readLong(file("a", "conmon.pid"));
        Files.delete(file("a", "starting"));

        kill(supervisor);

        assertThat(machine.exit("a").code()).isEqualTo(137);
    }

    @Test
    void aNodeWhoseEndWasCutOffRunsContainersAgain() throws Exception {
        Wish.script(machine, "a", "exit 0").start();
        assertThat(machine.exit("a").code()).isZero();
        machine.groups().mostProcesses("lava-" + machine.cluster, "0");

        machine.reopen();

        Wish.script(machine, "b", "exit 4").start();
        assertThat(machine.exit("b").code()).isEqualTo(4);
    }

    @Test
    void anEndThatNobodySawIsFound() throws Exception {
        Wish.script(machine, "a", "sleep 0.3; exit 5").start();
        machine.runtime.close();
        TestingMachine.awaitEnd(machine.state("a").pid());

        machine.reopen();

        ContainerState state = machine.state("a");
        ContainerExit exit = state.exit() != null ? state.exit() : machine.exit("a");
        assertThat(exit.code()).isEqualTo(5);
        assertThat(exit.outOfMemory()).isFalse();
    }

    @Test
    void wantOfMemoryThatNobodySawIsFound() throws Exception {
        machine.assumeLimits();
        TestingMachine.assumePython();
        Wish.script(machine, "a", "exec python3 -c 'x = bytearray(200 << 20)'")
                .limits(new Limits(0, 0, 40 << 20, 0))
                .start();
        machine.exit("a");

        machine.reopen();

        assertThat(machine.state("a").exit().outOfMemory()).isTrue();
    }

    @Test
    void aContainerThatWasCreatedCanBeStartedByTheNext() throws Exception {
        machine.runtime.create(Wish.script(machine, "a", "echo later").spec());

        machine.reopen();
        assertThat(machine.state("a").phase()).isEqualTo(ContainerState.Phase.CREATED);
        machine.runtime.start("a");

        machine.exit("a");
        assertThat(machine.log("a")).isEqualTo("later\n");
    }

    @Test
    void aProgramThatCouldNotBeExecutedIsRemembered() throws Exception {
        machine.runtime.create(machine.wish("a", "nope").spec());
        try {
            machine.runtime.start("a");
        } catch (SandboxException e) {
            assertThat(e.reason()).isEqualTo(SandboxException.Cause.START);
        }

        machine.reopen();

        assertThat(machine.state("a").exit().code()).isEqualTo(128);
        assertThat(machine.state("a").exit().problem()).contains("\"nope\"");
    }

    @Test
    void aContainerCutOffBeforeItWasCompleteIsGone() throws Exception {
        machine.runtime.create(machine.wish("a", "true").spec());
        Files.delete(file("a", "config.json"));

        machine.reopen();

        assertThat(machine.runtime.containers()).isEmpty();
        assertThat(file("a", "")).doesNotExist();
    }

    @Test
    void aStartCutOffBeforeTheProgramRanIsUndoneAndTheProgramRunsOnce() throws Exception {
        machine.runtime.create(Wish.script(machine, "a", "echo once").spec());
        Places places = Places.of(machine.directory.resolve("node"), machine.cluster);
        Files.writeString(file("a", "starting"), Records.currentBoot());
        new Supervisor(
                        Programs.find("conmon").orElseThrow(),
                        OciRuntime.find(null).orElseThrow(),
                        places,
                        machine.groups())
                .create(Records.readMade(file("a", "container.json")));

        machine.reopen();
        assertThat(machine.state("a").phase()).isEqualTo(ContainerState.Phase.CREATED);
        assertThat(ProcessHandle.allProcesses()
                        .filter(process -> ProcessTable.mentions(
                                process.pid(), file("a", "").toString())))
                .isEmpty();
        machine.runtime.start("a");

        machine.exit("a");
        assertThat(machine.log("a")).isEqualTo("once\n");
    }

    @Test
    void aStartCutOffAtItsLastStepIsFinished() throws Exception {
        machine.runtime.create(Wish.script(machine, "a", "echo once").spec());
        Places places = Places.of(machine.directory.resolve("node"), machine.cluster);
        Files.writeString(file("a", "starting"), Records.currentBoot());
        new Supervisor(
                        Programs.find("conmon").orElseThrow(),
                        OciRuntime.find(null).orElseThrow(),
                        places,
                        machine.groups())
                .create(Records.readMade(file("a", "container.json")));
        Files.writeString(file("a", "started"), java.time.Instant.now().toString());

        machine.reopen();

        ContainerState state = machine.state("a");
        assertThat((state.exit() != null ? state.exit() : machine.exit("a")).code())
                .isZero();
        assertThat(machine.log("a")).isEqualTo("once\n");
    }

    @Test
    void aRemovalCutOffIsFinished() throws Exception {
        machine.output(Wish.script(machine, "a", "true"));
        Files.move(file("a", "container.json"), file("a", "removed.json"));

        machine.reopen();

        assertThat(machine.runtime.containers()).isEmpty();
        assertThat(file("a", "")).doesNotExist();
        machine.runtime.removeSandbox(TestingMachine.POD);
        assertThat(machine.leftOvers()).isEmpty();
    }

    @Test
    void aSandboxCutOffBeforeItWasCompleteIsCompletedWhenUsed() throws Exception {
        Mounts.unmount(machine.directory
                .resolve("node/sandboxes")
                .resolve(TestingMachine.POD)
                .resolve("uts"));
        Mounts.unmount(machine.directory
                .resolve("node/sandboxes")
                .resolve(TestingMachine.POD)
                .resolve("shm"));

        machine.reopen();

        assertThat(machine.output(Wish.script(machine, "a", "hostname"))).isEqualTo("host-a\n");
    }

    @Test
    void aContainerWithoutItsSupervisorIsEndedAndThatIsTold() throws Exception {
        machine.wish("a", "sleep", "1000").start();
        long pid = machine.state("a").pid();

        kill(ControlGroups.readLong(file("a", "conmon.pid")));

        ContainerExit exit = machine.exit("a");
        assertThat(exit.code()).isEqualTo(137);
        assertThat(exit.problem()).isEqualTo("The supervisor of the container ended before it.");
        TestingMachine.awaitEnd(pid);
        machine.reopen();
        assertThat(machine.state("a").exit().problem()).isEqualTo(exit.problem());
    }

    @Test
    void aContainerThatDidNotOutliveTheMachineHasEnded() throws Exception {
        machine.wish("a", "sleep", "1000").start();
        machine.runtime.close();
        kill(ControlGroups.readLong(file("a", "conmon.pid")));
        Files.writeString(file("a", "starting"), "another-boot");

        machine.reopen();

        assertThat(machine.state("a").exit().problem()).isEqualTo("The machine was restarted while the container ran.");
    }

    /** Works in another process, which is killed at moments of chance. */
    @Test
    void whateverAKilledProcessLeavesTheNextCanEndOrTakeAway() throws Exception {
        Random random = new Random(42);
        for (int round = 0; round < 10; round++) {
            Process worker = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin/java").toString(),
                            "--enable-native-access=ALL-UNNAMED",
                            "-XX:+UseSerialGC",
                            "-XX:TieredStopAtLevel=1",
                            "-cp",
                            classPath(),
                            Churn.class.getName(),
                            machine.directory.resolve("node").toString(),
                            machine.cluster,
                            "r" + round)
                    .redirectErrorStream(true)
                    .redirectOutput(machine.directory.resolve("worker.log").toFile())
                    .start();
            try {
                awaitMark("cr" + round + "-1");
                worker.waitFor(random.nextInt(900), TimeUnit.MILLISECONDS);
            } finally {
                worker.destroyForcibly().waitFor();
            }

            machine.reopen();
            check(machine.runtime.containers());
        }
        for (SandboxSpec sandbox : machine.runtime.sandboxes()) {
            machine.runtime.removeSandbox(sandbox.id());
        }
        assertThat(machine.leftOvers()).isEmpty();
        // Who has been killed needs a processor to die.
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(ProcessHandle.allProcesses()
                                .filter(process -> process.info()
                                        .commandLine()
                                        .orElse("")
                                        .contains(machine.directory
                                                .resolve("node")
                                                .toString())))
                        .isEmpty());
    }

    private void awaitMark(String mark) throws Exception {
        Path marks = machine.directory.resolve("node/marks");
        CountDownLatch never = new CountDownLatch(1);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
        while (Files.notExists(marks) || !Files.readAllLines(marks).contains(mark)) {
            if (System.nanoTime() > end) {
                throw new AssertionError(
                        "no " + mark + ": " + Files.readString(machine.directory.resolve("worker.log")));
            }
            assertThat(never.await(10, TimeUnit.MILLISECONDS)).isFalse();
        }
    }

    /** Where the classes come from that the other process needs, whoever runs this test. */
    private static String classPath() throws Exception {
        List<String> places = new ArrayList<>();
        for (Class<?> type : List.of(
                AdoptionTest.class,
                RuncRuntime.class,
                Mounts.class,
                lavaflow.kube.Json.class,
                com.fasterxml.jackson.databind.JsonNode.class,
                com.fasterxml.jackson.core.JsonFactory.class,
                com.fasterxml.jackson.annotation.JsonFormat.class,
                org.slf4j.Logger.class)) {
            places.add(Path.of(type.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString());
        }
        return String.join(":", places);
    }

    /** Each program writes a line when it begins: none may have begun twice, and each end is known. */
    private void check(List<ContainerState> states) throws IOException {
        Set<String> ids = states.stream().map(ContainerState::id).collect(Collectors.toSet());
        Path marks = machine.directory.resolve("node/marks");
        List<String> begun = Files.exists(marks) ? Files.readAllLines(marks) : List.of();
        assertThat(begun).doesNotHaveDuplicates();
        for (ContainerState state : states) {
            ContainerExit exit = state.exit();
            if (exit != null) {
                // Every third was about to be taken away, which begins with killing it.
                boolean doomed =
                        Integer.parseInt(state.id().substring(state.id().indexOf('-') + 1)) % 3 == 0;
                assertThat(exit.problem()).as(state.id()).isNull();
                if (begun.contains(state.id())) {
                    assertThat(exit.code()).as(state.id()).isIn(3, doomed ? 137 : 3);
                } else {
                    // Killed, or left by the runtime, before its program began.
                    assertThat(exit.code()).as(state.id()).isIn(1, 137);
                }
            }
        }
        assertThat(ids).hasSameSizeAs(states);
    }

    /** Creates, starts and removes containers for ever. */
    static final class Churn {
        private Churn() {}

        public static void main(String[] arguments) throws Exception {
            Path directory = Path.of(arguments[0]);
            RuncRuntime runtime = RuncRuntime.open(directory, arguments[1]);
            Path marks = directory.resolve("marks");
            if (Files.notExists(marks)) {
                Files.createFile(marks);
            }
            for (int i = 0; ; i++) {
                String pod = arguments[2] + "-" + i;
                runtime.createSandbox(new SandboxSpec(
                        pod,
                        java.util.Map.of(),
                        "h",
                        null,
                        false,
                        false,
                        false,
                        SandboxSpec.Quality.BURSTABLE,
                        Limits.NONE,
                        java.util.Map.of()));
                runtime.create(new ContainerSpec(
                        "c" + pod,
                        pod,
                        java.util.Map.of(),
                        new ContainerSpec.HostTree(List.of(), false),
                        List.of(new ContainerSpec.Mount(marks, "/marks", false, "rprivate")),
                        new ContainerSpec.Program(
                                List.of("sh", "-c", "echo c" + pod + " >> /marks; sleep 0.0" + i % 10 + "; exit 3"),
                                List.of(),
                                "/",
                                false,
                                false,
                                false),
                        Wish.USUAL,
                        Limits.NONE,
                        0,
                        List.of(),
                        directory.resolve("logs/c" + pod),
                        null));
                runtime.start("c" + pod);
                if (i % 3 == 0) {
                    runtime.removeSandbox(pod);
                }
            }
        }
    }
}
