package lavaflow.kinds;

import java.util.Map;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Limit ranges: what a container gets by default follows from what it may have at most and at least. */
final class LimitRangeRules implements KindRules {
    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.CREATE_ON_UPDATE);
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        for (ObjectNode limit : Nodes.objects(object, "spec", "limits")) {
            for (String list : new String[] {"max", "min", "default", "defaultRequest", "maxLimitRequestRatio"}) {
                ResourceLists.roundUp(limit.get(list));
            }
            if (Json.textAt(limit, "type").equals("Container")) {
                completeFrom(limit, "default", "max");
                completeFrom(limit, "defaultRequest", "default");
                completeFrom(limit, "defaultRequest", "min");
            }
        }
    }

    private static void completeFrom(ObjectNode limit, String field, String source) {
        ObjectNode values = Json.objectAt(limit, source);
        if (values == null || values.isEmpty()) {
            return;
        }
        ObjectNode target = Json.ensureObject(limit, field);
        for (Map.Entry<String, JsonNode> entry : values.properties()) {
            Nodes.defaultValue(target, entry.getKey(), entry.getValue());
        }
    }

    @Override
    public void prepareForCreate(ObjectNode object) {
        // Nothing is the server's to decide.
    }

    @Override
    public void prepareForUpdate(ObjectNode object, ObjectNode old) {
        // Nothing is the server's to decide.
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        LimitRangeValidation.validate(object, errors);
    }
}
