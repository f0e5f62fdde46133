package lavaflow.kinds;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Services.
 *
 * <p>Addresses and ports are given out by the server between defaulting and preparation, see {@link
 * ServiceAddresses}.
 */
final class ServiceRules implements KindRules {
    private static final FieldPath SPEC = FieldPath.of("spec");
    private static final Set<String> INTERNAL_POLICIES = Set.of("Cluster", "Local");
    private static final long CLIENT_IP_SECONDS = 10_800;

    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.CREATE_ON_UPDATE, Trait.RETURNS_DELETED);
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        ObjectNode spec = Json.ensureObject(object, "spec");
        defaultAffinity(spec);
        Nodes.defaultText(spec, "type", "ClusterIP");
        for (ObjectNode port : Nodes.objects(spec, "ports")) {
            Nodes.defaultText(port, "protocol", "TCP");
            JsonNode target = Json.at(port, "targetPort");
            if (target == null || target.asText().isEmpty() || (target.isNumber() && target.longValue() == 0)) {
                port.put("targetPort", Json.longAt(port, 0, "port"));
            }
        }
        if (ServiceShape.externallyAccessible(spec)) {
            Nodes.defaultText(spec, "externalTrafficPolicy", "Cluster");
        }
        String type = Json.textAt(spec, "type");
        if (type.equals("ClusterIP") || ServiceShape.needsNodePorts(spec)) {
            Nodes.defaultValue(spec, "internalTrafficPolicy", Json.text("Cluster"));
        }
        if (type.equals("LoadBalancer")) {
            Nodes.defaultValue(spec, "allocateLoadBalancerNodePorts", BooleanNode.TRUE);
        }
        defaultStatus(object, type);
    }

    private static void defaultAffinity(ObjectNode spec) {
        Nodes.defaultText(spec, "sessionAffinity", "None");
        String affinity = Json.textAt(spec, "sessionAffinity");
        if (affinity.equals("None")) {
            spec.remove("sessionAffinityConfig");
        } else if (affinity.equals("ClientIP")
                && !Nodes.has(spec, "sessionAffinityConfig", "clientIP", "timeoutSeconds")) {
            spec.putObject("sessionAffinityConfig").putObject("clientIP").put("timeoutSeconds", CLIENT_IP_SECONDS);
        }
    }

    private static void defaultStatus(ObjectNode object, String type) {
        Json.ensureObject(object, "status", "loadBalancer");
        if (type.equals("LoadBalancer")) {
            for (ObjectNode ingress : Nodes.objects(object, "status", "loadBalancer", "ingress")) {
                if (!Json.textAt(ingress, "ip").isEmpty()) {
                    Nodes.defaultValue(ingress, "ipMode", Json.text("VIP"));
                }
            }
        }
    }

    @Override
    public void prepareForCreate(ObjectNode object) {
        object.putObject("status").putObject("loadBalancer");
        hideMeaninglessPolicy(object);
    }

    @Override
    public void prepareForUpdate(ObjectNode object, ObjectNode old) {
        KindRules.keep(object, old, "status");
        ServiceTransitions.dropUnneeded(object, old);
        hideMeaninglessPolicy(object);
    }

    /** Old servers set it where it means nothing. Upstream hides it on read, so that those who set it still own it. */
    private static void hideMeaninglessPolicy(ObjectNode object) {
        ObjectNode spec = Json.ensureObject(object, "spec");
        if (Json.textAt(spec, "type").equals("ExternalName")
                && INTERNAL_POLICIES.contains(Json.textAt(spec, "internalTrafficPolicy"))) {
            spec.remove("internalTrafficPolicy");
        }
    }

    @Override
    public List<String> warnings(ObjectNode object, @Nullable ObjectNode old) {
        List<String> warnings = new ArrayList<>();
        ObjectNode spec = Json.ensureObject(object, "spec");
        if (Nodes.has(object, "metadata", "annotations", ServiceShape.TOPOLOGY_HINTS)) {
            warnings.add("annotation " + ServiceShape.TOPOLOGY_HINTS + " is deprecated, please use "
                    + ServiceShape.TOPOLOGY_MODE + " instead");
        }
        List<String> ips = ServiceShape.clusterIps(spec);
        for (int i = 0; i < ips.size(); i++) {
            AddressRules.warnOfIp(SPEC.child("clusterIPs").index(i), ips.get(i), warnings);
        }
        boolean headless = ServiceShape.headless(spec);
        boolean externalIps = !Nodes.emptyAt(spec, "externalIPs");
        boolean externalName = Json.textAt(spec, "type").equals("ExternalName");
        if (headless) {
            if (!Json.textAt(spec, "loadBalancerIP").isEmpty()) {
                warnings.add("spec.loadBalancerIP is ignored for headless services");
            }
            if (externalIps) {
                warnings.add("spec.externalIPs is ignored for headless services");
            }
            if (!Json.textAt(spec, "sessionAffinity").equals("None")) {
                warnings.add("spec.SessionAffinity is ignored for headless services");
            }
        }
        warnOfAddresses(spec, externalIps && !headless && !externalName, warnings);
        if (externalIps && externalName) {
            warnings.add("spec.externalIPs is ignored when spec.type is \"ExternalName\"");
        }
        if (!externalName && !Json.textAt(spec, "externalName").isEmpty()) {
            warnings.add("spec.externalName is ignored when spec.type is not \"ExternalName\"");
        }
        if (Json.textAt(spec, "trafficDistribution").equals("PreferClose")) {
            warnings.add("spec.trafficDistribution: \"PreferClose\" is deprecated; use \"PreferSameZone\"");
        }
        return warnings;
    }

    private static void warnOfAddresses(ObjectNode spec, boolean deprecated, List<String> warnings) {
        List<String> external = Nodes.strings(spec, "externalIPs");
        for (int i = 0; i < external.size(); i++) {
            AddressRules.warnOfIp(SPEC.child("externalIPs").index(i), external.get(i), warnings);
        }
        if (deprecated) {
            warnings.add("spec.externalIPs is deprecated and may no longer be implemented in some clusters");
        }
        AddressRules.warnOfIp(SPEC.child("loadBalancerIP"), Json.textAt(spec, "loadBalancerIP"), warnings);
        List<String> ranges = Nodes.strings(spec, "loadBalancerSourceRanges");
        for (int i = 0; i < ranges.size(); i++) {
            AddressRules.warnOfCidr(SPEC.child("loadBalancerSourceRanges").index(i), ranges.get(i), warnings);
        }
    }

    @Override
    public Set<String> selectableFields() {
        return Set.of("spec.clusterIP", "spec.type");
    }

    @Override
    public @Nullable String selectableField(ObjectNode object, String field) {
        return selectableFields().contains(field) ? Json.textAt(object, field.split("\\.", -1)) : null;
    }

    @Override
    public List<String> nameErrors(String name, boolean prefix) {
        return Names.LABEL.check(name, prefix);
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        ServiceValidation.create(object, errors);
    }

    @Override
    public void validateUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        ServiceValidation.update(object, old, errors);
    }

    @Override
    public void validateStatusUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        ServiceValidation.status(object, old, errors);
    }
}
