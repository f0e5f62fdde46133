package lavaflow.kubelet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import lavaflow.controller.KubeApi;
import lavaflow.controller.TestingKubeApi;
import lavaflow.image.Image;
import lavaflow.kube.Json;
import lavaflow.linux.Mounts;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

class ImageFilesTest {
    private static final KubeApi.Kind SECRETS = KubeApi.Kind.core("secrets");

    @TempDir
    private Path directory;

    private final List<String> secrets = new ArrayList<>();
    private final TestingImages images = new TestingImages();
    private final TestingKubeApi api = new TestingKubeApi().serve(SECRETS, "Secret");
    private final ImageFiles files = new ImageFiles(images, api);

    @AfterEach
    void unmount() throws IOException {
        Mounts.unmountBelow(directory.toRealPath());
    }

    private ObjectNode pod() {
        ObjectNode pod = Json.object();
        pod.putObject("metadata").put("name", "a").put("namespace", "team").put("uid", "a");
        ObjectNode spec = pod.putObject("spec");
        spec.putArray("containers");
        ArrayNode list = spec.putArray("imagePullSecrets");
        secrets.forEach(secret -> list.addObject().put("name", secret));
        return pod;
    }

    private Path layer(String name, String... pathsAndContents) throws IOException {
        Path layer = Files.createDirectory(directory.resolve(name));
        for (int i = 0; i < pathsAndContents.length; i += 2) {
            Files.writeString(layer.resolve(pathsAndContents[i]), pathsAndContents[i + 1]);
        }
        return layer;
    }

    private Path mount(String reference, String policy) throws Exception {
        ObjectNode source = Json.object().put("reference", reference).put("pullPolicy", policy);
        return files.mount(pod(), source, Files.createDirectories(directory.resolve("volume")));
    }

    @Test
    void layersAreSeenOverOneAnother() throws Exception {
        assumeTrue(Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0), "only root may mount");
        List<Path> layers = new ArrayList<>();
        for (int i = 0; i < 120; i++) {
            layers.add(layer("a-layer-with-a-rather-long-name-" + i, "file-" + i, "x", "top", Integer.toString(i)));
        }
        images.source = new Image.Layers(layers);
        Path path = mount("model:1", "IfNotPresent");
        assertThat(path.resolve("top")).hasContent("119");
        assertThat(path.resolve("file-0")).hasContent("x");
        assertThatThrownBy(() -> Files.writeString(path.resolve("new"), "x")).isInstanceOf(IOException.class);
        assertThat(mount("model:1", "IfNotPresent")).isEqualTo(path);
        assertThat(images.asked).containsExactly("model:1");
    }

    @Test
    void aSingleLayerIsSeenAsItIs() throws Exception {
        images.source = new Image.Layers(List.of(layer("only", "file", "x")));
        assertThat(mount("model:1", "Always").resolve("file")).hasContent("x");
        mount("model:1", "Always");
        assertThat(images.asked).hasSize(2);
        mount("model:1", "Never");
        assertThat(images.asked).hasSize(2);
    }

    @Test
    void anImageThatASecretOpenedIsForPodsWithSuchASecret() throws Exception {
        images.source = new Image.Layers(List.of(layer("only", "file", "x")));
        images.present = true;
        images.opener = "key";
        assertThatThrownBy(() -> mount("model:1", "Never"))
                .hasMessage("image \"model:1\" is not present with pull policy of Never");
        assertThatThrownBy(() -> mount("model:1", "IfNotPresent"))
                .hasMessage("Failed to pull image \"model:1\": pull access denied");
        api.createAnywhere(SECRETS, "team", TestingImages.secret("mine", "key"));
        secrets.add("mine");
        assertThat(mount("model:1", "Never").resolve("file")).hasContent("x");
        assertThat(images.asked).containsExactly("model:1");
    }

    @Test
    void imagesThatCannotBeHadAreTold() {
        assertThatThrownBy(() -> mount("missing", "IfNotPresent"))
                .hasMessage("Failed to pull image \"missing\": there is none");
        assertThatThrownBy(() -> mount("other", "Never"))
                .hasMessage("image \"other\" is not present with pull policy of Never");
        images.source = new Image.HostTree(List.of());
        assertThatThrownBy(() -> mount("host", "IfNotPresent"))
                .hasMessage("image \"host\" is the machine's own file system and cannot be a volume; use hostPath");
    }
}
