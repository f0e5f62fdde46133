package lavaflow.kinds;

import java.util.List;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Identifiers;
import lavaflow.kube.Json;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** networking.k8s.io/v1 IngressClass. */
final class IngressClassRules implements KindRules {
    private static final FieldPath SPEC = FieldPath.of("spec");
    private static final int CONTROLLER_LENGTH = 250;

    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.GENERATION);
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        ObjectNode parameters = Json.objectAt(object, "spec", "parameters");
        if (parameters != null) {
            Nodes.defaultValue(parameters, "scope", Json.text("Cluster"));
        }
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        String controller = Json.textAt(object, "spec", "controller");
        if (Names.utf8Length(controller) > CONTROLLER_LENGTH) {
            errors.tooLong(SPEC.child("controller"), CONTROLLER_LENGTH);
        }
        Identifiers.domainPrefixedPath(SPEC.child("controller"), controller, errors);
        JsonNode parameters = Json.at(object, "spec", "parameters");
        if (parameters != null) {
            validateParameters(parameters, SPEC.child("parameters"), errors);
        }
    }

    private static void validateParameters(JsonNode parameters, FieldPath path, FieldErrors errors) {
        IngressRules.validateReference(parameters, path, errors);
        String scope = Json.textAt(parameters, "scope");
        if (!scope.equals("Cluster") && !scope.equals("Namespace")) {
            errors.notSupported(path.child("scope"), scope, List.of("Cluster", "Namespace"));
        }
        FieldPath namespacePath = path.child("namespace");
        if (scope.equals("Cluster") && Nodes.has(parameters, "namespace")) {
            errors.forbidden(namespacePath, "`parameters.scope` is set to 'Cluster'");
        }
        if (scope.equals("Namespace")) {
            String namespace = Json.textAt(parameters, "namespace");
            if (!Nodes.has(parameters, "namespace")) {
                errors.required(namespacePath, "`parameters.scope` is set to 'Namespace'");
            } else {
                FieldChecks.invalid(namespacePath, namespace, Names.dns1123Label(namespace), errors);
            }
        }
    }

    @Override
    public void validateUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        String controller = Json.textAt(object, "spec", "controller");
        if (!controller.equals(Json.textAt(old, "spec", "controller"))) {
            errors.invalid(SPEC.child("controller"), controller, FieldChecks.IMMUTABLE);
        }
        validateCreate(object, errors);
    }
}
