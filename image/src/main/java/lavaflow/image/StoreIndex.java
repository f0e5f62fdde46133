package lavaflow.image;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * All images that are here by id, and which of them names mean. A value; changes make another.
 *
 * @param access who may use what registries gave; by {@code repository@id}
 */
record StoreIndex(Map<String, StoredImage> images, Map<String, Named> names, Map<String, ImageAccess> access) {
    /**
     * What a name means.
     *
     * @param origin where the image came from under this name, and how that looked then
     */
    record Named(String id, String origin) {}

    static final StoreIndex EMPTY = new StoreIndex(Map.of(), Map.of(), Map.of());

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
        return new StoreIndex(newImages, newNames, access);
    }

    /** What a repository says about who may use an image it gave. */
    StoreIndex withAccess(String repository, String id, UnaryOperator<ImageAccess> change) {
        String key = repository + "@" + id;
        ImageAccess before = access.getOrDefault(key, ImageAccess.NOBODY);
        ImageAccess after = change.apply(before);
        if (after.equals(before)) {
            return this;
        }
        Map<String, ImageAccess> newAccess = new LinkedHashMap<>(access);
        newAccess.put(key, after);
        return new StoreIndex(images, names, newAccess);
    }

    /** Repositories that gave an image and said who may use it. */
    List<String> guardsOf(String id) {
        return access.keySet().stream()
                .filter(key -> key.endsWith("@" + id))
                .map(key -> key.substring(0, key.length() - id.length() - 1))
                .toList();
    }

    /** Who may use an image as one of a repository, if somebody noted it. */
    Optional<ImageAccess> accessTo(String repository, String id) {
        return Optional.ofNullable(access.get(repository + "@" + id));
    }

    /**
     * Whether an image may be used as one of a repository. What was not got from a registry is for everybody, and so is what
     * was got when nobody noted by whom.
     */
    boolean admits(String repository, String id, Supplier<List<Credential>> credentials) {
        return accessTo(repository, id)
                .map(known -> known.open() || known.admits(credentials.get()))
                .orElse(true);
    }

    /** Whether an image has a name, in some repository or in any, under which no registry gave it. */
    boolean isPreloaded(String repository, String id) {
        return namesOf(id).entrySet().stream()
                .filter(named -> !named.getValue().equals(StoredImage.REGISTRY))
                .map(Map.Entry::getKey)
                .anyMatch(name ->
                        repository.isEmpty() || name.startsWith(repository + ":") || name.startsWith(repository + "@"));
    }

    StoreIndex without(String id) {
        Map<String, StoredImage> newImages = new LinkedHashMap<>(images);
        newImages.remove(id);
        Map<String, Named> newNames = new LinkedHashMap<>(names);
        newNames.values().removeIf(named -> named.id().equals(id));
        Map<String, ImageAccess> newAccess = new LinkedHashMap<>(access);
        newAccess.keySet().removeIf(key -> key.endsWith("@" + id));
        return new StoreIndex(newImages, newNames, newAccess);
    }

    StoreIndex withoutName(String name) {
        Map<String, Named> newNames = new LinkedHashMap<>(names);
        newNames.remove(name);
        return new StoreIndex(images, newNames, access);
    }

    byte[] toJson() {
        ObjectNode root = Json.object();
        ArrayNode list = root.putArray("images");
        images.values().forEach(image -> list.add(image.toJson()));
        ObjectNode known = root.putObject("names");
        names.forEach(
                (name, named) -> known.putObject(name).put("id", named.id()).put("origin", named.origin()));
        ObjectNode guarded = root.putObject("access");
        access.forEach((key, who) -> guarded.set(key, who.toJson()));
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
        Map<String, ImageAccess> access = new LinkedHashMap<>();
        root.path("access")
                .properties()
                .forEach(entry -> access.put(entry.getKey(), ImageAccess.parse(entry.getValue())));
        return new StoreIndex(images, names, access);
    }
}
