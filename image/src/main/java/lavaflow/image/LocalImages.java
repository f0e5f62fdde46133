package lavaflow.image;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** The images in a layout or an archive of either kind. */
final class LocalImages {
    private static final String CONTAINERD_NAME = "io.containerd.image.name";
    private static final String OCI_NAME = "org.opencontainers.image.ref.name";

    private final Blobs blobs;
    private final Platform own;

    LocalImages(Blobs blobs, Platform own) {
        this.blobs = blobs;
        this.own = own;
    }

    /** One image and what it is called there: full names, perhaps only a tag, perhaps nothing. */
    record Offer(
            List<String> names,
            @Nullable Descriptor descriptor,
            @Nullable JsonNode saved) {}

    List<Offer> offers() throws IOException, ImageException {
        List<Offer> offers = new ArrayList<>();
        if (blobs.has("index.json")) {
            JsonNode index = json("index.json");
            for (JsonNode item : Json.listAt(index, "manifests")) {
                List<String> names = new ArrayList<>();
                for (String key : List.of(CONTAINERD_NAME, OCI_NAME)) {
                    String name = Json.textAt(item, "annotations", key);
                    if (!name.isEmpty()) {
                        names.add(name);
                    }
                }
                offers.add(new Offer(names, Descriptor.parse(item), null));
            }
        } else if (blobs.has("manifest.json")) {
            for (JsonNode item : json("manifest.json")) {
                offers.add(new Offer(ConfigFile.texts(item.get("RepoTags")), null, item));
            }
        } else {
            throw new ImageException(
                    ImageException.Kind.DAMAGED, "this is neither an OCI image nor what 'docker save' writes");
        }
        return offers;
    }

    /** The image that a name means: the one called so, or else the only one, or the one for this platform. */
    ImagePlan find(Reference reference) throws IOException, ImageException {
        List<Offer> offers = offers();
        for (Offer offer : offers) {
            if (offer.names().stream().anyMatch(name -> means(name, reference))) {
                return plan(offer);
            }
        }
        if (offers.size() == 1) {
            return plan(offers.getFirst());
        }
        if (!offers.isEmpty() && offers.stream().allMatch(offer -> offer.names().isEmpty() && offer.saved() == null)) {
            byte[] index = blobs.read("index.json", Manifest.LIMIT).orElseThrow();
            return plan(Manifest.choose((Manifest.Index) Manifest.parse(index), own), null);
        }
        throw new ImageException(
                ImageException.Kind.NOT_FOUND,
                "there are " + offers.size() + " images, none of them called " + reference.familiar() + ", but "
                        + offers.stream()
                                .flatMap(offer -> offer.names().stream())
                                .toList());
    }

    private static boolean means(String name, Reference reference) {
        if (name.equals(reference.tag())) {
            return true;
        }
        try {
            return Reference.parse(name).toString().equals(reference.toString());
        } catch (ImageException e) {
            return false;
        }
    }

    ImagePlan plan(Offer offer) throws IOException, ImageException {
        if (offer.saved() != null) {
            return saved(offer.saved());
        }
        return plan(java.util.Objects.requireNonNull(offer.descriptor()), null);
    }

    /** What a manifest says; a list leads to the one for this platform, and its own digest is what the image is known by. */
    private ImagePlan plan(Descriptor descriptor, @Nullable String knownAs) throws IOException, ImageException {
        String digest = knownAs == null ? descriptor.digest() : knownAs;
        return switch (Manifest.parse(blobs.read(descriptor, Manifest.LIMIT))) {
            case Manifest.Index _
            when knownAs != null ->
                throw new ImageException(ImageException.Kind.DAMAGED, "a list of images contains another list");
            case Manifest.Index index -> plan(Manifest.choose(index, own), digest);
            case Manifest.Single single -> {
                ConfigFile config = ConfigFile.parse(blobs.read(single.config(), ConfigFile.LIMIT))
                        .checkedFor(own);
                ImagePlan.checkCount(single.layers().size(), config);
                List<ImagePlan.Layer> layers = new ArrayList<>();
                for (Descriptor layer : single.layers()) {
                    String path = Blobs.pathOf(layer);
                    layers.add(new ImagePlan.Layer(layer, config.diffIds().get(layers.size()), () -> blobs.open(path)));
                }
                yield new ImagePlan(config, digest, layers);
            }
        };
    }

    private ImagePlan saved(JsonNode item) throws IOException, ImageException {
        String name = Json.textAt(item, "Config");
        byte[] bytes = blobs.read(name, ConfigFile.LIMIT)
                .orElseThrow(() -> new ImageException(ImageException.Kind.DAMAGED, "the archive has no " + name));
        ConfigFile config = ConfigFile.parse(bytes).checkedFor(own);
        List<String> paths = ConfigFile.texts(item.get("Layers"));
        ImagePlan.checkCount(paths.size(), config);
        List<ImagePlan.Layer> layers = new ArrayList<>();
        for (String path : paths) {
            String diffId = config.diffIds().get(layers.size());
            layers.add(new ImagePlan.Layer(Descriptor.ofDigest(""), diffId, () -> blobs.open(path)));
        }
        return new ImagePlan(config, null, layers);
    }

    private JsonNode json(String path) throws IOException, ImageException {
        try {
            return Json.parseUntrusted(blobs.read(path, Manifest.LIMIT).orElseThrow());
        } catch (JsonProcessingException e) {
            throw new ImageException(ImageException.Kind.DAMAGED, path + " is no JSON", e);
        }
    }
}
