package lavaflow.kube;

import java.util.List;
import java.util.Map;
import java.util.Set;

/** Which fields of built-in kinds their endpoints can change, as upstream's strategies declare it. */
public final class EndpointFields {
    private static final FieldFilter NOT_STATUS = excluding("status");
    private static final FieldFilter NOT_SPEC = excluding("spec");
    private static final FieldFilter NOT_SPEC_NOR_METADATA = excluding("spec", "metadata");

    /** Resources whose status endpoint resets all metadata; those of other resources let labels and the like through. */
    private static final Set<String> STATUS_KEEPS_METADATA = Set.of(
            "admissionregistration.k8s.io/validatingadmissionpolicies",
            "apiregistration.k8s.io/apiservices",
            "flowcontrol.apiserver.k8s.io/flowschemas",
            "flowcontrol.apiserver.k8s.io/prioritylevelconfigurations",
            "networking.k8s.io/servicecidrs",
            "resource.k8s.io/resourceclaims",
            "storage.k8s.io/volumeattachments");

    private static final Map<String, FieldFilter> EXCEPTIONS = Map.of(
            "apps/deployments/status",
            excluding("spec", "metadata.labels"),
            "/pods/status",
            excluding("spec", "metadata.deletionTimestamp", "metadata.ownerReferences"),
            "/pods/ephemeralcontainers",
            FieldFilter.including(List.of("spec.ephemeralContainers")),
            "/namespaces/finalize",
            NOT_STATUS,
            "certificates.k8s.io/certificatesigningrequests/",
            excluding("spec", "status"),
            "certificates.k8s.io/certificatesigningrequests/status",
            excluding("spec", "status.conditions"),
            "certificates.k8s.io/certificatesigningrequests/approval",
            excluding("spec", "status.certificate"));

    private EndpointFields() {}

    private static FieldFilter excluding(String... paths) {
        return FieldFilter.excluding(FieldSet.ofFields(paths));
    }

    /** What an endpoint of a custom kind can change. */
    public static FieldFilter customFilter(KindInfo kind, String subresource) {
        return subresource.equals("status") ? NOT_SPEC_NOR_METADATA : filter(kind, subresource);
    }

    /** What an endpoint can change; the subresource is empty for the object itself. */
    public static FieldFilter filter(KindInfo kind, String subresource) {
        String resource = kind.group() + "/" + kind.resource();
        FieldFilter exception = EXCEPTIONS.get(resource + "/" + subresource);
        if (exception != null) {
            return exception;
        }
        return switch (subresource) {
            case "" -> kind.subresource("status") == null ? FieldFilter.ALL : NOT_STATUS;
            case "status" -> STATUS_KEEPS_METADATA.contains(resource) ? NOT_SPEC_NOR_METADATA : NOT_SPEC;
            default -> FieldFilter.ALL;
        };
    }
}
