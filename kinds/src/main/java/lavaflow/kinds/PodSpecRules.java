package lavaflow.kinds;

import java.util.List;
import java.util.Map;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Names;
import lavaflow.kube.ObjectMetaRules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Validation of a pod's spec, in a pod and in every template.
 *
 * <p>The order of checks is upstream's, since it is the order of causes in the Status a client gets. What upstream
 * tolerates in updates because older releases let it in is not tolerated here: there are no older releases.
 */
public final class PodSpecRules {
    private static final List<String> RESTART_POLICIES = List.of("Always", "OnFailure", "Never");
    private static final List<String> DNS_POLICIES =
            List.of("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None");
    private static final List<String> PREEMPTION_POLICIES = List.of("PreemptLowerPriority", "Never");

    private PodSpecRules() {}

    /** Checks the spec of a template, which is allowed a little more than that of a pod. */
    public static void validateTemplateSpec(ObjectNode spec, FieldPath path, FieldErrors errors) {
        validate(spec, null, path, errors);
    }

    /**
     * Checks a spec.
     *
     * @param pod the pod it belongs to; null for a template
     */
    static void validate(ObjectNode spec, @Nullable ObjectNode pod, FieldPath path, FieldErrors errors) {
        if (!Nodes.has(spec, "terminationGracePeriodSeconds")) {
            errors.required(path.child("terminationGracePeriodSeconds"));
        }
        Map<String, ObjectNode> volumes = VolumeRules.all(spec, pod, path.child("volumes"), errors);
        PodScope scope = PodScope.of(pod, spec, volumes);
        SchedulingRules.resourceClaims(scope, path.child("resourceClaims"), errors);
        ContainerRules.containers(scope, path.child("containers"), errors);
        ContainerRules.initContainers(scope, path.child("initContainers"), errors);
        ContainerRules.ephemeralContainers(scope, path.child("ephemeralContainers"), errors);
        ResourceRules.pod(scope, path, errors);
        PodNetworkRules.hostPorts(scope, path.child("containers"), errors);
        policy(spec, "restartPolicy", RESTART_POLICIES, path, errors);
        policy(spec, "dnsPolicy", DNS_POLICIES, path, errors);
        ObjectMetaRules.labels(spec.get("nodeSelector"), path.child("nodeSelector"), errors);
        SecurityContextRules.pod(spec, path.child("securityContext"), errors);
        AffinityRules.affinity(spec.get("affinity"), path.child("affinity"), errors);
        PodNetworkRules.dnsConfig(spec, path.child("dnsConfig"), errors);
        SchedulingRules.readinessGates(spec, path.child("readinessGates"), errors);
        SchedulingRules.schedulingGates(spec, path.child("schedulingGates"), errors);
        SchedulingRules.spread(spec, path.child("topologySpreadConstraints"), errors);
        WindowsRules.hostProcess(spec, path, errors);
        PodNetworkRules.hostUsers(scope, path, errors);
        PodNetworkRules.hostnameOverride(spec, path, errors);
        names(spec, path, errors);
        if (Nodes.has(spec, "overhead")) {
            ResourceRules.overhead(spec, path.child("overhead"), errors);
        }
        WindowsRules.os(spec, path, errors);
        fileKeys(spec, path, errors);
    }

    private static void policy(
            ObjectNode spec, String field, List<String> supported, FieldPath path, FieldErrors errors) {
        FieldChecks.requireOneOf(Json.textAt(spec, field), supported, path.child(field), errors);
    }

    private static void names(ObjectNode spec, FieldPath path, FieldErrors errors) {
        FieldChecks.optionalSubdomain(spec, "serviceAccountName", path, errors);
        FieldChecks.optionalSubdomain(spec, "nodeName", path, errors);
        FieldChecks.inRange(spec, "activeDeadlineSeconds", 1, Integer.MAX_VALUE, path, errors);
        FieldChecks.optionalLabel(spec, "hostname", path, errors);
        FieldChecks.optionalLabel(spec, "subdomain", path, errors);
        SchedulingRules.tolerations(Nodes.objects(spec, "tolerations"), path.child("tolerations"), errors);
        PodNetworkRules.hostAliases(spec, path.child("hostAliases"), errors);
        FieldChecks.optionalSubdomain(spec, "priorityClassName", path, errors);
        if (Nodes.has(spec, "runtimeClassName")) {
            String name = Json.textAt(spec, "runtimeClassName");
            FieldChecks.invalid(path.child("runtimeClassName"), name, Names.dns1123Subdomain(name), errors);
        }
        if (Nodes.has(spec, "preemptionPolicy")) {
            policy(spec, "preemptionPolicy", PREEMPTION_POLICIES, path, errors);
        }
    }

    /** Environment variables may come from files only where containers of the pod wrote them. */
    private static void fileKeys(ObjectNode spec, FieldPath path, FieldErrors errors) {
        List<ObjectNode> volumes = Nodes.objects(spec, "volumes");
        PodSpecs.visit(spec, path, (container, place) -> {
            List<ObjectNode> variables = Nodes.objects(container, "env");
            for (int i = 0; i < variables.size(); i++) {
                JsonNode reference = Json.at(variables.get(i), "valueFrom", "fileKeyRef");
                if (reference == null) {
                    continue;
                }
                FieldPath where = place.child("env").index(i).child("valueFrom", "fileKeyRef", "volumeName");
                String name = Json.textAt(reference, "volumeName");
                ObjectNode volume = volumes.stream()
                        .filter(found -> Json.textAt(found, "name").equals(name))
                        .reduce((first, last) -> last)
                        .orElse(null);
                if (volume == null) {
                    errors.notFound(where, name);
                } else if (!Nodes.has(volume, "emptyDir")) {
                    errors.invalid(where, name, "referenced volume must be of type emptyDir");
                }
            }
        });
    }
}
