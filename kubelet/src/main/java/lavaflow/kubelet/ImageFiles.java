package lavaflow.kubelet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

import lavaflow.controller.KubeApi;
import lavaflow.image.Credential;
import lavaflow.image.Image;
import lavaflow.image.ImageException;
import lavaflow.image.Images;
import lavaflow.kube.Json;
import lavaflow.linux.Beneath;
import lavaflow.linux.Mounts;
import lavaflow.linux.OpenFile;
import lavaflow.linux.Overlays;
import lavaflow.volume.ImageVolumes;
import lavaflow.volume.VolumeException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Volumes whose files are those of an image. */
public final class ImageFiles implements ImageVolumes {
    private static final KubeApi.Kind CONFIG_MAPS = KubeApi.Kind.core("configmaps");
    private static final KubeApi.Kind SECRETS = KubeApi.Kind.core("secrets");

    private final Images images;
    private final Environment.Objects objects;

    /** Gets images with the secrets of the pods that want them. */
    public ImageFiles(Images images, KubeApi api) {
        this.images = images;
        this.objects = new Environment.Objects() {
            @Override
            public Optional<ObjectNode> configMap(String namespace, String name) {
                return api.find(CONFIG_MAPS, namespace, name);
            }

            @Override
            public Optional<ObjectNode> secret(String namespace, String name) {
                return api.find(SECRETS, namespace, name);
            }
        };
    }

    @Override
    public Path mount(ObjectNode pod, JsonNode source, Path directory) throws VolumeException {
        try {
            Path target = directory.resolve("files");
            if (Files.isDirectory(target) && isMounted(target)) {
                return target;
            }
            Image image = image(pod, source);
            images.used(image.id());
            return switch (image.source()) {
                case Image.Layers(List<Path> lowestFirst) -> mount(lowestFirst, target);
                case Image.HostTree _ ->
                    throw new VolumeException("image \"" + Json.textAt(source, "reference")
                            + "\" is the machine's own file system and cannot be a volume; use hostPath");
            };
        } catch (IOException e) {
            throw new VolumeException(String.valueOf(e.getMessage()), e);
        }
    }

    private Image image(ObjectNode pod, JsonNode source) throws VolumeException {
        String reference = Json.textAt(source, "reference");
        String policy = Json.textAt(source, "pullPolicy");
        Supplier<List<Credential>> credentials =
                () -> PullSecrets.of(new PodView(pod), objects).credentials();
        if (!policy.equals("Always")) {
            Optional<Image> present = images.findFor(reference, credentials);
            if (present.isPresent()) {
                return present.get();
            }
        }
        if (policy.equals("Never")) {
            throw new VolumeException("image \"" + reference + "\" is not present with pull policy of Never");
        }
        try {
            return images.pull(reference, credentials.get(), _ -> {});
        } catch (ImageException e) {
            throw new VolumeException("Failed to pull image \"" + reference + "\": " + e.getMessage(), e);
        }
    }

    private static boolean isMounted(Path target) throws IOException {
        return Mounts.isMounted(target.toRealPath());
    }

    /** Layers over one another; a single one needs nothing laid over it. */
    private static Path mount(List<Path> lowestFirst, Path target) throws IOException {
        if (lowestFirst.size() == 1) {
            return lowestFirst.getFirst();
        }
        Files.createDirectories(target);
        if (lowestFirst.isEmpty()) {
            return target;
        }
        List<OpenFile> layers = new ArrayList<>();
        try {
            StringBuilder options = new StringBuilder("lowerdir=");
            for (Path layer : lowestFirst.reversed()) {
                // Options of a mount are a page at most: open files have short names.
                OpenFile opened = Beneath.directory(layer);
                layers.add(opened);
                options.append(layers.size() == 1 ? "" : ":").append(opened.path());
            }
            Mounts.mount("overlay", target, "overlay", Mounts.READ_ONLY, options + Overlays.marks());
            return target;
        } finally {
            layers.forEach(OpenFile::close);
        }
    }
}
