package lavaflow.controller;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

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
 * @param rights names of the files of roles and bindings: what the module's components may do, and who may use its kinds
 */
public record DefinitionFiles(Class<?> home, List<String> names, List<String> rights) {
    private static final String TYPE = "$type";
    private static final String PART = "$part";
    private static final Pattern PARTS = Pattern.compile("\\$part: *([^\\s,}]+)");

    public DefinitionFiles {
        names = List.copyOf(names);
        rights = List.copyOf(rights);
    }

    public DefinitionFiles(Class<?> home, List<String> names) {
        this(home, names, List.of());
    }

    /** Another one whenever an object may have become another one: by its files, or by the built-in types. */
    public String fingerprint(String name) {
        CRC32 sum = new CRC32();
        sum.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, BuiltinSchema.fingerprint()));
        add(name, sum);
        return HexFormat.of().toHexDigits((int) sum.getValue());
    }

    private void add(String name, CRC32 sum) {
        byte[] bytes = bytes(name);
        sum.update(bytes);
        PARTS.matcher(new String(bytes, StandardCharsets.UTF_8))
                .results()
                .map(part -> part.group(1))
                .distinct()
                .forEach(part -> add(part, sum));
    }

    /** An object as it is installed. */
    public ObjectNode read(String name) {
        return (ObjectNode) whole(parsed(name));
    }

    private JsonNode parsed(String name) {
        try {
            return Yaml.parse(bytes(name)).root();
        } catch (DecodingException e) {
            throw new IllegalStateException(file(name) + ": " + e.getMessage(), e);
        }
    }

    private byte[] bytes(String name) {
        String file = file(name);
        try (InputStream in = Objects.requireNonNull(home.getResourceAsStream(file), file)) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String file(String name) {
        return "definitions/" + name + ".yaml";
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
