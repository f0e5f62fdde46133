package lavaflow.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import lavaflow.linux.Signals;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Containers where nothing but plain processes is allowed. */
@Timeout(600)
class PlainRuntimeTest {
    @TempDir
    Path directory;

    private PlainRuntime runtime;
    private final BlockingQueue<ContainerExit> exits = new LinkedBlockingQueue<>();

    @BeforeEach
    void open() throws Exception {
        reopen();
        runtime.createSandbox(TestingMachine.sandbox());
    }

    private void reopen() throws IOException {
        if (runtime != null) {
            runtime.close();
        }
        runtime = PlainRuntime.open(
                directory.resolve("node"), "plain" + ProcessHandle.current().pid());
        runtime.onExit(exits::add);
    }

    @AfterEach
    void close() throws Exception {
        runtime.removeSandbox(TestingMachine.POD);
        runtime.close();
    }

    private ContainerSpec spec(String id, boolean stdin, List<String> command) {
        return new ContainerSpec(
                id,
                TestingMachine.POD,
                Map.of("a", "b"),
                new ContainerSpec.HostTree(List.of(), false),
                List.of(new ContainerSpec.Mount(directory, "/data", false, "rprivate")),
                new ContainerSpec.Program(command, List.of("A=b c"), "/usr", false, stdin, false),
                Wish.USUAL,
                Limits.NONE,
                0,
                List.of(),
                directory.resolve("logs").resolve(id),
                null);
    }

    private void start(String id, String script) throws SandboxException {
        runtime.create(spec(id, true, List.of("sh", "-c", script)));
        runtime.start(id);
    }

    private ContainerExit exit() throws InterruptedException {
        ContainerExit exit = exits.poll(60, TimeUnit.SECONDS);
        assertThat(exit).isNotNull();
        return exit;
    }

    private List<String> log(String id) throws IOException {
        return Files.readAllLines(directory.resolve("logs").resolve(id)).stream()
                .map(line -> line.substring(line.indexOf(' ') + 1))
                .toList();
    }

    private ContainerState state(String id) {
        return runtime.containers().stream()
                .filter(each -> each.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    /** A command that no other process of this machine has, whoever runs these tests beside us. */
    private static String sleep(int seconds) {
        return "sleep " + seconds + "." + ProcessHandle.current().pid();
    }

    private static void awaitEnd(String command) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        CountDownLatch never = new CountDownLatch(1);
        while (ProcessHandle.allProcesses()
                .anyMatch(process -> process.info().commandLine().orElse("").endsWith(command))) {
            assertThat(System.nanoTime()).as(command).isLessThan(end);
            assertThat(never.await(5, TimeUnit.MILLISECONDS)).isFalse();
        }
    }

    @Test
    void itSaysWhatIsNotIsolated() {
        assertThat(runtime.info().isolated()).isFalse();
        assertThat(runtime.info().limited()).isFalse();
        assertThat(runtime.info().notices()).hasSizeGreaterThan(3);
    }

    @Test
    void aProgramRunsWithItsEnvironmentAndLogAndEndsWithItsCode() throws Exception {
        start("a", "pwd; echo $A $HOSTNAME; echo $LAVAFLOW_MOUNTS; echo err >&2; printf open; exit 3");

        assertThat(exit().code()).isEqualTo(3);
        assertThat(log("a"))
                .contains(
                        "stdout F /usr",
                        "stdout F b c host-a",
                        "stdout F /data=" + directory,
                        "stderr F err",
                        "stdout P open");
        assertThat(state("a").phase()).isEqualTo(ContainerState.Phase.EXITED);
    }

    @Test
    void aProgramThatDoesNotExistIsTold() throws Exception {
        runtime.create(spec("a", false, List.of("nope")));

        assertThatThrownBy(() -> runtime.start("a"))
                .isInstanceOfSatisfying(
                        SandboxException.class, e -> assertThat(e.reason()).isEqualTo(SandboxException.Cause.START))
                .hasMessage("exec: \"nope\": executable file not found in $PATH");
        assertThat(state("a").exit().code()).isEqualTo(128);
    }

    @Test
    void anImageWithFilesOfItsOwnIsRefused() {
        ContainerSpec host = spec("a", false, List.of("true"));
        ContainerSpec layers = new ContainerSpec(
                "a",
                host.sandbox(),
                host.labels(),
                new ContainerSpec.Layers(List.of(directory), false),
                host.mounts(),
                host.program(),
                host.privileges(),
                host.limits(),
                0,
                List.of(),
                host.log(),
                null);

        assertThatThrownBy(() -> runtime.create(layers)).hasMessageContaining("map the image to host");
    }

    @Test
    void killingEndsAlsoWhatLeftTheSession() throws Exception {
        start("a", "setsid " + sleep(31001) + " & echo on; " + sleep(31002));
        await("a", "on");

        runtime.kill("a");

        assertThat(exit().code()).isEqualTo(137);
        awaitEnd(sleep(31001));
        awaitEnd(sleep(31002));
    }

    private void await(String id, String text) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        CountDownLatch never = new CountDownLatch(1);
        while (Files.notExists(directory.resolve("logs").resolve(id)) || !log(id).contains("stdout F " + text)) {
            assertThat(System.nanoTime()).isLessThan(end);
            assertThat(never.await(5, TimeUnit.MILLISECONDS)).isFalse();
        }
    }

    @Test
    void aSignalReachesTheProgram() throws Exception {
        start("a", "trap 'exit 9' TERM; echo ready; while :; do sleep 0.05; done");
        await("a", "ready");

        runtime.signal("a", "TERM");

        assertThat(exit().code()).isEqualTo(9);
    }

    @Test
    void commandsRunBesideTheProgramWithinTheirTime() throws Exception {
        start("a", sleep(31003));

        assertThat(runtime.run("a", List.of("sh", "-c", "echo $A; exit 4"), Duration.ofSeconds(60)))
                .isEqualTo(new CommandResult(4, "b c\n", false));
        assertThat(runtime.run(
                        "a",
                        List.of("sh", "-c", "setsid " + sleep(31004) + " & " + sleep(31005)),
                        Duration.ofMillis(300)))
                .isEqualTo(new CommandResult(-1, "", true));
        awaitEnd(sleep(31004));
        awaitEnd(sleep(31005));
        try (ProcessStreams streams = runtime.exec("a", List.of("tty"), new StreamWishes(true, true, false, true))) {
            assertThat(new String(streams.stdout().readAllBytes(), UTF_8)).startsWith("/dev/pts/");
        }
        assertThat(runtime.usage("a").pids()).isPositive();
    }

    @Test
    void itsStreamsCanBeAttached() throws Exception {
        start("a", "while read x; do echo got $x; done");
        try (ProcessStreams streams = runtime.attach("a", new StreamWishes(true, true, true, false))) {
            streams.stdin().write("one\n".getBytes(UTF_8));
            streams.stdin().flush();
            byte[] read = streams.stdout().readNBytes(8);
            assertThat(new String(read, UTF_8)).isEqualTo("got one\n");
        }
    }

    @Test
    void itOutlivesUsAndItsEndAndOutputAreFound() throws Exception {
        start("a", "echo one; read x; echo two; exit 6");
        ContainerState before = state("a");
        reopen();
        assertThat(state("a").phase()).isEqualTo(ContainerState.Phase.RUNNING);
        assertThat(state("a").startedAt()).isEqualTo(before.startedAt());
        runtime.close();
        Files.writeString(directory.resolve("node/containers/a/stdin"), "\n");
        long pid = ControlGroups.readLong(directory.resolve("node/containers/a/supervisor"));
        TestingMachine.awaitEnd(pid);

        reopen();

        assertThat(state("a").exit().code()).isEqualTo(6);
        assertThat(log("a")).containsExactly("stdout F one", "stdout F two");
    }

    @Test
    void aStartCutOffBeforeAnythingRanIsUndone() throws Exception {
        runtime.create(spec("a", false, List.of("true")));
        Files.writeString(directory.resolve("node/containers/a/started"), "2026-01-01T00:00:00Z");

        reopen();

        assertThat(state("a").phase()).isEqualTo(ContainerState.Phase.CREATED);
        runtime.start("a");
        assertThat(exit().code()).isZero();
    }

    @Test
    void aContainerWithoutItsSupervisorIsEnded() throws Exception {
        start("a", "echo on; " + sleep(31006));
        await("a", "on");

        Signals.send(ControlGroups.readLong(directory.resolve("node/containers/a/supervisor")), Signals.KILL);

        assertThat(exit().code()).isEqualTo(137);
        awaitEnd(sleep(31006));
    }
}
