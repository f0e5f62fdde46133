package lavaflow.kubelet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class EvictionTest {
    private static final long MIB = 1 << 20;

    private static Eviction.Candidate candidate(String name, String more, long used) {
        TestingPod pod =
                TestingPod.of("containers: [{name: " + name + ", resources: {requests: {memory: 10Mi}}}]" + more);
        return new Eviction.Candidate(pod.view(), Map.of(name, used));
    }

    @Test
    void aNodeIsShortOfMemoryBelowAHundredMebibytes() {
        assertThat(Eviction.memory(99 * MIB).isShort()).isTrue();
        assertThat(Eviction.memory(100 * MIB).isShort()).isFalse();
    }

    @Test
    void aNodeIsShortOfDiskBelowATenthUnlessThatIsALot() {
        assertThat(Eviction.disk(5L << 30, 100L << 30).isShort()).isTrue();
        assertThat(Eviction.disk(20L << 30, 1000L << 30).isShort()).isFalse();
    }

    @Test
    void aNodeIsShortOfFilesAndProcessesBelowATwentieth() {
        assertThat(Eviction.inodes(49_000, 1_000_000).isShort()).isTrue();
        assertThat(Eviction.inodes(50_000, 1_000_000).isShort()).isFalse();
        assertThat(Eviction.inodes(0, 0).isShort())
                .as("file systems that make them as needed tell none")
                .isFalse();
        assertThat(Eviction.processes(1000, 32_768).isShort()).isTrue();
        assertThat(Eviction.pressure(List.of(Eviction.memory(200 * MIB), Eviction.inodes(1, 1000))))
                .isEqualTo(new NodeForm.Pressure(false, true, false));
        assertThat(Eviction.pressure(List.of(Eviction.memory(20 * MIB), Eviction.processes(1, 1000))))
                .isEqualTo(new NodeForm.Pressure(true, false, true));
    }

    private static ObjectNode node(String... pressures) {
        ObjectNode node = Json.object();
        ArrayNode conditions = Json.ensureObject(node, "status").putArray("conditions");
        conditions.addObject().put("type", "Ready").put("status", "True");
        for (String each : List.of("MemoryPressure", "DiskPressure", "PIDPressure")) {
            conditions
                    .addObject()
                    .put("type", each)
                    .put("status", List.of(pressures).contains(each) ? "True" : "False");
        }
        return node;
    }

    private static PodView ofQuality(String quality, String more) {
        PodView pod = TestingPod.of("containers: [{name: a}]" + more).view();
        Json.ensureObject(pod.object(), "status").put("qosClass", quality);
        return pod;
    }

    @Test
    void aNodeThatIsShortOfMemoryTakesNoPodsThatAskForNothing() {
        ObjectNode node = node("MemoryPressure");
        PodFacts.End refusal = NodeAdmission.pressure(node, ofQuality("BestEffort", ""));
        assertThat(refusal)
                .isEqualTo(new PodFacts.End("Evicted", "Pod was rejected: The node had condition: [MemoryPressure]. "));
        assertThat(NodeAdmission.pressure(node(), ofQuality("BestEffort", ""))).isNull();
        assertThat(NodeAdmission.pressure(node, ofQuality("Burstable", ""))).isNull();
        assertThat(NodeAdmission.pressure(node, ofQuality("BestEffort", "\ntolerations: [{operator: Exists}]")))
                .isNull();
        assertThat(NodeAdmission.pressure(node, ofQuality("BestEffort", "\npriority: 2000000000")))
                .isNull();
    }

    @Test
    void aNodeThatIsShortOfDiskTakesNoPods() {
        assertThat(NodeAdmission.pressure(node("MemoryPressure", "DiskPressure"), ofQuality("Guaranteed", "")))
                .isEqualTo(new PodFacts.End(
                        "Evicted", "Pod was rejected: The node had condition: [MemoryPressure DiskPressure]. "));
    }

    @Test
    void whoUsesMoreThanRequestedGoesFirstThenThoseOfLessPriority() {
        Eviction.Candidate modest = candidate("modest", "", 5 * MIB);
        Eviction.Candidate greedy = candidate("greedy", "\npriority: 100", 50 * MIB);
        Eviction.Candidate greedier = candidate("greedier", "\npriority: 100", 60 * MIB);
        Eviction.Candidate unimportant = candidate("unimportant", "\npriority: 1", 20 * MIB);
        Eviction.Candidate critical = candidate("critical", "\npriority: 2000000000", 900 * MIB);

        assertThat(Eviction.choose(List.of(modest, greedy, greedier, unimportant, critical), "memory"))
                .isEqualTo(unimportant);
        assertThat(Eviction.choose(List.of(modest, greedy, greedier, critical), "memory"))
                .isEqualTo(greedier);
        assertThat(Eviction.choose(List.of(critical), "memory")).isNull();
    }

    @Test
    void theMessageSaysWhoUsedWhat() {
        assertThat(Eviction.forShortage(candidate("a", "", 50 * MIB), Eviction.memory(90 * MIB))
                        .message())
                .isEqualTo(
                        "The node was low on resource: memory. Threshold quantity: 100Mi, available: 90Mi. Container a"
                                + " was using 50Mi, request is 10Mi, has larger consumption of memory. ");
    }

    @Test
    void whoHasMostProcessesGoesWhenThereAreNoneLeft() {
        Eviction.Candidate few = candidate("few", "", 5);
        Eviction.Candidate many = candidate("many", "", 5000);
        assertThat(Eviction.choose(List.of(few, many), Eviction.PROCESSES)).isEqualTo(many);
        assertThat(Eviction.forShortage(many, Eviction.processes(1000, 32_000)).message())
                .isEqualTo("The node was low on resource: pids. Threshold quantity: 1600, available: 1000. ");
    }

    @Test
    void theLimitOfOneContainerHoldsForThePodAsKubeletsCount() {
        PodView pod = TestingPod.of(
                        "containers: [{name: a, resources: {limits: {ephemeral-storage: 10Mi}}}, {name: b}]")
                .view();
        assertThat(Eviction.diskLimit(pod)).isEqualTo(10 * MIB);
        assertThat(Eviction.overDisk(pod, Map.of("b", 9 * MIB), 0)).isNull();
        assertThat(Eviction.overDisk(pod, Map.of("b", 11 * MIB), 0)).isNotNull();
    }

    @Test
    void aPodThatFillsTheDiskIsEvicted() {
        PodView pod = TestingPod.of("containers: [{name: a, resources: {limits: {ephemeral-storage: 10Mi}}}]")
                .view();

        assertThat(Eviction.overDisk(pod, Map.of("a", 5 * MIB), 4 * MIB)).isNull();
        PodFacts.End logs = Eviction.overDisk(pod, Map.of("a", 11 * MIB), 0);
        assertThat(logs).isNotNull();
        assertThat(logs.message()).isEqualTo("Container a exceeded its local ephemeral storage limit \"10Mi\". ");
        PodFacts.End all = Eviction.overDisk(pod, Map.of("a", 5 * MIB), 6 * MIB);
        assertThat(all).isNotNull();
        assertThat(all.message())
                .isEqualTo("Pod ephemeral local storage usage exceeds the total limit of containers 10Mi. ");
    }

    @Test
    void filesOfPodsThatAreGoneAreDeleted(@TempDir Path directory) throws IOException {
        NodeSettings settings = NodeSettings.of("n", "192.0.2.1", directory);
        Path kept = Files.createDirectories(settings.logs("ns", "a", "uid-1").resolve("main"));
        Path gone = Files.createDirectories(settings.logs("ns", "b", "uid-2").resolve("main"));
        Path files = Files.createDirectories(settings.pod("uid-2").resolve("containers"));

        Leftovers.delete(settings, Set.of("uid-1"));

        assertThat(kept).exists();
        assertThat(gone.getParent()).doesNotExist();
        assertThat(files.getParent()).doesNotExist();
    }

    @Test
    void logsOfPodsWithTheLongestNamesHaveAPlace(@TempDir Path directory) throws IOException {
        NodeSettings settings = NodeSettings.of("n", "192.0.2.1", directory);
        String uid = "0d064b22-a2c0-412b-9b60-c47c3640c526";
        Path logs = settings.logs("n".repeat(63), "p".repeat(253), uid);
        Files.createDirectories(logs);
        assertThat(logs.getFileName().toString())
                .startsWith("n".repeat(63) + "_ppp")
                .endsWith("_" + uid);

        Leftovers.delete(settings, Set.of(uid));
        assertThat(logs).exists();
        Leftovers.delete(settings, Set.of());
        assertThat(logs).doesNotExist();
    }

    @Test
    void renamedLogsAreFoundInTheirOrder(@TempDir Path directory) throws IOException {
        Path log = Files.writeString(directory.resolve("0.log"), "x");
        Path newer = Files.writeString(directory.resolve("0.log.20261115-120001"), "yy");
        Path older = Files.writeString(directory.resolve("0.log.20261115-120000"), "zzz");

        assertThat(LogRotation.rotated(log)).containsExactly(older, newer);
        assertThat(LogRotation.space(directory).files()).isEqualTo(4);
    }
}
