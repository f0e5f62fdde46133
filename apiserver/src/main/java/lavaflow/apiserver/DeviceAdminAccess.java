package lavaflow.apiserver;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Lets only namespaces that are labelled for it look after devices that others have. */
final class DeviceAdminAccess implements Admission.Plugin {
    private static final String LABEL = "resource.kubernetes.io/admin-access";
    private static final String FIELD = "adminAccess";

    private final Stored stored;

    DeviceAdminAccess(Stored stored) {
        this.stored = stored;
    }

    @Override
    public void validate(
            Call call, Admission.Operation operation, @Nullable ObjectNode object, @Nullable ObjectNode old) {
        FieldPath place = object == null ? null : wanted(call, operation, object, old);
        if (object == null || place == null) {
            return;
        }
        ObjectNode namespace = stored.find("namespaces", call.namespace());
        if (!Json.textAt(namespace, "metadata", "labels", LABEL).equals("true")) {
            FieldErrors errors = new FieldErrors();
            errors.forbidden(
                    place,
                    "admin access to devices requires the `" + LABEL + ": true` label on the containing namespace");
            throw call.resource().invalid(Metadata.name(object), errors);
        }
    }

    /** Where it is asked for, or given for the first time; null if nowhere. Specs do not change. */
    private static @Nullable FieldPath wanted(
            Call call, Admission.Operation operation, ObjectNode object, @Nullable ObjectNode old) {
        boolean created =
                operation == Admission.Operation.CREATE && call.subresource().isEmpty();
        boolean given =
                operation == Admission.Operation.UPDATE && call.subresource().equals("status");
        return switch (call.resource().bucket()) {
            case "resource.k8s.io/resourceclaims" ->
                created ? requested(object, "spec") : given ? given(object, old) : null;
            case "resource.k8s.io/resourceclaimtemplates" -> created ? requested(object, "spec", "spec") : null;
            default -> null;
        };
    }

    /** Upstream names the same place in a template. */
    private static @Nullable FieldPath requested(ObjectNode object, String... spec) {
        ArrayNode requests = Json.listAt(Json.at(object, spec), "devices", "requests");
        for (int i = 0; i < requests.size(); i++) {
            if (Json.flagAt(requests.get(i), "exactly", FIELD)) {
                return FieldPath.of("spec", "devices", "requests").index(i).child(FIELD);
            }
        }
        return null;
    }

    private static @Nullable FieldPath given(ObjectNode object, @Nullable ObjectNode old) {
        int now = first(object);
        return now < 0 || first(old) >= 0
                ? null
                : FieldPath.of("status", "allocation", "devices", "results")
                        .index(now)
                        .child(FIELD);
    }

    private static int first(@Nullable ObjectNode claim) {
        ArrayNode results = Json.listAt(claim, "status", "allocation", "devices", "results");
        for (int i = 0; i < results.size(); i++) {
            if (Json.flagAt(results.get(i), FIELD)) {
                return i;
            }
        }
        return -1;
    }
}
