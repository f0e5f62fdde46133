package lavaflow.apiserver;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

import lavaflow.kinds.PodSecurity;
import lavaflow.kinds.PodSecurityChecks;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Refuses pods that do not meet the security standard of their namespace, and warns of templates of such pods. */
final class PodSecurityAdmission implements Admission.Plugin {
    private static final String PREFIX = "pod-security.kubernetes.io/";

    private final Stored stored;

    PodSecurityAdmission(Stored stored) {
        this.stored = stored;
    }

    @Override
    public void validate(
            Call call, Admission.Operation operation, @Nullable ObjectNode object, @Nullable ObjectNode old) {
        boolean written = operation == Admission.Operation.CREATE || operation == Admission.Operation.UPDATE;
        if (object == null || !written) {
            return;
        }
        String bucket = call.resource().bucket();
        if (bucket.equals("namespaces") && call.subresource().isEmpty()) {
            namespace(call, object, old);
        } else if (bucket.equals("pods")) {
            pod(call, object, old);
        } else if (call.subresource().isEmpty()) {
            JsonNode template = PodSecurity.template(bucket, object);
            if (template != null) {
                template(call, template, standards(call.namespace()));
            }
        }
    }

    private PodSecurity standards(String namespace) {
        ObjectNode found = stored.find("namespaces", namespace);
        return PodSecurity.of(Json.at(found, "metadata", "labels"));
    }

    private void pod(Call call, ObjectNode pod, @Nullable ObjectNode old) {
        boolean looksAt = call.subresource().isEmpty() || call.subresource().equals("ephemeralcontainers");
        if (!looksAt || (old != null && !PodSecurity.isSignificant(pod, old))) {
            return;
        }
        PodSecurity standards = standards(call.namespace());
        List<PodSecurityChecks.Violation> enforced = violations(standards.enforce(), pod);
        call.annotate(PREFIX + "enforce-policy", standards.enforce().toString());
        audit(call, pod, standards);
        if (!enforced.isEmpty()) {
            throw call.resource()
                    .forbidden(Metadata.name(pod), "violates " + PodSecurity.described(standards.enforce(), enforced));
        }
        warn(call, pod, standards);
    }

    private static List<PodSecurityChecks.Violation> violations(PodSecurity.Standard standard, JsonNode pod) {
        return standard.violations(Json.at(pod, "metadata"), pod.path("spec"));
    }

    private static void template(Call call, JsonNode template, PodSecurity standards) {
        audit(call, template, standards);
        warn(call, template, standards);
    }

    private static void audit(Call call, JsonNode pod, PodSecurity standards) {
        List<PodSecurityChecks.Violation> audited = violations(standards.audit(), pod);
        if (!audited.isEmpty()) {
            call.annotate(
                    PREFIX + "audit-violations", "would violate " + PodSecurity.described(standards.audit(), audited));
        }
    }

    private static void warn(Call call, JsonNode pod, PodSecurity standards) {
        List<PodSecurityChecks.Violation> warned = violations(standards.warn(), pod);
        if (!warned.isEmpty()) {
            call.warn("would violate " + PodSecurity.described(standards.warn(), warned));
        }
    }

    private void namespace(Call call, ObjectNode namespace, @Nullable ObjectNode old) {
        JsonNode labels = Json.at(namespace, "metadata", "labels");
        JsonNode before = Json.at(old, "metadata", "labels");
        if (old != null && Objects.equals(labels, before)) {
            return;
        }
        FieldErrors errors = new FieldErrors();
        PodSecurity.check(labels, errors);
        FieldErrors known = new FieldErrors();
        PodSecurity.check(before, known);
        if (!errors.isEmpty()) {
            if (known.isEmpty()) {
                throw call.resource().invalid(Metadata.name(namespace), errors);
            }
            return;
        }
        PodSecurity standards = PodSecurity.of(labels);
        if (old != null && standards.tightens(PodSecurity.of(before))) {
            warnOfPods(call, Metadata.name(namespace), standards.enforce());
        }
    }

    private void warnOfPods(Call call, String namespace, PodSecurity.Standard enforced) {
        Map<String, List<String>> names = new LinkedHashMap<>();
        for (ObjectNode pod : stored.all("pods", namespace)) {
            List<PodSecurityChecks.Violation> found = violations(enforced, pod);
            if (!found.isEmpty()) {
                String reasons =
                        found.stream().map(PodSecurityChecks.Violation::reason).collect(Collectors.joining(", "));
                names.computeIfAbsent(reasons, _ -> new ArrayList<>()).add(Metadata.name(pod));
            }
        }
        if (names.isEmpty()) {
            return;
        }
        call.warn("existing pods in namespace " + FieldErrors.quoted(namespace)
                + " violate the new PodSecurity enforce level \"" + enforced + "\"");
        names.forEach((reasons, pods) -> {
            int others = pods.size() - 1;
            String more = others == 0 ? "" : " (and " + others + " other " + (others == 1 ? "pod" : "pods") + ")";
            call.warn(pods.getFirst() + more + ": " + reasons);
        });
    }
}
