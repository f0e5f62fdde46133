package lavaflow.cluster;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

import lavaflow.controller.ControllerRunner;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Tells the authors of validating admission policies, in their status, which expressions do not fit the kinds they match. Each
 * generation is looked at once; kinds that come later change nothing, as upstream.
 */
final class PolicyStatus {
    private static final KubeApi.Kind POLICIES =
            new KubeApi.Kind("admissionregistration.k8s.io", "v1", "validatingadmissionpolicies", false);
    private static final String MANAGER = "validatingadmissionpolicy-status";

    private final KubeApi api;
    private final PolicyTypeCheck check;
    private final ControllerRunner<String> runner;

    PolicyStatus(KubeApi api, Followers followers, PolicyTypeCheck check, LongSupplier nanoTime) {
        this.api = api;
        this.check = check;
        this.runner = new ControllerRunner<>("policy-status", followers, 1, this::reconcile, nanoTime)
                .follow(POLICIES, object -> List.of(Objects.name(object)));
    }

    ControllerRunner<String> controller() {
        return runner;
    }

    private Optional<Duration> reconcile(String name) {
        ObjectNode policy = api.find(POLICIES, "", name).orElse(null);
        if (policy == null) {
            return Optional.empty();
        }
        long generation = Json.longAt(policy, 0, "metadata", "generation");
        if (generation <= Json.longAt(policy, 0, "status", "observedGeneration")) {
            return Optional.empty();
        }
        ObjectNode configuration = Json.object();
        configuration.put("apiVersion", "admissionregistration.k8s.io/v1").put("kind", "ValidatingAdmissionPolicy");
        configuration.putObject("metadata").put("name", name);
        ObjectNode status = configuration.putObject("status").put("observedGeneration", generation);
        ObjectNode typeChecking = status.putObject("typeChecking");
        ArrayNode warnings = check.warnings(policy);
        if (!warnings.isEmpty()) {
            typeChecking.set("expressionWarnings", warnings);
        }
        api.apply(POLICIES, "status", MANAGER, configuration);
        return Optional.empty();
    }
}
