package lavaflow.image;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What is written down about an image.
 *
 * @param origin where it came from last, and how that looked then
 * @param digests {@code repository@sha256:...} it was got as
 * @param layers chain ids, the lowest first; empty for what lies over the machine's own files
 * @param overHost whether the machine's own files are below
 * @param trees directories of the store that are laid over, by where they are seen, in order
 * @param size of everything it needs, shared or not
 */
record StoredImage(
        String id,
        String origin,
        List<String> digests,
        ImageConfig config,
        List<String> layers,
        boolean overHost,
        Map<String, String> trees,
        long size,
        String createdAt) {
    static final String IMPORTED = "import";
    static final String REGISTRY = "registry";

    /** Also got under another digest, from somewhere. */
    StoredImage alsoAs(String newOrigin, List<String> more) {
        List<String> all = new ArrayList<>(digests);
        more.stream().filter(digest -> !all.contains(digest)).forEach(all::add);
        return new StoredImage(id, newOrigin, List.copyOf(all), config, layers, overHost, trees, size, createdAt);
    }

    ObjectNode toJson() {
        ObjectNode node = Json.object();
        node.put("id", id).put("origin", origin).put("createdAt", createdAt).put("size", size);
        put(node, "digests", digests);
        put(node, "layers", layers);
        node.put("overHost", overHost);
        ObjectNode laid = node.putObject("trees");
        trees.forEach(laid::put);
        ObjectNode run = node.putObject("config");
        put(run, "entrypoint", config.entrypoint());
        put(run, "command", config.command());
        put(run, "environment", config.environment());
        put(run, "volumes", config.volumes());
        run.put("user", config.user()).put("directory", config.directory());
        if (config.stopSignal() != null) {
            run.put("stopSignal", config.stopSignal());
        }
        return node;
    }

    private static void put(ObjectNode node, String key, List<String> texts) {
        ArrayNode list = node.putArray(key);
        texts.forEach(list::add);
    }

    static StoredImage parse(JsonNode node) {
        JsonNode run = node.path("config");
        String stop = Json.textAt(run, "stopSignal");
        ImageConfig config = new ImageConfig(
                ConfigFile.texts(run.get("entrypoint")),
                ConfigFile.texts(run.get("command")),
                ConfigFile.texts(run.get("environment")),
                Json.textAt(run, "user"),
                Json.textAt(run, "directory"),
                ConfigFile.texts(run.get("volumes")),
                stop.isEmpty() ? null : stop);
        Map<String, String> trees = new java.util.LinkedHashMap<>();
        node.path("trees")
                .properties()
                .forEach(tree -> trees.put(tree.getKey(), tree.getValue().asText()));
        return new StoredImage(
                Json.textAt(node, "id"),
                Json.textAt(node, "origin"),
                ConfigFile.texts(node.get("digests")),
                config,
                ConfigFile.texts(node.get("layers")),
                Json.flagAt(node, "overHost"),
                trees,
                Json.longAt(node, 0, "size"),
                Json.textAt(node, "createdAt"));
    }
}
