package lavaflow.apiserver;

import lavaflow.kinds.CertificateRequests;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** The hooks of services, namespaces, roles and requests for certificates. */
final class BuiltinHooks implements WriteHooks {
    private final ServiceAllocator services;
    private final EscalationCheck escalation;

    BuiltinHooks(ServiceAllocator services, EscalationCheck escalation) {
        this.services = services;
        this.escalation = escalation;
    }

    @Override
    public Reservation beforeCreate(Call call, ObjectNode object) {
        escalation.check(call, object, null);
        if (call.resource().bucket().equals("certificates.k8s.io/certificatesigningrequests")) {
            CertificateRequests.requestedBy(
                    object,
                    call.user().name(),
                    call.user().uid(),
                    call.user().groups(),
                    call.user().extra());
        }
        return isService(call.resource()) ? services.allocate(call, object, null) : Reservation.NONE;
    }

    @Override
    public Reservation beforeUpdate(Call call, ObjectNode object, ObjectNode old) {
        escalation.check(call, object, old);
        boolean main = isService(call.resource()) && call.subresource().isEmpty();
        return main ? services.allocate(call, object, old) : Reservation.NONE;
    }

    /** Definitions stay until their instances are gone. */
    @Override
    public void beforeDelete(Call call, ObjectNode object) {
        if (!call.resource().bucket().equals(Definition.BUCKET)) {
            return;
        }
        ArrayNode finalizers = Json.listAt(object, "metadata", "finalizers");
        for (JsonNode finalizer : finalizers) {
            if (finalizer.asText().equals(Definition.CLEANUP)) {
                return;
            }
        }
        Metadata.of(object).set("finalizers", finalizers.add(Definition.CLEANUP));
        ObjectNode status = Json.ensureObject(object, "status");
        ArrayNode conditions = Json.listAt(status, "conditions");
        DefinitionStatus.terminating(
                conditions,
                true,
                "InstanceDeletionPending",
                "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
                Metadata.time(call.now()));
        status.set("conditions", conditions);
    }

    @Override
    public void beginDelete(Resource resource, ObjectNode object) {
        if (isNamespace(resource)) {
            Json.ensureObject(object, "status").put("phase", "Terminating");
        }
    }

    /** A namespace's own finalizers live in its spec; without any, the first delete still only marks it. */
    @Override
    public boolean keepsDeleted(Resource resource, ObjectNode object) {
        return isNamespace(resource)
                && !(Metadata.isDeleting(object)
                        && Json.listAt(object, "spec", "finalizers").isEmpty());
    }

    @Override
    public void afterDelete(Resource resource, ObjectNode object) {
        if (isService(resource)) {
            services.release(object);
        }
    }

    private static boolean isService(Resource resource) {
        return resource.bucket().equals("services");
    }

    private static boolean isNamespace(Resource resource) {
        return resource.bucket().equals("namespaces");
    }
}
