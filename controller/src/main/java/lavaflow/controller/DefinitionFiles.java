package lavaflow.controller;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import lavaflow.kube.BuiltinSchema;
import lavaflow.kube.DecodingException;
import lavaflow.kube.Json;
import lavaflow.kube.Yaml;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Objects a module brings along for clusters, mostly definitions of its kinds, as YAML files in {@code definitions/} beside one
 * of its classes. Schemas may leave to this class what would only be repeated: <code>{$type: NAME}</code> stands for a built-in
 * type, <code>{$part: FILE}</code> for what another file holds; whatever stands beside these words is added.
 *
 * @param home a class of the module
 * @param names of the definitions, which are those of their files
 */
public record DefinitionFiles(Class<?> home, List<String> names) {
    private static final String TYPE = "$type";
    private static final String PART = "$part";

    public DefinitionFiles {
        names = List.copyOf(names);
    }

    /** An object as it is installed. */
    public ObjectNode read(String name) {
        return (ObjectNode) whole(parsed(name));
    }

    private JsonNode parsed(String name) {
        String file = "definitions/" + name + ".yaml";
        try (InputStream in = Objects.requireNonNull(home.getResourceAsStream(file), file)) {
            return Yaml.parse(in.readAllBytes()).root();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (DecodingException e) {
            throw new IllegalStateException(file + ": " + e.getMessage(), e);
        }
    }

    /** A copy with nothing left out, in which nothing that a file repeats by an anchor is one and the same. */
    private JsonNode whole(JsonNode node) {
        if (node instanceof ArrayNode list) {
            ArrayNode copy = Json.array();
            list.forEach(each -> copy.add(whole(each)));
            return copy;
        }
        if (!(node instanceof ObjectNode object)) {
            return node;
        }
        ObjectNode copy = Json.object();
        for (Map.Entry<String, JsonNode> field : object.properties()) {
            switch (field.getKey()) {
                case TYPE -> copy.setAll(BuiltinSchema.of(field.getValue().asText()));
                case PART ->
                    copy.setAll((ObjectNode) whole(parsed(field.getValue().asText())));
                default -> copy.set(field.getKey(), whole(field.getValue()));
            }
        }
        return copy;
    }
}
