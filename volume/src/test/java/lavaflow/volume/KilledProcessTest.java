package lavaflow.volume;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import lavaflow.controller.KubeApi;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.Json;
import lavaflow.linux.Mounts;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.assertj.core.api.Assertions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;

import static lavaflow.volume.TestingNode.pod;
import static org.assertj.core.api.Assertions.assertThat;

/** A process that makes and takes away volumes without pause is killed, and its successor finds its way. */
@Timeout(900)
class KilledProcessTest {
    private static final int ROUNDS = 4;

    @TempDir
    private Path directory;

    /** What is killed: pods come and go until the end. */
    public static final class Churn {
        private Churn() {}

        public static void main(String[] arguments) throws Exception {
            Path claim = Path.of(arguments[1]);
            TestingNode node = new TestingNode(Path.of(arguments[0]));
            prepare(node);
            for (int i = 0; ; i++) {
                ObjectNode pod = churned("pod-" + i % 7, claim);
                if (i % 2 == 0 || i % 5 == 0) {
                    use(node, pod);
                } else {
                    node.volumes.unmount("pod-" + i % 7);
                }
                if (i == 20) {
                    Files.createFile(claim.resolveSibling("churning"));
                }
            }
        }
    }

    private static void prepare(TestingNode node) {
        node.configMap("settings", Map.of("one", "1", "two", "2"));
    }

    private static ObjectNode churned(String name, Path claim) {
        return pod(name, """
                {"name": "cfg", "configMap": {"name": "settings"}}""", """
                {"name": "info", "downwardAPI": {"items": [
                  {"path": "name", "fieldRef": {"fieldPath": "metadata.name"}}]}}""", """
                {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "1Mi"}}""", """
                {"name": "scratch", "emptyDir": {}}""", """
                {"name": "host", "hostPath": {"path": "%s"}}""".formatted(claim));
    }

    private static void use(TestingNode node, ObjectNode pod) throws Exception {
        JsonNode mount = TestingNode.volumeMount(pod, "host");
        Map<String, MountedVolume> mounted = node.volumes.mount(pod);
        Files.writeString(mounted.get("scratch").path().resolve("file"), "x");
        Files.writeString(mounted.get("shm").path().resolve("file"), "x");
        Path part = node.volumes.source(pod, "main", mounted.get("host"), mount, "precious/part");
        assertThat(part.resolve("kept")).exists();
    }

    @Test
    void whatIsLeftIsUsedOrTakenAwayAndNothingElseIsLost() throws Exception {
        TestingNode.requireRoot();
        Path volumes = directory.resolve("volumes");
        Path claim = Files.createDirectory(directory.resolve("claim"));
        Path kept = Files.createDirectories(claim.resolve("precious/part")).resolve("kept");
        Files.writeString(kept, "kept");
        Random random = new Random(7);
        for (int round = 0; round < ROUNDS; round++) {
            kill(volumes, claim, random);
            try (TestingNode node = new TestingNode(volumes)) {
                prepare(node);
                for (String uid : node.volumes.present()) {
                    // Some pods go on, the others are gone.
                    if (random.nextBoolean()) {
                        use(node, churned(uid, claim));
                    }
                    node.volumes.unmount(uid);
                }
                assertThat(node.volumes.present()).isEmpty();
                assertThat(node.mounts()).allMatch(target -> target.endsWith("memory"));
                assertThat(PodPlaces.entries(volumes.resolve("memory"))).isEmpty();
                assertThat(kept).hasContent("kept");
            }
        }
    }

    /** Where classes come from that the other process needs, however this one was started. */
    private static String classPath() {
        return Stream.of(
                        Churn.class,
                        NodeVolumes.class,
                        TestingKubeApi.class,
                        KubeApi.class,
                        Json.class,
                        Mounts.class,
                        JsonNode.class,
                        JsonParser.class,
                        JsonInclude.class,
                        Logger.class,
                        Nullable.class,
                        Assertions.class,
                        Assumptions.class)
                .map(type ->
                        type.getProtectionDomain().getCodeSource().getLocation().getPath())
                .distinct()
                .collect(Collectors.joining(":"));
    }

    private void kill(Path volumes, Path claim, Random random) throws IOException, InterruptedException {
        Path log = directory.resolve("log");
        Path started = claim.resolveSibling("churning");
        Files.deleteIfExists(started);
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Xmx64m",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        classPath(),
                        Churn.class.getName(),
                        volumes.toString(),
                        claim.toString())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            org.awaitility.Awaitility.await()
                    .atMost(180, TimeUnit.SECONDS)
                    .until(() -> Files.exists(started) || !process.isAlive());
            boolean ended = process.waitFor(random.nextInt(300), TimeUnit.MILLISECONDS);
            assertThat(ended).as("%s", Files.readString(log)).isFalse();
        } finally {
            process.destroyForcibly().waitFor();
        }
    }
}
