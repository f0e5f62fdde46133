package lavaflow.image;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** All images that are here by id, and which of them names mean. A value; changes make another. */
record StoreIndex(Map<String, StoredImage> images, Map<String, Named> names) {
    /**
     * What a name means.
     *
     * @param origin where the image came from under this name, and how that looked then
     */
    record Named(String id, String origin) {}

    static final StoreIndex EMPTY = new StoreIndex(Map.of(), Map.of());

    Optional<StoredImage> byId(String id) {
        return Optional.ofNullable(images.get(id));
    }

    /** By a full name, or by a digest it was once got as. */
    Optional<StoredImage> byName(Reference reference) {
        Named named = names.get(reference.toString());
        if (named != null) {
            return byId(named.id());
        }
        if (reference.digest() == null) {
            return Optional.empty();
        }
        String digest = reference.name() + "@" + reference.digest();
        return images.values().stream()
                .filter(image -> image.digests().contains(digest))
                .findFirst();
    }

    /** Names of an image, with where it came from under each. */
    Map<String, String> namesOf(String id) {
        Map<String, String> found = new LinkedHashMap<>();
        names.forEach((name, named) -> {
            if (named.id().equals(id)) {
                found.put(name, named.origin());
            }
        });
        return found;
    }

    /** Somebody took it in by hand; nothing could bring it back. */
    boolean isImported(String id) {
        return namesOf(id).containsValue(StoredImage.IMPORTED);
    }

    StoreIndex with(StoredImage image, String name) {
        Map<String, StoredImage> newImages = new LinkedHashMap<>(images);
        newImages.put(image.id(), image);
        Map<String, Named> newNames = new LinkedHashMap<>(names);
        newNames.put(name, new Named(image.id(), image.origin()));
        return new StoreIndex(newImages, newNames);
    }

    StoreIndex without(String id) {
        Map<String, StoredImage> newImages = new LinkedHashMap<>(images);
        newImages.remove(id);
        Map<String, Named> newNames = new LinkedHashMap<>(names);
        newNames.values().removeIf(named -> named.id().equals(id));
        return new StoreIndex(newImages, newNames);
    }

    StoreIndex withoutName(String name) {
        Map<String, Named> newNames = new LinkedHashMap<>(names);
        newNames.remove(name);
        return new StoreIndex(images, newNames);
    }

    byte[] toJson() {
        ObjectNode root = Json.object();
        ArrayNode list = root.putArray("images");
        images.values().forEach(image -> list.add(image.toJson()));
        ObjectNode known = root.putObject("names");
        names.forEach(
                (name, named) -> known.putObject(name).put("id", named.id()).put("origin", named.origin()));
        return Json.bytes(root);
    }

    static StoreIndex parse(byte[] bytes) {
        JsonNode root = Json.parse(bytes);
        Map<String, StoredImage> images = new LinkedHashMap<>();
        for (JsonNode item : Json.listAt(root, "images")) {
            StoredImage image = StoredImage.parse(item);
            images.put(image.id(), image);
        }
        Map<String, Named> names = new LinkedHashMap<>();
        root.path("names")
                .properties()
                .forEach(name -> names.put(
                        name.getKey(),
                        new Named(Json.textAt(name.getValue(), "id"), Json.textAt(name.getValue(), "origin"))));
        return new StoreIndex(images, names);
    }
}
