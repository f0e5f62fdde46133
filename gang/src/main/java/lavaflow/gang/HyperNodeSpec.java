package lavaflow.gang;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * A part of the network: nodes that are close to each other, or parts that are.
 *
 * @param tier the smaller, the closer its nodes are
 * @param tierName what gangs may call the tier; empty if nothing
 */
public record HyperNodeSpec(String name, int tier, String tierName, List<Members> members) {
    /**
     * Some of what belongs to it.
     *
     * @param nodes whether it speaks of nodes, not of other parts
     * @param exact the one name, empty where a pattern or labels say which
     * @param pattern what is found in names; null if something else decides
     * @param labels of nodes; null if something else decides
     */
    public record Members(
            boolean nodes,
            String exact,
            @Nullable Pattern pattern,
            @Nullable LabelSelector labels) {
        static Members of(JsonNode member) {
            String pattern = Json.textAt(member, "selector", "regexMatch", "pattern");
            JsonNode labels = Json.at(member, "selector", "labelMatch");
            return new Members(
                    Json.textAt(member, "type").equals("Node"),
                    Json.textAt(member, "selector", "exactMatch", "name"),
                    pattern.isEmpty() ? null : compiled(pattern),
                    labels == null ? null : LabelSelector.fromJson(labels));
        }

        /** What cannot be understood matches nothing. */
        private static @Nullable Pattern compiled(String pattern) {
            try {
                return Pattern.compile(pattern);
            } catch (PatternSyntaxException e) {
                return null;
            }
        }

        /** Whether a node, or a part, is one of them. */
        public boolean matches(String name, ObjectNode itsLabels) {
            if (!exact.isEmpty()) {
                return exact.equals(name);
            }
            return pattern != null
                    ? pattern.matcher(name).find()
                    : nodes && labels != null && labels.matches(itsLabels);
        }
    }

    /** Reads an object of the API. */
    public static HyperNodeSpec of(ObjectNode object) {
        JsonNode spec = Json.at(object, "spec");
        List<Members> members = new ArrayList<>();
        Json.listAt(spec, "members").forEach(each -> members.add(Members.of(each)));
        return new HyperNodeSpec(
                Json.textAt(object, "metadata", "name"),
                (int) Json.longAt(spec, 0, "tier"),
                Json.textAt(spec, "tierName"),
                List.copyOf(members));
    }
}
