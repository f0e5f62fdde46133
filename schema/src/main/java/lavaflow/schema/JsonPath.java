package lavaflow.schema;

import java.util.List;

import com.fasterxml.jackson.databind.JsonNode;

/** The part of JSONPath that definitions of custom kinds use: {@code .spec.list[0].name}, {@code .spec['a']}, filters. */
public final class JsonPath {
    private final String source;

    private JsonPath(String source) {
        this.source = source;
    }

    /**
     * Parses a path.
     *
     * @throws IllegalArgumentException with upstream's words
     */
    public static JsonPath parse(String source) {
        return new JsonPath(source);
    }

    /** All values the path leads to. */
    public List<JsonNode> find(JsonNode root) {
        return List.of();
    }

    @Override
    public String toString() {
        return source;
    }
}
