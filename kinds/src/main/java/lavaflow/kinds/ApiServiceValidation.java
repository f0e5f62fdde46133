package lavaflow.kinds;

import java.util.List;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Identifiers;
import lavaflow.kube.Json;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Checks of API services. */
final class ApiServiceValidation {
    private static final FieldPath SPEC = FieldPath.of("spec");

    private ApiServiceValidation() {}

    static void validate(ObjectNode object, FieldErrors errors) {
        ObjectNode spec = Json.ensureObject(object, "spec");
        String name = Json.textAt(object, "metadata", "name");
        String group = Json.textAt(spec, "group");
        String version = Json.textAt(spec, "version");
        String required = version + "." + group;
        if (!name.equals(required)) {
            errors.invalid(
                    FieldPath.of("metadata", "name"),
                    name,
                    "must be `spec.version+\".\"+spec.group`: " + FieldErrors.quoted(required));
        }
        if (group.isEmpty() && !version.equals("v1")) {
            errors.required(SPEC.child("group"), "only v1 may have an empty group and it better be legacy kube");
        }
        FieldChecks.optionalSubdomain(spec, "group", SPEC, errors);
        List<String> wrong = Names.dns1035Label(version);
        if (!wrong.isEmpty()) {
            errors.invalid(SPEC.child("version"), version, String.join(",", wrong));
        }
        priority(spec, "groupPriorityMinimum", 20_000, errors);
        priority(spec, "versionPriority", 1_000, errors);
        reach(spec, errors);
    }

    private static void priority(ObjectNode spec, String field, long most, FieldErrors errors) {
        long value = Json.longAt(spec, 0, field);
        if (value <= 0 || value > most) {
            errors.invalid(SPEC.child(field), value, "must be positive and less than " + most);
        }
    }

    private static void reach(ObjectNode spec, FieldErrors errors) {
        boolean insecure = Json.flagAt(spec, "insecureSkipTLSVerify");
        boolean trust = !Json.textAt(spec, "caBundle").isEmpty();
        FieldPath skip = SPEC.child("insecureSkipTLSVerify");
        if (!Nodes.has(spec, "service")) {
            if (trust) {
                errors.invalid(
                        SPEC.child("caBundle"),
                        DataValidation.decodedLength(spec.get("caBundle")) + " bytes",
                        "local APIServices may not have a caBundle");
            }
            if (insecure) {
                errors.invalid(skip, BooleanNode.TRUE, "local APIServices may not have insecureSkipTLSVerify");
            }
            return;
        }
        FieldPath service = SPEC.child("service");
        FieldChecks.requireText(spec.get("service"), "namespace", service, errors);
        FieldChecks.requireText(spec.get("service"), "name", service, errors);
        long port = Json.longAt(spec, 0, "service", "port");
        List<String> wrong = Identifiers.portNumber(port);
        if (!wrong.isEmpty()) {
            errors.invalid(service.child("port"), port, "port is not valid: " + String.join(",", wrong));
        }
        if (insecure && trust) {
            errors.invalid(skip, BooleanNode.TRUE, "may not be true if caBundle is present");
        }
    }

    static void status(ObjectNode object, FieldErrors errors) {
        List<String> values = List.of("True", "False", "Unknown");
        List<ObjectNode> conditions = Nodes.objects(object, "status", "conditions");
        for (int i = 0; i < conditions.size(); i++) {
            String status = Json.textAt(conditions.get(i), "status");
            if (!values.contains(status)) {
                errors.notSupported(
                        FieldPath.of("status", "conditions").index(i).child("status"), status, values);
            }
        }
    }
}
