package lavaflow.kinds;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** networking.k8s.io/v1 IPAddress: an address that some object holds; the name is the address. */
final class IPAddressRules implements KindRules {
    private static final FieldPath PARENT = FieldPath.of("spec", "parentRef");

    /** One address must not have two names, so only the canonical form will do. */
    @Override
    public List<String> nameErrors(String name, boolean prefix) {
        FieldErrors errors = new FieldErrors();
        AddressRules.canonicalIp(FieldPath.of("metadata", "name"), name, errors);
        List<String> wrong = new ArrayList<>();
        String shown = "Invalid value: " + FieldErrors.quoted(name) + ": ";
        errors.list().forEach(error -> wrong.add(error.detail().substring(shown.length())));
        return wrong;
    }

    @Override
    public void prepareForCreate(ObjectNode object) {
        // There is no status.
    }

    @Override
    public void prepareForUpdate(ObjectNode object, ObjectNode old) {
        // There is no status.
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        JsonNode parent = Json.at(object, "spec", "parentRef");
        if (parent == null) {
            errors.required(PARENT);
            return;
        }
        FieldChecks.optionalSubdomain(parent, "group", PARENT, errors);
        for (String field : List.of("resource", "name")) {
            if (FieldChecks.requireText(parent, field, PARENT, errors)) {
                validateSegment(parent, field, errors);
            }
        }
        if (!Json.textAt(parent, "namespace").isEmpty()) {
            validateSegment(parent, "namespace", errors);
        }
    }

    private static void validateSegment(JsonNode parent, String field, FieldErrors errors) {
        String value = Json.textAt(parent, field);
        FieldChecks.invalid(PARENT.child(field), value, Names.pathSegmentName(value), errors);
    }

    @Override
    public void validateUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        validateCreate(object, errors);
        JsonNode parent = Json.at(object, "spec", "parentRef");
        if (!Objects.equals(parent, Json.at(old, "spec", "parentRef"))) {
            JsonNode shown =
                    parent == null ? null : FieldChecks.goStruct(parent, "Group=", "Resource=", "Namespace=", "Name=");
            errors.invalid(PARENT, shown, FieldChecks.IMMUTABLE);
        }
    }
}
