package lavaflow;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;
import lavaflow.linux.FileTree;
import lavaflow.linux.Mounts;
import lavaflow.network.NetworkSettings;
import lavaflow.remote.RemoteKubeApi;
import lavaflow.remote.Settings;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** What becomes of pods whose program was killed. */
@Timeout(1800)
class AbandonedNodeTest {
    private static final KubeApi.Kind PODS = KubeApi.Kind.core("pods");
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    @TempDir
    private Path directory;

    private Path home;
    private Process program;

    @BeforeEach
    void start() throws Exception {
        WorkerNodeTest.needsRootAndRunc();
        home = directory.resolve("data");
        program = up(home);
    }

    @AfterEach
    void stop() throws Exception {
        program.destroyForcibly().waitFor();
        for (String each : List.of("data", "moved")) {
            down(directory.resolve(each));
        }
    }

    private Process up(Path at) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin/java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        classPath(),
                        "lavaflow.Lava",
                        "up",
                        "--data-dir",
                        at.toString(),
                        "--listen",
                        "127.0.0.1:0",
                        "--node-name",
                        "here")
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("log").toFile())
                .start();
    }

    /** Whoever runs tests may load their classes in its own way. */
    private static String classPath() {
        return Thread.currentThread().getContextClassLoader() instanceof URLClassLoader loader
                ? Stream.of(loader.getURLs()).map(URL::getPath).collect(Collectors.joining(":"))
                : System.getProperty("java.class.path");
    }

    private static String down(Path at) {
        StringWriter said = new StringWriter();
        int code = Lava.run(List.of("down", "--data-dir", at.toString()), new PrintWriter(said));
        assertThat(code).as(said.toString()).isZero();
        return said.toString();
    }

    private static RemoteKubeApi api(Path at) {
        Home of = Home.of(at);
        await().atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> of.running().isPresent() && !of.running().get().isEnding());
        return new RemoteKubeApi(new Settings(of.kubeconfig(), null, "test", 100, 100));
    }

    private static void run(KubeApi api, String name, String script) {
        await().atMost(PATIENCE)
                .ignoreExceptions()
                .until(() ->
                        api.find(TestingAllInOne.ACCOUNTS, "default", "default").isPresent());
        api.create(PODS, "default", WorkerNodeTest.pod(name, "Never", script));
    }

    private void awaitPhase(KubeApi api, String name, String phase) throws IOException {
        try {
            await().atMost(PATIENCE)
                    .ignoreExceptions()
                    .until(() -> api.find(PODS, "default", name)
                            .map(pod -> Json.textAt(pod, "status", "phase"))
                            .orElse("")
                            .equals(phase));
        } catch (ConditionTimeoutException e) {
            throw new AssertionError(
                    name + " is not " + phase + ": " + api.find(PODS, "default", name) + "\n"
                            + Files.readString(directory.resolve("log")),
                    e);
        }
    }

    private static JsonNode end(KubeApi api, String name) {
        ObjectNode pod = api.find(PODS, "default", name).orElseThrow();
        JsonNode status = Json.listAt(pod, "status", "containerStatuses").get(0);
        return Json.at(status, "state", "terminated");
    }

    /** What is killed takes a moment to go. */
    private static void assertThatNothingIsLeftOf(Path at) {
        await().atMost(PATIENCE).untilAsserted(() -> assertThatNothingIsLeftNow(at));
    }

    private static void assertThatNothingIsLeftNow(Path at) throws IOException {
        String id = NetworkSettings.id(at);
        assertThat(Path.of("/sys/class/net/lava-" + id)).doesNotExist();
        assertThat(Path.of("/run/lavaflow", id)).doesNotExist();
        assertThat(Path.of("/run/lavaflow", id + ".json")).doesNotExist();
        assertThat(Mounts.table())
                .noneMatch(mount ->
                        mount.target().startsWith(at) || mount.superOptions().contains(at + "/"));
        try (Stream<ProcessHandle> processes = ProcessHandle.allProcesses()) {
            assertThat(processes
                            .flatMap(process -> process.info().arguments().stream())
                            .flatMap(Stream::of))
                    .noneMatch(argument -> argument.startsWith("/run/lavaflow/" + id + "/"));
        }
    }

    private void kill() throws Exception {
        program.destroyForcibly().waitFor();
    }

    @Test
    void endsThatNobodySawAreToldAlsoAfterDown() throws Exception {
        Path word = Files.createDirectory(directory.resolve("words"));
        try (RemoteKubeApi api = api(home)) {
            run(api, "patient", "exit 5");
            awaitPhase(api, "patient", "Failed");
            ObjectNode waiting =
                    WorkerNodeTest.pod("waiting", "Never", "until [ -e /words/go ]; do sleep 0.1; done; exit 6");
            ObjectNode spec = Json.ensureObject(waiting, "spec");
            ((ObjectNode) Json.listAt(spec, "containers").get(0))
                    .putArray("volumeMounts")
                    .addObject()
                    .put("name", "words")
                    .put("mountPath", "/words");
            spec.putArray("volumes")
                    .addObject()
                    .put("name", "words")
                    .putObject("hostPath")
                    .put("path", word.toString());
            api.create(PODS, "default", waiting);
            awaitPhase(api, "waiting", "Running");
        }
        kill();
        Files.createFile(word.resolve("go"));
        Path exits = home.resolve("node/runtime/exits");
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(exits).isNotEmptyDirectory());

        assertThat(down(home)).contains("what was left of its pods is gone now");
        assertThatNothingIsLeftOf(home);

        program = up(home);
        try (RemoteKubeApi api = api(home)) {
            awaitPhase(api, "waiting", "Failed");
            assertThat(Json.longAt(end(api, "waiting"), 0, "exitCode")).isEqualTo(6);
            assertThat(Json.longAt(end(api, "patient"), 0, "exitCode")).isEqualTo(5);
        }
    }

    @Test
    void whatIsLeftOfADeletedDirectoryIsClearedByAnyoneWhoGoesDown() throws Exception {
        try (RemoteKubeApi api = api(home)) {
            run(api, "forgotten", "exec sleep 1000");
            awaitPhase(api, "forgotten", "Running");
        }
        kill();
        boolean alone = MachineRegister.usual().all().stream()
                .allMatch(entry -> entry.home().equals(home));
        Mounts.unmountBelow(home);
        FileTree.delete(home);

        String said = down(directory.resolve("another"));

        // Any other cluster of this machine that starts or stops just now may have been quicker.
        if (alone) {
            assertThat(said).contains("Cleared what was left of the cluster in " + home);
        }
        assertThatNothingIsLeftOf(home);
    }

    @Test
    void aMovedDirectoryStartsAnewAndLeavesNothingWhereItWas() throws Exception {
        Path moved = directory.resolve("moved");
        try (RemoteKubeApi api = api(home)) {
            run(api, "traveller", "exec sleep 1000");
            awaitPhase(api, "traveller", "Running");
        }
        kill();
        Files.move(home, moved);

        program = up(moved);
        try (RemoteKubeApi api = api(moved)) {
            awaitPhase(api, "traveller", "Failed");
            assertThatNothingIsLeftOf(home);
            run(api, "next", "exit 4");
            awaitPhase(api, "next", "Failed");
            assertThat(Json.longAt(end(api, "next"), 0, "exitCode")).isEqualTo(4);
        }
    }
}
