package lavaflow.image;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;

/** What a registry or layout knows under a name: an image, or a list of images for different platforms. */
sealed interface Manifest {
    /** No manifest is as large; registries refuse more. */
    int LIMIT = 4 << 20;

    int LAYER_LIMIT = 127;

    List<String> MEDIA_TYPES = List.of(
            "application/vnd.oci.image.index.v1+json",
            "application/vnd.docker.distribution.manifest.list.v2+json",
            "application/vnd.oci.image.manifest.v1+json",
            "application/vnd.docker.distribution.manifest.v2+json");

    record Single(Descriptor config, List<Descriptor> layers) implements Manifest {}

    record Index(List<Choice> choices) implements Manifest {}

    /** One image of a list; without a platform it is for any. */
    record Choice(Descriptor descriptor, Platform platform, String name) {}

    static Manifest parse(byte[] bytes) throws ImageException {
        JsonNode root;
        try {
            root = Json.parseUntrusted(bytes);
        } catch (JsonProcessingException e) {
            throw new ImageException(ImageException.Kind.DAMAGED, "the manifest is no JSON", e);
        }
        if (root.has("manifests")) {
            List<Choice> choices = new ArrayList<>();
            for (JsonNode item : Json.listAt(root, "manifests")) {
                choices.add(new Choice(
                        Descriptor.parse(item),
                        Platform.parse(item.get("platform")),
                        Json.textAt(item, "annotations", "org.opencontainers.image.ref.name")));
            }
            return new Index(choices);
        }
        if (root.has("fsLayers") || Json.longAt(root, 2, "schemaVersion") == 1) {
            throw new ImageException(
                    ImageException.Kind.DAMAGED,
                    "the image is in the old format (schema 1), which is not supported; push it again with a current tool");
        }
        if (!root.has("config")) {
            throw new ImageException(ImageException.Kind.DAMAGED, "the manifest is not that of an image");
        }
        List<Descriptor> layers = new ArrayList<>();
        for (JsonNode item : Json.listAt(root, "layers")) {
            layers.add(Descriptor.parse(item));
        }
        if (layers.size() > LAYER_LIMIT) {
            throw new ImageException(
                    ImageException.Kind.TOO_LARGE,
                    "the image has " + layers.size() + " layers; at most " + LAYER_LIMIT
                            + " can be put over each other");
        }
        return new Single(Descriptor.parse(root.get("config")), layers);
    }

    /** The image of a list that runs here; one that does not say its platform serves where none fits better. */
    static Descriptor choose(Index index, Platform own) throws ImageException {
        Choice best = null;
        int bestSuits = 0;
        for (Choice choice : index.choices()) {
            int suits = choice.platform().os().isEmpty() ? 1 : own.suits(choice.platform());
            if (suits > bestSuits) {
                best = choice;
                bestSuits = suits;
            }
        }
        if (best == null) {
            throw new ImageException(
                    ImageException.Kind.NOT_FOUND,
                    "no match for platform in manifest: there is no image for " + own + ", only for "
                            + index.choices().stream()
                                    .map(choice -> choice.platform().toString())
                                    .distinct()
                                    .toList());
        }
        return best.descriptor();
    }
}
