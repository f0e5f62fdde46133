package lavaflow;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntConsumer;
import java.util.stream.Stream;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;
import lavaflow.network.NetworkSettings;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Pods run for real where this user may do what that takes. */
class WorkerNodeTest {
    private static final KubeApi.Kind PODS = KubeApi.Kind.core("pods");
    private static final Duration GRACE = Duration.ofSeconds(40);

    @BeforeAll
    static void needsRootAndRunc() throws IOException {
        boolean root = Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
        assumeTrue(root, "only root can run pods in namespaces of their own");
        for (String program : List.of("runc", "conmon")) {
            boolean found = Stream.of("/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin")
                    .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
            assumeTrue(found, program + " is not installed");
        }
    }

    private static TestingAllInOne start(Path directory) throws Exception {
        return new TestingAllInOne(
                directory, AllInOne.Options.usual(true, List.of()).withNode("here"));
    }

    static ObjectNode pod(String name, String restartPolicy, String script) {
        ObjectNode pod = TestingAllInOne.named(name);
        ObjectNode spec = pod.putObject("spec").put("restartPolicy", restartPolicy);
        spec.put("terminationGracePeriodSeconds", 5).put("nodeName", "here");
        ObjectNode container = spec.putArray("containers").addObject();
        container.put("name", "main").put("image", "host").put("imagePullPolicy", "IfNotPresent");
        ArrayNode command = container.putArray("command");
        command.add("sh").add("-c").add(script);
        return pod;
    }

    private static boolean isIn(Optional<ObjectNode> pod, String phase) {
        return pod.isPresent() && Json.textAt(pod.get(), "status", "phase").equals(phase);
    }

    @Test
    void aPodRunsAndTellsHowItEnded(@TempDir Path directory) throws Exception {
        try (TestingAllInOne testing = start(directory)) {
            testing.awaitThere(TestingAllInOne.ACCOUNTS, "default", "default");
            testing.api.create(PODS, "default", pod("job", "Never", "echo last words > /dev/termination-log; exit 3"));
            testing.await(PODS, "default", "job", pod -> isIn(pod, "Failed"));

            ObjectNode pod = testing.api.find(PODS, "default", "job").orElseThrow();
            var ended = Json.at(Json.listAt(pod, "status", "containerStatuses").get(0), "state", "terminated");
            assertThat(Json.longAt(ended, 0, "exitCode")).isEqualTo(3);
            assertThat(Json.textAt(ended, "reason")).isEqualTo("Error");
            assertThat(Json.textAt(ended, "message")).isEqualTo("last words\n");
        }
    }

    @Test
    void aDeletedPodEndsWithItsGraceAndNothingIsLeftAfterTheEnd(@TempDir Path directory) throws Exception {
        Path bridge = Path.of("/sys/class/net/lava-" + NetworkSettings.id(directory));
        try (TestingAllInOne testing = start(directory)) {
            testing.awaitThere(TestingAllInOne.ACCOUNTS, "default", "default");
            String patient = "trap 'exit 0' TERM; while true; do sleep 0.1; done";
            testing.api.create(PODS, "default", pod("short", "Always", patient));
            testing.api.create(PODS, "default", pod("long", "Always", patient));
            testing.await(PODS, "default", "short", pod -> isIn(pod, "Running"));
            testing.await(PODS, "default", "long", pod -> isIn(pod, "Running"));
            assertThat(bridge).exists();

            testing.api.delete(PODS, "default", "short", KubeApi.Deletion.PLAIN);
            testing.awaitGone(PODS, "default", "short");
        }
        assertThat(bridge).doesNotExist();
        assertThat(Files.readString(Path.of("/proc/self/mounts"))).doesNotContain(directory.toString());
    }

    @Test
    void logsGoWithTheirPod(@TempDir Path directory) throws Exception {
        try (TestingAllInOne testing = start(directory)) {
            testing.awaitThere(TestingAllInOne.ACCOUNTS, "default", "default");
            testing.api.create(PODS, "default", pod("job", "Never", "echo hello"));
            testing.await(PODS, "default", "job", pod -> isIn(pod, "Succeeded"));
            Path logs = directory.resolve("node/logs");
            assertThat(logs).isNotEmptyDirectory();

            testing.api.delete(PODS, "default", "job", KubeApi.Deletion.PLAIN);
            testing.awaitGone(PODS, "default", "job");
            await().atMost(Duration.ofMinutes(3))
                    .untilAsserted(() -> assertThat(logs).isEmptyDirectory());
        }
    }

    @Test
    void theEndDoesNotWaitForProgramsThatCannotHearOfIt(@TempDir Path directory) throws Exception {
        ObjectNode deaf = pod("deaf", "Always", "exec sleep 1000");
        Json.ensureObject(deaf, "spec").put("terminationGracePeriodSeconds", GRACE.toSeconds());
        Ending ending = new Ending();
        try (TestingAllInOne testing = start(directory)) {
            testing.awaitThere(TestingAllInOne.ACCOUNTS, "default", "default");
            testing.api.create(PODS, "default", deaf);
            testing.await(PODS, "default", "deaf", pod -> isIn(pod, "Running"));
            testing.cluster.whenEnding(ending);
        }
        assertThat(ending.left).containsExactly(1, 0);
        assertThat(ending.took()).isLessThan(GRACE);
    }

    @Test
    void whoHurriesWaitsForNobody(@TempDir Path directory) throws Exception {
        ObjectNode stubborn = pod("stubborn", "Always", "trap '' TERM; while true; do sleep 0.1; done");
        Json.ensureObject(stubborn, "spec").put("terminationGracePeriodSeconds", GRACE.toSeconds());
        Ending ending = new Ending();
        try (TestingAllInOne testing = start(directory)) {
            testing.awaitThere(TestingAllInOne.ACCOUNTS, "default", "default");
            testing.api.create(PODS, "default", stubborn);
            testing.await(PODS, "default", "stubborn", pod -> isIn(pod, "Running"));
            testing.cluster.whenEnding(pods -> {
                ending.accept(pods);
                if (pods == 1) {
                    testing.cluster.hurry();
                }
            });
        }
        assertThat(ending.took()).isLessThan(GRACE);
    }

    /** How many pods were left, and how long the last one took: less than its grace only if that was not waited for. */
    private static final class Ending implements IntConsumer {
        private final List<Integer> left = new CopyOnWriteArrayList<>();
        private volatile long began;
        private volatile long ended;

        @Override
        public void accept(int pods) {
            if (left.isEmpty()) {
                began = System.nanoTime();
            }
            left.add(pods);
            ended = System.nanoTime();
        }

        Duration took() {
            return Duration.ofNanos(ended - began);
        }
    }
}
