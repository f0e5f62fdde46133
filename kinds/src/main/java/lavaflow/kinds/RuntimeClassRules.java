package lavaflow.kinds;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Names;
import lavaflow.kube.ObjectMetaRules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** node.k8s.io/v1 RuntimeClass. */
final class RuntimeClassRules implements KindRules {
    private static final FieldPath HANDLER = FieldPath.of("handler");

    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.NO_UNCONDITIONAL_UPDATE, Trait.CREATE_ON_UPDATE);
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        String handler = Json.textAt(object, "handler");
        if (handler.isEmpty()) {
            errors.required(HANDLER);
        } else {
            FieldChecks.invalid(HANDLER, handler, Names.dns1123Label(handler), errors);
        }
        ObjectNode fixed = Json.objectAt(object, "overhead", "podFixed");
        if (fixed != null) {
            ObjectNode overhead = Json.object();
            overhead.set("overhead", fixed);
            ResourceRules.overhead(overhead, FieldPath.of("overhead"), errors);
        }
        JsonNode scheduling = Json.at(object, "scheduling");
        if (scheduling != null) {
            validateScheduling(scheduling, FieldPath.of("scheduling"), errors);
        }
    }

    private static void validateScheduling(JsonNode scheduling, FieldPath path, FieldErrors errors) {
        ObjectMetaRules.labels(Json.at(scheduling, "nodeSelector"), path.child("nodeSelector"), errors);
        List<ObjectNode> tolerations = Nodes.objects(scheduling, "tolerations");
        FieldPath listPath = path.child("tolerations");
        SchedulingRules.tolerations(tolerations, listPath, errors);
        Set<ObjectNode> seen = new HashSet<>();
        for (int i = 0; i < tolerations.size(); i++) {
            if (!seen.add(tolerations.get(i))) {
                ObjectNode shown = FieldChecks.goStruct(
                        tolerations.get(i), "Key=", "Operator=", "Value=", "Effect=", "TolerationSeconds");
                errors.duplicate(listPath.index(i), shown);
            }
        }
    }

    /** Running pods were started by the handler the class named. */
    @Override
    public void validateUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        validateCreate(object, errors);
        FieldChecks.immutable(Json.at(object, "handler"), Json.at(old, "handler"), HANDLER, errors);
    }
}
