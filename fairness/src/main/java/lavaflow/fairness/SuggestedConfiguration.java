package lavaflow.fairness;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** The objects a new cluster starts with, mandatory and suggested, as upstream has them. */
public record SuggestedConfiguration(List<Suggested> levels, List<Suggested> schemas) {
    /** An object by name, with the spec it should have. */
    public record Suggested(String name, ObjectNode spec) {}

    /** Reads it; cheap, but only needed at start. */
    public static SuggestedConfiguration load() {
        try (InputStream in = SuggestedConfiguration.class.getResourceAsStream("suggested.json")) {
            if (in == null) {
                throw new IllegalStateException("suggested.json is not on the class path");
            }
            ObjectNode document = Json.parseObject(in.readAllBytes());
            return new SuggestedConfiguration(list(document, "levels"), list(document, "schemas"));
        } catch (IOException e) {
            throw new IllegalStateException("suggested.json cannot be read", e);
        }
    }

    private static List<Suggested> list(ObjectNode document, String field) {
        List<Suggested> all = new ArrayList<>();
        Json.listAt(document, field)
                .forEach(each -> all.add(new Suggested(Json.textAt(each, "name"), (ObjectNode) each.get("spec"))));
        return List.copyOf(all);
    }
}
