package lavaflow.kinds;

import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Identifiers;
import lavaflow.kube.IpAddress;
import lavaflow.kube.Json;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Checks of services. */
final class ServiceValidation {
    private static final FieldPath SPEC = FieldPath.of("spec");
    private static final FieldPath PORTS = SPEC.child("ports");
    private static final List<String> TYPES = List.of("ClusterIP", "ExternalName", "LoadBalancer", "NodePort");
    private static final List<String> SCOPES = List.of("Cluster", "Local");
    private static final List<String> DISTRIBUTIONS = List.of("PreferClose", "PreferSameZone", "PreferSameNode");
    private static final String SOURCE_RANGES = "service.beta.kubernetes.io/load-balancer-source-ranges";
    private static final String BALANCER_ONLY = "may only be used when `type` is 'LoadBalancer'";
    private static final long LONGEST_AFFINITY = 86_400;

    private ServiceValidation() {}

    static void create(ObjectNode service, FieldErrors errors) {
        validate(service, null, errors);
    }

    static void update(ObjectNode service, ObjectNode oldService, FieldErrors errors) {
        ObjectNode spec = Json.ensureObject(service, "spec");
        ObjectNode old = Json.ensureObject(oldService.deepCopy(), "spec");
        ServiceClusterIps.validateChange(spec, old, errors);
        if (ServiceShape.is(spec, "LoadBalancer")
                && ServiceShape.is(old, "LoadBalancer")
                && !Objects.equals(Json.at(spec, "loadBalancerClass"), Json.at(old, "loadBalancerClass"))) {
            errors.invalid(
                    SPEC.child("loadBalancerClass"), Json.at(spec, "loadBalancerClass"), "may not change once set");
        }
        balancerClass(spec, errors);
        if (ServiceShape.needsHealthCheckPort(spec)
                && ServiceShape.needsHealthCheckPort(old)
                && Json.longAt(spec, 0, "healthCheckNodePort") != Json.longAt(old, 0, "healthCheckNodePort")) {
            errors.forbidden(SPEC.child("healthCheckNodePort"), FieldChecks.IMMUTABLE);
        }
        validate(service, oldService, errors);
    }

    private static void validate(ObjectNode service, @Nullable ObjectNode oldService, FieldErrors errors) {
        ObjectNode spec = Json.ensureObject(service, "spec");
        ObjectNode old = oldService == null ? null : Json.ensureObject(oldService.deepCopy(), "spec");
        topology(service, errors);
        boolean headless = ServiceClusterIps.headless(spec);
        boolean externalName = ServiceShape.is(spec, "ExternalName");
        if (Nodes.emptyAt(spec, "ports") && !headless && !externalName) {
            errors.required(PORTS);
        }
        if (headless && ServiceShape.needsNodePorts(spec)) {
            errors.invalid(
                    SPEC.child("clusterIPs").index(0),
                    ServiceShape.NONE,
                    "may not be set to 'None' for " + Json.textAt(spec, "type") + " services");
        }
        if (externalName) {
            externalName(spec, errors);
        }
        ports(spec, errors);
        LabelRules.labels(Json.at(spec, "selector"), SPEC.child("selector"), errors);
        affinity(spec, errors);
        ServiceClusterIps.validate(spec, old, errors);
        externalIps(spec, old, errors);
        FieldChecks.requireOneOf(Json.textAt(spec, "type"), TYPES, SPEC.child("type"), errors);
        nodePorts(spec, errors);
        samePorts(spec, errors);
        sourceRanges(service, oldService, errors);
        if (Nodes.has(spec, "allocateLoadBalancerNodePorts") && !ServiceShape.is(spec, "LoadBalancer")) {
            errors.forbidden(SPEC.child("allocateLoadBalancerNodePorts"), BALANCER_ONLY);
        }
        balancerClass(spec, errors);
        trafficPolicies(spec, errors);
    }

    private static void topology(ObjectNode service, FieldErrors errors) {
        JsonNode hints = Json.at(service, "metadata", "annotations", ServiceShape.TOPOLOGY_HINTS);
        JsonNode mode = Json.at(service, "metadata", "annotations", ServiceShape.TOPOLOGY_MODE);
        if (hints != null && mode != null && !hints.equals(mode)) {
            errors.invalid(
                    FieldPath.of("metadata", "annotations").key(ServiceShape.TOPOLOGY_MODE),
                    mode,
                    "must match annotations[" + ServiceShape.TOPOLOGY_HINTS + "] when both are specified");
        }
    }

    private static void externalName(ObjectNode spec, FieldErrors errors) {
        String unwanted = "may not be set for ExternalName services";
        for (String field : new String[] {"clusterIPs", "ipFamilies"}) {
            if (!Nodes.emptyAt(spec, field)) {
                errors.forbidden(SPEC.child(field), unwanted);
            }
        }
        if (Nodes.has(spec, "ipFamilyPolicy")) {
            errors.forbidden(SPEC.child("ipFamilyPolicy"), unwanted);
        }
        String name = Json.textAt(spec, "externalName");
        String bare = name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
        if (bare.isEmpty()) {
            errors.required(SPEC.child("externalName"));
        } else {
            FieldChecks.invalid(SPEC.child("externalName"), bare, Names.dns1123Subdomain(bare), errors);
        }
    }

    private static void ports(ObjectNode spec, FieldErrors errors) {
        List<ObjectNode> ports = Nodes.objects(spec, "ports");
        Set<String> names = new HashSet<>();
        for (int i = 0; i < ports.size(); i++) {
            ObjectNode port = ports.get(i);
            FieldPath path = PORTS.index(i);
            String name = Json.textAt(port, "name");
            FieldChecks.optionalLabel(port, "name", path, errors);
            if (name.isEmpty() && ports.size() > 1) {
                errors.required(path.child("name"));
            } else if (!name.isEmpty() && !names.add(name)) {
                errors.duplicate(path.child("name"), name);
            }
            portNumber(path.child("port"), Json.longAt(port, 0, "port"), errors);
            FieldChecks.requireOneOf(
                    Json.textAt(port, "protocol"), EndpointsValidation.PROTOCOLS, path.child("protocol"), errors);
            JsonNode target = Json.at(port, "targetPort");
            if (target != null && target.isTextual()) {
                FieldChecks.invalid(
                        path.child("targetPort"), target.asText(), Identifiers.portName(target.asText()), errors);
            } else {
                portNumber(path.child("targetPort"), Json.longAt(port, 0, "targetPort"), errors);
            }
            EndpointsValidation.appProtocol(port, path, errors);
        }
    }

    private static void portNumber(FieldPath path, long port, FieldErrors errors) {
        for (String wrong : Identifiers.portNumber(port)) {
            errors.invalid(path, port, wrong);
        }
    }

    private static void affinity(ObjectNode spec, FieldErrors errors) {
        String affinity = Json.textAt(spec, "sessionAffinity");
        FieldChecks.requireOneOf(affinity, List.of("ClientIP", "None"), SPEC.child("sessionAffinity"), errors);
        JsonNode timeout = Json.at(spec, "sessionAffinityConfig", "clientIP", "timeoutSeconds");
        if (affinity.equals("ClientIP")
                && timeout != null
                && (timeout.longValue() <= 0 || timeout.longValue() > LONGEST_AFFINITY)) {
            errors.invalid(
                    SPEC.child("sessionAffinityConfig", "clientIP", "timeoutSeconds"),
                    timeout,
                    "must be greater than 0 and less than " + LONGEST_AFFINITY);
        }
    }

    private static void externalIps(ObjectNode spec, @Nullable ObjectNode old, FieldErrors errors) {
        List<String> ips = Nodes.strings(spec, "externalIPs");
        List<String> known = Nodes.strings(old, "externalIPs");
        for (int i = 0; i < ips.size(); i++) {
            FieldPath path = SPEC.child("externalIPs").index(i);
            if (AddressRules.legacyIp(path, ips.get(i), known, errors)) {
                AddressRules.endpointIp(path, ips.get(i), errors);
            }
        }
    }

    private static void nodePorts(ObjectNode spec, FieldErrors errors) {
        List<ObjectNode> ports = Nodes.objects(spec, "ports");
        for (int i = 0; i < ports.size(); i++) {
            if (ServiceShape.is(spec, "ClusterIP") && Json.longAt(ports.get(i), 0, "nodePort") != 0) {
                errors.forbidden(PORTS.index(i).child("nodePort"), "may not be used when `type` is 'ClusterIP'");
            }
        }
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < ports.size(); i++) {
            long nodePort = Json.longAt(ports.get(i), 0, "nodePort");
            if (nodePort != 0 && !seen.add(Json.textAt(ports.get(i), "protocol") + nodePort)) {
                errors.duplicate(PORTS.index(i).child("nodePort"), Json.number(nodePort));
            }
        }
    }

    private static void samePorts(ObjectNode spec, FieldErrors errors) {
        Set<String> seen = new HashSet<>();
        List<ObjectNode> ports = Nodes.objects(spec, "ports");
        for (int i = 0; i < ports.size(); i++) {
            String protocol = Json.textAt(ports.get(i), "protocol");
            long port = Json.longAt(ports.get(i), 0, "port");
            if (!seen.add(protocol + port)) {
                // The key as Go prints it: a port of which only the two fields that count are set.
                ObjectNode key = Json.object().put("Name", "").put("Protocol", protocol);
                key.putNull("AppProtocol");
                key.put("Port", port).put("TargetPort", 0).put("NodePort", 0);
                errors.duplicate(PORTS.index(i), key);
            }
        }
    }

    private static void sourceRanges(ObjectNode service, @Nullable ObjectNode old, FieldErrors errors) {
        ObjectNode spec = Json.ensureObject(service, "spec");
        JsonNode annotation = Json.at(service, "metadata", "annotations", SOURCE_RANGES);
        boolean balancer = ServiceShape.is(spec, "LoadBalancer");
        List<String> ranges = Nodes.strings(spec, "loadBalancerSourceRanges");
        if (!ranges.isEmpty()) {
            FieldPath path = SPEC.child("LoadBalancerSourceRanges");
            if (!balancer) {
                errors.forbidden(path, BALANCER_ONLY);
            }
            List<String> known = Nodes.strings(old, "spec", "loadBalancerSourceRanges").stream()
                    .map(String::strip)
                    .toList();
            for (int i = 0; i < ranges.size(); i++) {
                AddressRules.legacyCidr(path.index(i), ranges.get(i).strip(), known, errors);
            }
        } else if (annotation != null) {
            FieldPath path = FieldPath.of("metadata", "annotations").key(SOURCE_RANGES);
            if (!balancer) {
                errors.forbidden(path, BALANCER_ONLY);
            }
            boolean kept = annotation.equals(Json.at(old, "metadata", "annotations", SOURCE_RANGES));
            if (!kept && !annotation.asText().isBlank()) {
                for (String range : annotation.asText().strip().split(",", -1)) {
                    AddressRules.legacyCidr(path, range.strip(), List.of(), errors);
                }
            }
        }
    }

    private static void balancerClass(ObjectNode spec, FieldErrors errors) {
        if (!Nodes.has(spec, "loadBalancerClass")) {
            return;
        }
        FieldPath path = SPEC.child("loadBalancerClass");
        String name = Json.textAt(spec, "loadBalancerClass");
        if (ServiceShape.is(spec, "LoadBalancer")) {
            FieldChecks.invalid(path, name, Names.qualifiedName(name), errors);
        } else {
            errors.forbidden(path, BALANCER_ONLY);
        }
    }

    private static void trafficPolicies(ObjectNode spec, FieldErrors errors) {
        FieldPath external = SPEC.child("externalTrafficPolicy");
        String policy = Json.textAt(spec, "externalTrafficPolicy");
        if (ServiceShape.externallyAccessible(spec)) {
            FieldChecks.requireOneOf(policy, SCOPES, external, errors);
        } else if (!policy.isEmpty()) {
            errors.invalid(external, policy, "may only be set for externally-accessible services");
        }
        FieldPath health = SPEC.child("healthCheckNodePort");
        long port = Json.longAt(spec, 0, "healthCheckNodePort");
        if (!ServiceShape.needsHealthCheckPort(spec)) {
            if (port != 0) {
                errors.invalid(
                        health,
                        port,
                        "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'");
            }
        } else if (port == 0) {
            errors.required(health);
        } else {
            portNumber(health, port, errors);
        }
        FieldChecks.optionalOneOf(spec, "internalTrafficPolicy", SCOPES, SPEC, errors);
        FieldChecks.optionalOneOf(spec, "trafficDistribution", DISTRIBUTIONS, SPEC, errors);
    }

    /** What a load balancer reports. */
    static void status(ObjectNode service, ObjectNode old, FieldErrors errors) {
        FieldPath path = FieldPath.of("status", "loadBalancer", "ingress");
        List<ObjectNode> all = Nodes.objects(service, "status", "loadBalancer", "ingress");
        if (!Json.textAt(service, "spec", "type").equals("LoadBalancer")) {
            if (!all.isEmpty()) {
                errors.forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'");
            }
            return;
        }
        List<String> known = Nodes.objects(old, "status", "loadBalancer", "ingress").stream()
                .map(ingress -> Json.textAt(ingress, "ip"))
                .toList();
        for (int i = 0; i < all.size(); i++) {
            ingress(all.get(i), known, path.index(i), errors);
        }
    }

    private static void ingress(ObjectNode ingress, List<String> known, FieldPath path, FieldErrors errors) {
        String ip = Json.textAt(ingress, "ip");
        if (!ip.isEmpty()) {
            AddressRules.legacyIp(path.child("ip"), ip, known, errors);
        }
        if (!Nodes.has(ingress, "ipMode")) {
            if (!ip.isEmpty()) {
                errors.required(path.child("ipMode"), "must be specified when `ip` is set");
            }
        } else if (ip.isEmpty()) {
            errors.forbidden(path.child("ipMode"), "may not be specified when `ip` is not set");
        } else {
            FieldChecks.optionalOneOf(ingress, "ipMode", List.of("Proxy", "VIP"), path, errors);
        }
        String host = Json.textAt(ingress, "hostname");
        if (!host.isEmpty()) {
            FieldChecks.invalid(path.child("hostname"), host, Names.dns1123Subdomain(host), errors);
            if (IpAddress.parse(host) != null) {
                errors.invalid(path.child("hostname"), host, "must be a DNS name, not an IP address");
            }
        }
    }
}
