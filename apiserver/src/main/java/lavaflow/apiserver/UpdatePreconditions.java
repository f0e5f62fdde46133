package lavaflow.apiserver;

import java.util.regex.Pattern;

import lavaflow.kinds.KindRules;
import lavaflow.kube.ApiException;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.store.StoredObject;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Whether an update is about the object that is there, in the state its author saw. */
final class UpdatePreconditions {
    private static final Pattern REVISION = Pattern.compile("[0-9]*");

    private UpdatePreconditions() {}

    /** The revision a client wrote for; empty where it did not say, and 0 says nothing either. */
    static String wantedRevision(ObjectNode object) {
        String wanted = Metadata.resourceVersion(object);
        if (!REVISION.matcher(wanted).matches()) {
            throw ApiException.badRequest(
                    "strconv.ParseUint: parsing " + FieldErrors.quoted(wanted) + ": invalid syntax");
        }
        return wanted.equals("0") ? "" : wanted;
    }

    static void check(
            Call call, Resource resource, StoredObject stored, ObjectNode live, ObjectNode object, String wanted) {
        String uid = Metadata.uid(object);
        // A patch that changes the uid is told so by validation; only a PUT names the object it means by it.
        boolean names = call.verb().equals("update") && !uid.isEmpty();
        if (names && !uid.equals(Metadata.uid(live))) {
            throw otherObject(call, uid, Metadata.uid(live));
        }
        if (wanted.isEmpty()) {
            if (resource.has(KindRules.Trait.NO_UNCONDITIONAL_UPDATE)
                    && call.verb().equals("update")) {
                FieldErrors errors = new FieldErrors();
                errors.add(
                        lavaflow.kube.FieldError.Reason.INVALID,
                        FieldPath.of("metadata", "resourceVersion"),
                        "Invalid value: 0: must be specified for an update");
                // Upstream names the resource here, not the kind.
                throw ApiException.invalid(resource.group(), resource.name(), call.name(), errors.list());
            }
            return;
        }
        if (!wanted.equals(Long.toString(stored.revision()))) {
            throw resource.modified(call.name());
        }
    }

    /** The client means another object of the same name; upstream's message shows the key it stores under. */
    static ApiException otherObject(Call call, String wanted, String present) {
        Resource resource = call.resource();
        String collection = switch (resource.name()) {
            case "nodes" -> "minions";
            case "services" -> "services/specs";
            case "endpoints" -> "services/endpoints";
            case "ingresses" -> "ingress";
            case "replicationcontrollers" -> "controllers";
            default -> resource.name();
        };
        return ApiException.conflict(
                resource.group(),
                resource.name(),
                call.name(),
                "StorageError: invalid object, Code: 4, Key: /registry/" + collection + "/"
                        + resource.key(call.namespace(), call.name()) + ", ResourceVersion: 0, AdditionalErrorMsg:"
                        + " Precondition failed: UID in precondition: " + wanted + ", UID in object meta: " + present);
    }
}
