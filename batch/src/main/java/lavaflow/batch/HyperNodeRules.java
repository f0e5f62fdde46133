package lavaflow.batch;

import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;

/** Which HyperNodes are refused, in the words of Volcano's webhook; most is judged by their definition. Functions of values. */
public final class HyperNodeRules {
    private HyperNodeRules() {}

    /** Why a HyperNode may not be written; empty if it may. */
    public static String refusal(ObjectNode hyperNode) {
        ArrayNode members = Json.listAt(hyperNode, "spec", "members");
        Set<String> problems = new LinkedHashSet<>();
        if (members.isEmpty()) {
            problems.add("[].spec.members: Invalid value: null: member must have at least one member");
        }
        for (JsonNode member : members) {
            String pattern = Json.textAt(member, "selector", "regexMatch", "pattern");
            try {
                Pattern.compile(pattern);
            } catch (PatternSyntaxException e) {
                problems.add("[].spec.members.selector.regexMatch.pattern: Invalid value: "
                        + FieldErrors.quoted(pattern)
                        + ": member regexMatch pattern is invalid: error parsing regexp: " + e.getDescription() + ": `"
                        + Objects.requireNonNullElse(e.getPattern(), "") + "`");
            }
        }
        return problems.size() > 1 ? "[" + String.join(", ", problems) + "]" : String.join("", problems);
    }
}
