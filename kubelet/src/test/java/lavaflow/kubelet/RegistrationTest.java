package lavaflow.kubelet;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.controller.KubeApi;
import lavaflow.controller.TestingKubeApi;
import lavaflow.image.ImageEntry;
import lavaflow.kube.Json;
import lavaflow.sandbox.RuntimeInfo;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class RegistrationTest {
    private static final KubeApi.Kind NAMESPACES = KubeApi.Kind.clusterWide("namespaces");
    private static final KubeApi.Kind LEASES = new KubeApi.Kind("coordination.k8s.io", "v1", "leases", true);

    private final TestingKubeApi api = new TestingKubeApi()
            .serve(NAMESPACES, "Namespace")
            .serve(Registration.NODES, "Node")
            .serve(LEASES, "Lease");

    @TempDir
    private Path directory;

    private Registration registration;
    private List<ImageEntry> images = List.of();

    @BeforeEach
    void register() throws IOException {
        ObjectNode namespace = Json.object();
        namespace.putObject("metadata").put("name", "kube-node-lease");
        api.create(NAMESPACES, "", namespace);
        DeviceTable devices = DeviceTable.open(
                directory.resolve("devices"), DeviceSettings.parse("".getBytes(StandardCharsets.UTF_8)), directory);
        NodeForm form = new NodeForm(
                NodeSettings.of("n", "192.0.2.1", directory),
                MachineInfo.read(directory),
                devices,
                new RuntimeInfo("runc", "1", true, true, true, List.of()),
                () -> images,
                "",
                10250);
        registration = new Registration(
                api, "n", form, () -> Instant.parse("2030-01-02T04:00:00Z"), () -> NodeForm.Pressure.NONE);
        registration.beat();
    }

    private String uid() {
        return Json.textAt(registration.node(), "metadata", "uid");
    }

    @Test
    void aNodeWhoseEndWasNotToldRegistersAgain() {
        String first = uid();
        api.delete(Registration.NODES, "", "n", KubeApi.Deletion.PLAIN);
        registration.relisted(Set.of("another"));
        registration.beat();

        assertThat(api.has(Registration.NODES, "", "n")).isTrue();
        assertThat(uid()).isNotEmpty().isNotEqualTo(first);
    }

    @Test
    void imagesAreToldOnceTheyAreThere() {
        assertThat(Json.listAt(registration.node(), "status", "images")).isEmpty();
        List<ImageEntry> many = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            Map<String, String> names = new LinkedHashMap<>();
            for (int name = 0; name < 6; name++) {
                names.put("docker.io/library/i" + i + ":" + name, "");
            }
            many.add(new ImageEntry(
                    "sha256:" + i, names, List.of("docker.io/library/i" + i + "@sha256:d"), i, Instant.EPOCH));
        }
        images = many;
        registration.beat();

        var told = Json.listAt(registration.node(), "status", "images");
        assertThat(told).as("the largest, the largest first").hasSize(50);
        assertThat(told.get(0).toString()).isEqualTo("""
                {"names":["docker.io/library/i59@sha256:d","docker.io/library/i59:0","docker.io/library/i59:1",\
                "docker.io/library/i59:2","docker.io/library/i59:3"],"sizeBytes":59}""");
    }

    @Test
    void aNodeThatIsStillThereStays() {
        String first = uid();
        registration.relisted(Set.of(first));
        registration.beat();

        assertThat(uid()).isEqualTo(first);
    }
}
