package lavaflow.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import lavaflow.linux.Mounts;
import lavaflow.linux.UserNamespace;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** A runtime in a directory of its own, with a sandbox, of which nothing stays when it is closed. */
final class TestingMachine implements AutoCloseable {
    static final String POD = "pod-1";
    private static final AtomicInteger NEXT = new AtomicInteger();

    final Path directory;
    final String cluster = "test" + ProcessHandle.current().pid() + "x" + NEXT.incrementAndGet();
    RuncRuntime runtime;
    private List<Path> hidden = List.of();
    private Map<String, Path> handlers = Map.of();
    final BlockingQueue<ContainerExit> exits = new LinkedBlockingQueue<>();

    TestingMachine() throws Exception {
        this("");
    }

    /**
     * @param size of the file system everything is kept on, such as {@code 4m}; empty for the machine's own
     */
    TestingMachine(String size) throws Exception {
        Optional<String> obstacle = RuncRuntime.obstacle();
        assumeTrue(obstacle.isEmpty(), () -> obstacle.orElse(""));
        directory = Files.createTempDirectory("lavaflow-sandbox");
        if (!size.isEmpty()) {
            Files.createDirectory(disk());
            Mounts.mount("lavaflow-test", disk(), "tmpfs", Mounts.NO_DEVICES | Mounts.NO_SUID, "size=" + size);
        }
        runtime = open();
        runtime.createSandbox(sandbox());
    }

    Path disk() {
        return directory.resolve("node");
    }

    private RuncRuntime open() throws IOException {
        RuncRuntime opened =
                RuncRuntime.open(disk(), cluster, hidden, System.getProperty("lavaflow.oci-runtime"), handlers);
        opened.onExit(exits::add);
        return opened;
    }

    /** Opens it again with a further place that no container sees. */
    void hide(Path place) throws IOException {
        hidden = List.of(place);
        reopen();
    }

    /** Opens it again with another program that makes containers. */
    void handle(String name, Path program) throws IOException {
        handlers = Map.of(name, program);
        reopen();
    }

    /** As after the end of the process: another finds what this one left. */
    void reopen() throws IOException {
        runtime.close();
        runtime = open();
    }

    static SandboxSpec sandbox() {
        return new SandboxSpec(
                POD,
                Map.of("name", "a"),
                "host-a",
                null,
                false,
                false,
                false,
                SandboxSpec.Quality.BURSTABLE,
                Limits.NONE,
                Map.of());
    }

    /** For tests of what only control groups can do. */
    void assumeLimits() {
        assumeTrue(runtime.info().limited(), "there are no control groups to use");
    }

    /** For tests of programs that want much memory. */
    static void assumePython() {
        assumeTrue(Programs.find("python3").isPresent(), "python3 is not installed");
    }

    /** For tests of other users than root. */
    static void assumeUsers() {
        assumeTrue(UserNamespace.own().hasUser(5000), "there are no other users in this user namespace");
    }

    ControlGroups groups() throws IOException {
        return ControlGroups.detect(directory.resolve("node/run/groups"));
    }

    Wish wish(String id, String... command) {
        return new Wish(this, id, List.of(command));
    }

    /** Runs a shell script to its end and tells what it wrote. */
    String output(Wish wish) throws Exception {
        wish.start();
        exit(wish.id());
        return log(wish.id());
    }

    ContainerExit exit(String id) throws InterruptedException {
        while (true) {
            ContainerExit exit = exits.poll(90, TimeUnit.SECONDS);
            if (exit == null) {
                throw new AssertionError(id + " did not end");
            }
            if (exit.container().equals(id)) {
                return exit;
            }
        }
    }

    /** For when nobody of us is there to see it. */
    void awaitSupervisorGone(String id) throws Exception {
        long supervisor =
                ControlGroups.readLong(disk().resolve("containers").resolve(id).resolve("conmon.pid"));
        awaitEnd(supervisor);
    }

    /** Waits until a process has ended, also where nobody buries those whose parents are gone. */
    static void awaitEnd(long pid) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
        CountDownLatch never = new CountDownLatch(1);
        while (pid > 0 && ProcessTable.stat(pid).length > 0 && !ProcessTable.isZombie(pid)) {
            if (System.nanoTime() > end || never.await(5, TimeUnit.MILLISECONDS)) {
                throw new AssertionError(pid + " did not end");
            }
        }
    }

    ContainerState state(String id) {
        return runtime.containers().stream()
                .filter(each -> each.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    Path logFile(String id) {
        return directory.resolve("logs").resolve(id + ".log");
    }

    /** What a container wrote, without times and names of streams. */
    String log(String id) throws IOException {
        StringBuilder text = new StringBuilder();
        for (String line : Files.readAllLines(logFile(id))) {
            String[] fields = line.split(" ", 4);
            if (fields.length < 4) {
                continue; // is being written
            }
            text.append(fields[3]).append(fields[2].equals("F") ? "\n" : "");
        }
        return text.toString();
    }

    /** Waits until a container has written something. */
    void awaitLog(String id, String text) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
        CountDownLatch never = new CountDownLatch(1);
        while (Files.notExists(logFile(id)) || !log(id).contains(text)) {
            if (System.nanoTime() > end || never.await(5, TimeUnit.MILLISECONDS)) {
                throw new AssertionError(id + " did not write " + text);
            }
        }
    }

    /** Mounts and control groups of pods of this cluster. */
    List<String> leftOvers() throws IOException {
        List<String> found = new ArrayList<>();
        for (Mounts.Entry entry : Mounts.table()) {
            boolean common = entry.type().equals("tmpfs") && entry.source().equals("lavaflow");
            if (entry.target().startsWith(directory) && !common) {
                found.add("mount " + entry.target());
            }
        }
        // Nowhere else: groups of others come and go while one looks.
        for (Path top : groups().directories("lava-" + cluster)) {
            if (Files.notExists(top)) {
                continue;
            }
            try (var groups = Files.find(
                    top, 3, (path, _) -> path.getFileName().toString().startsWith("pod"))) {
                groups.forEach(group -> found.add("group " + group));
            }
        }
        return found;
    }

    @Override
    public void close() throws IOException, SandboxException {
        for (SandboxSpec sandbox : runtime.sandboxes()) {
            runtime.removeSandbox(sandbox.id());
        }
        runtime.close();
        runtime.dismantle();
        Mounts.unmount(disk());
        Roots.delete(directory);
    }
}
