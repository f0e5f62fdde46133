package lavaflow.kubelet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

import lavaflow.controller.TestingKubeApi;
import lavaflow.image.Credential;
import lavaflow.image.Image;
import lavaflow.image.ImageConfig;
import lavaflow.image.ImageEntry;
import lavaflow.image.ImageException;
import lavaflow.image.Images;
import lavaflow.kube.Json;
import lavaflow.linux.Mounts;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

class ImageFilesTest {
    @TempDir
    private Path directory;

    private final TestingImages images = new TestingImages();
    private final ImageFiles files = new ImageFiles(images, new TestingKubeApi());

    /** Has one image, which must be pulled first. */
    private static final class TestingImages implements Images {
        private final List<String> asked = new ArrayList<>();
        private Image.Source source = new Image.Layers(List.of());
        private boolean present;

        @Override
        public Optional<Image> find(String reference) {
            return present ? Optional.of(image(reference)) : Optional.empty();
        }

        private Image image(String reference) {
            return new Image("sha256:1", reference, null, source, ImageConfig.EMPTY, 1);
        }

        @Override
        public Image pull(String reference, List<Credential> credentials, Consumer<String> progress)
                throws ImageException {
            asked.add(reference);
            if (reference.equals("missing")) {
                throw new ImageException(ImageException.Kind.NOT_FOUND, "there is none");
            }
            present = true;
            return image(reference);
        }

        @Override
        public List<Image> list() {
            return List.of();
        }

        @Override
        public List<ImageEntry> entries() {
            return List.of();
        }

        @Override
        public void remove(String id) {}

        @Override
        public long collect(Set<String> inUse, long bytes) {
            return 0;
        }

        @Override
        public void used(String id) {}

        @Override
        public void close() {}
    }

    @AfterEach
    void unmount() throws IOException {
        Mounts.unmountBelow(directory.toRealPath());
    }

    private static ObjectNode pod() {
        ObjectNode pod = Json.object();
        pod.putObject("metadata").put("name", "a").put("namespace", "team").put("uid", "a");
        pod.putObject("spec").putArray("containers");
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
