package lavaflow.kubelet;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.kube.Json;
import lavaflow.sandbox.ContainerSpec;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class DeviceTableTest {
    private static final String GPU = "nvidia.com/gpu";

    @TempDir
    private Path directory;

    private Path state;
    private Path root;

    @BeforeEach
    void makeMachine() throws IOException {
        state = directory.resolve("state/devices.json");
        root = Files.createDirectories(directory.resolve("root"));
        Files.createDirectories(root.resolve("dev"));
    }

    private DeviceTable table(String yaml) throws IOException {
        return DeviceTable.open(state, DeviceSettings.parse(yaml.getBytes(StandardCharsets.UTF_8)), root);
    }

    private void card(int number, String uuid) throws IOException {
        Files.createFile(root.resolve("dev/nvidia" + number));
        Path facts = Files.createDirectories(root.resolve("proc/driver/nvidia/gpus/0000:0" + number + ":00.0"));
        Files.writeString(facts.resolve("information"), """
                Model: \t\t NVIDIA A100-SXM4 40GB
                IRQ:   \t\t 42
                GPU UUID: \t %s
                Bus Location: \t 0000:0%d:00.0
                Device Minor: \t %d
                """.formatted(uuid, number, number));
    }

    private static ObjectNode pod(String uid, long... gpus) {
        ObjectNode pod = Json.object();
        pod.putObject("metadata").put("uid", uid).put("name", uid);
        pod.putObject("spec").putArray("containers");
        for (int i = 0; i < gpus.length; i++) {
            container(pod, "containers", "c" + i, gpus[i]);
        }
        return pod;
    }

    private static ObjectNode container(ObjectNode pod, String list, String name, long gpus) {
        ObjectNode container =
                ((ObjectNode) pod.get("spec")).withArray(list).addObject().put("name", name);
        if (gpus > 0) {
            Json.ensureObject(container, "resources", "limits").put(GPU, Long.toString(gpus));
        }
        return container;
    }

    private static String visible(DeviceTable table, String uid, String container) {
        return table.grant(uid, container, true).environment().getOrDefault("NVIDIA_VISIBLE_DEVICES", "");
    }

    // ---- cards

    @Test
    void aMachineWithoutCardsHasNothingToTell() throws Exception {
        DeviceTable table = table("");
        assertThat(table.capacity()).isEmpty();
        assertThat(table.labels()).isEmpty();
        table.admit(pod("a", 0));
        assertThat(table.grant("a", "c0", true)).isEqualTo(DeviceGrant.NOTHING);
    }

    @Test
    void cardsAreFoundAndHandedOutWithTheirFiles() throws Exception {
        card(0, "GPU-aaaa");
        card(1, "GPU-bbbb");
        Files.createFile(root.resolve("dev/nvidiactl"));
        Files.createFile(root.resolve("dev/nvidia-uvm"));
        Path libraries = Files.createDirectories(root.resolve("usr/lib/x86_64-linux-gnu"));
        Files.createFile(libraries.resolve("libcuda.so.550.1"));
        Files.createSymbolicLink(libraries.resolve("libcuda.so.1"), Path.of("libcuda.so.550.1"));
        Files.createFile(libraries.resolve("libc.so.6"));
        DeviceTable table = table("");
        assertThat(table.capacity()).containsExactly(Map.entry(GPU, 2L));
        assertThat(table.labels())
                .containsEntry("nvidia.com/gpu.product", "NVIDIA-A100-SXM4-40GB")
                .containsEntry("nvidia.com/gpu.count", "2");

        table.admit(pod("a", 1, 0));
        DeviceGrant grant = table.grant("a", "c0", true);
        assertThat(grant.environment())
                .containsExactly(
                        Map.entry("NVIDIA_VISIBLE_DEVICES", "GPU-aaaa"),
                        Map.entry("NVIDIA_DRIVER_CAPABILITIES", "compute,utility"));
        assertThat(grant.devices())
                .extracting(ContainerSpec.Device::target)
                .containsExactly("/dev/nvidia0", "/dev/nvidiactl", "/dev/nvidia-uvm");
        assertThat(grant.mounts())
                .extracting(ContainerSpec.Mount::target)
                .containsExactly("/usr/local/nvidia/lib64/libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.550.1");
        assertThat(grant.mounts()).extracting(ContainerSpec.Mount::source).allMatch(Files::isRegularFile);
        assertThat(table.grant("a", "c1", true).environment())
                .containsExactly(Map.entry("NVIDIA_VISIBLE_DEVICES", "void"));
        assertThat(table.grant("a", "c1", true).devices()).isEmpty();
    }

    @Test
    void processesThatSeeEveryCardAreToldWhichIsTheirs() throws Exception {
        card(0, "GPU-aaaa");
        DeviceTable table = table("");
        table.admit(pod("a", 1, 0));
        assertThat(table.grant("a", "c0", false).environment()).containsEntry("CUDA_VISIBLE_DEVICES", "GPU-aaaa");
        assertThat(table.grant("a", "c1", false).environment()).containsEntry("CUDA_VISIBLE_DEVICES", "");
    }

    @Test
    void cardsThatTheDriverCannotNameAreNamedByItsTool() throws Exception {
        card(0, "GPU-????????-????-????-????-????????????");
        Path tool = Files.createDirectories(root.resolve("usr/bin")).resolve("nvidia-smi");
        Files.writeString(tool, "#!/bin/sh\necho '0, GPU-cccc, Tesla T4'\n");
        Files.setPosixFilePermissions(tool, PosixFilePermissions.fromString("rwxr-xr-x"));
        DeviceTable table = table("");
        table.admit(pod("a", 1));
        assertThat(visible(table, "a", "c0")).isEqualTo("GPU-cccc");
    }

    @Test
    void cardsOfWhichOnlyTheDeviceFileIsSeenGoByTheirNumber() throws Exception {
        Files.createFile(root.resolve("dev/nvidia3"));
        DeviceTable table = table("");
        table.admit(pod("a", 1));
        assertThat(visible(table, "a", "c0")).isEqualTo("3");
    }

    @Test
    void aCardThatFellOffTheBusIsNotGivenToAnybody() throws Exception {
        card(0, "GPU-aaaa");
        card(1, "GPU-bbbb");
        DeviceTable table = table("");
        assertThat(table.look()).isFalse();
        Files.delete(root.resolve("dev/nvidia0"));
        assertThat(table.look()).isTrue();
        assertThat(table.capacity()).containsEntry(GPU, 2L);
        assertThat(table.allocatable()).containsEntry(GPU, 1L);
        table.admit(pod("a", 1));
        assertThat(visible(table, "a", "c0")).isEqualTo("GPU-bbbb");

        Files.delete(root.resolve("dev/nvidia1"));
        table.look();
        assertThatThrownBy(() -> table.admit(pod("b", 1)))
                .hasMessage("Allocate failed due to no healthy devices present; cannot allocate unhealthy devices"
                        + " nvidia.com/gpu, which is unexpected");
    }

    @Test
    void aCardIsSharedByAsManyAsTheSettingsSay() throws Exception {
        card(0, "GPU-aaaa");
        card(1, "GPU-bbbb");
        DeviceTable table = table("nvidia: {replicas: 2}");
        assertThat(table.allocatable()).containsEntry(GPU, 4L);
        table.admit(pod("a", 1));
        table.admit(pod("b", 1));
        table.admit(pod("c", 2));
        assertThat(visible(table, "a", "c0")).isEqualTo("GPU-aaaa");
        assertThat(visible(table, "b", "c0")).as("the card with fewer others").isEqualTo("GPU-bbbb");
        assertThat(visible(table, "c", "c0")).isEqualTo("GPU-aaaa,GPU-bbbb");
    }

    // ---- fake devices

    @Test
    void devicesCanBeMadeUp() throws Exception {
        DeviceTable table = table("""
                fake:
                - resource: nvidia.com/gpu
                  count: 8
                - resource: example.com/fpga
                  ids: [left, right]
                  unhealthy: [left]
                  environment: {FPGA: "at $(IDS)"}
                  devices: [/dev/null]
                """);
        assertThat(table.capacity()).containsExactly(Map.entry("example.com/fpga", 2L), Map.entry(GPU, 8L));
        assertThat(table.allocatable()).containsExactly(Map.entry("example.com/fpga", 1L), Map.entry(GPU, 8L));
        ObjectNode pod = pod("a", 2);
        Json.ensureObject((ObjectNode) pod.at("/spec/containers/0"), "resources", "limits")
                .put("example.com/fpga", 1);
        table.admit(pod);
        assertThat(table.grant("a", "c0", true).environment())
                .containsEntry("NVIDIA_VISIBLE_DEVICES", "GPU-fake-0,GPU-fake-1")
                .containsEntry("FPGA", "at right");
        assertThat(table.grant("a", "c0", true).devices())
                .containsExactly(new ContainerSpec.Device(Path.of("/dev/null"), "/dev/null", "rwm"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            fake: [{resource: gpu, count: 1}]              | fake[0].resource: must be a name such as example.com/fpga, not "gpu"
            fake: [{resource: a.kubernetes.io/b}]          | fake[0].resource: must be a name such as example.com/fpga, not "a.kubernetes.io/b"
            fake: [{resource: a.b/c, count: -1}]           | fake[0].count: cannot be -1
            fake: [{resource: a.b/c, count: 3, ids: [x]}]  | fake[0].count: is 3, but there are 1 ids
            fake: [{resource: a.b/c}, {resource: a.b/c}]   | fake: a.b/c is there twice
            fake: 7                                        | fake must be a list
            nvidia: {replicas: 0}                          | nvidia.replicas: cannot be 0
            nvidia: {replica: 2}                           | unknown field nvidia.replica; known are discover, driverCapabilities, replicas, resource
            [1]                                            | the file must be a map
            """)
    void settingsThatMeanNothingAreRefused(String yaml, String message) {
        assertThatThrownBy(() -> table(yaml)).hasMessage(message);
    }

    // ---- who has what

    @Test
    void aPodGetsAllItsDevicesOrNone() throws Exception {
        DeviceTable table = table("fake: [{resource: nvidia.com/gpu, count: 3}]");
        table.admit(pod("a", 1));
        assertThatThrownBy(() -> table.admit(pod("b", 1, 2)))
                .isInstanceOf(DeviceShortage.class)
                .hasMessage("Allocate failed due to requested number of devices unavailable for nvidia.com/gpu."
                        + " Requested: 2, Available: 1, which is unexpected");
        table.admit(pod("c", 2));
        assertThat(visible(table, "c", "c0")).isEqualTo("GPU-fake-1,GPU-fake-2");
        table.admit(pod("c", 2));
        assertThat(visible(table, "c", "c0")).as("again the same").isEqualTo("GPU-fake-1,GPU-fake-2");

        table.release("a");
        table.admit(pod("d", 1));
        assertThat(visible(table, "d", "c0")).isEqualTo("GPU-fake-0");
    }

    @Test
    void containersThatFollowOneAnotherHaveTheSameDevices() throws Exception {
        DeviceTable table = table("fake: [{resource: nvidia.com/gpu, count: 3}]");
        ObjectNode pod = pod("a", 2);
        container(pod, "initContainers", "first", 1);
        container(pod, "initContainers", "second", 2);
        container(pod, "initContainers", "aside", 1).put("restartPolicy", "Always");
        table.admit(pod);
        assertThat(visible(table, "a", "first")).isEqualTo("GPU-fake-0");
        assertThat(visible(table, "a", "second")).isEqualTo("GPU-fake-0,GPU-fake-1");
        assertThat(visible(table, "a", "aside")).as("stays beside the others").isEqualTo("GPU-fake-0");
        assertThat(visible(table, "a", "c0")).isEqualTo("GPU-fake-1,GPU-fake-2");
    }

    @Test
    void whoHasWhatOutlivesTheProcess() throws Exception {
        String yaml = "fake: [{resource: nvidia.com/gpu, count: 2}]";
        table(yaml).admit(pod("a", 1));
        DeviceTable next = table(yaml);
        assertThat(visible(next, "a", "c0")).isEqualTo("GPU-fake-0");
        next.admit(pod("b", 1));
        assertThat(visible(next, "b", "c0")).isEqualTo("GPU-fake-1");

        next.retain(Set.of("b"));
        DeviceTable last = table(yaml);
        last.admit(pod("c", 1));
        assertThat(visible(last, "c", "c0")).isEqualTo("GPU-fake-0");
    }

    @Test
    void devicesThatAreGoneWithARestartAreMissedByTheirPod() throws Exception {
        table("fake: [{resource: nvidia.com/gpu, ids: [x, y]}]").admit(pod("a", 1));
        DeviceTable next = table("fake: [{resource: nvidia.com/gpu, ids: [y]}]");
        assertThatThrownBy(() -> next.admit(pod("a", 1)))
                .hasMessage("Allocate failed due to previously allocated devices are no longer healthy; cannot allocate"
                        + " unhealthy devices nvidia.com/gpu, which is unexpected");
    }

    @Test
    void aNodeThatLostItsDevicesSaysSo() throws Exception {
        table("fake: [{resource: a.b/c, count: 2}, {resource: d.e/f, count: 1}]");
        DeviceTable next = table("fake: [{resource: d.e/f, count: 1}]");
        assertThat(next.capacity()).containsExactly(Map.entry("a.b/c", 0L), Map.entry("d.e/f", 1L));
        assertThat(next.allocatable()).isEqualTo(next.capacity());
    }

    @Test
    void aDamagedMemoryIsNoReasonNotToStart() throws Exception {
        Files.createDirectories(state.getParent());
        Files.writeString(state, "{\"pods\": ");
        DeviceTable table = table("fake: [{resource: nvidia.com/gpu, count: 1}]");
        table.admit(pod("a", 1));
        assertThat(visible(table, "a", "c0")).isEqualTo("GPU-fake-0");
    }

    @Test
    void settingsComeFromAFileThatNeedNotExist() throws Exception {
        assertThat(DeviceSettings.read(directory.resolve("none"))).isEqualTo(DeviceSettings.DEFAULT);
        Path file = Files.writeString(directory.resolve("devices.yaml"), "fake: 7\nfakes: []\n");
        assertThatThrownBy(() -> DeviceSettings.read(file))
                .isInstanceOf(IOException.class)
                .hasMessage(file + ": unknown field fakes; known are fake, nvidia");
        assertThat(List.of(DeviceSettings.DEFAULT.nvidia().replicas())).containsExactly(1);
    }

    @Test
    void devicesCanBeCountedOutWhenANodeIsStarted() throws Exception {
        Path usual = directory.resolve("devices.yaml");
        Files.writeString(usual, "fake: [{resource: a.b/c, count: 1}, {resource: a.b/d, count: 1}]");
        assertThat(DeviceSettings.read(usual, null).fakes()).hasSize(2);
        assertThat(DeviceSettings.read(usual, "a.b/d=3,nvidia.com/gpu=2").fakes())
                .extracting(fake -> fake.resource() + " " + fake.ids())
                .containsExactly("a.b/c [c-0]", "a.b/d [d-0, d-1, d-2]", "nvidia.com/gpu [GPU-fake-0, GPU-fake-1]");
        Path other = Files.writeString(directory.resolve("other.yaml"), "nvidia: {replicas: 4}");
        DeviceSettings read = DeviceSettings.read(usual, other.toString());
        assertThat(read.fakes()).isEmpty();
        assertThat(read.nvidia().replicas()).isEqualTo(4);
        assertThatThrownBy(() -> DeviceSettings.read(usual, directory.resolve("none") + ""))
                .isInstanceOf(java.nio.file.NoSuchFileException.class);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            gpu=1           | gpu=1.resource: must be a name such as example.com/fpga, not "gpu"
            a.b/c=x         | must be RESOURCE=NUMBER, as in nvidia.com/gpu=8, not "a.b/c=x"
            a.b/c=1,        | must be RESOURCE=NUMBER, as in nvidia.com/gpu=8, not ""
            a.b/c=1,a.b/c=2 | a.b/c is there twice
            a.b/c=999999    | a.b/c=999999.count: cannot be 999999
            """)
    void countsThatMeanNothingAreRefused(String written, String message) {
        assertThatThrownBy(() -> DeviceSettings.read(directory.resolve("none"), written))
                .hasMessage(message);
    }
}
