package lavaflow.kinds;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.IpAddress;
import lavaflow.kube.Json;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Checks of endpoint slices. */
final class EndpointSliceValidation {
    private static final List<String> TYPES = List.of("FQDN", "IPv4", "IPv6");
    private static final int MOST_ENDPOINTS = 1000;
    private static final int MOST_ADDRESSES = 100;
    private static final int MOST_PORTS = 20_000;
    private static final int MOST_HINTS = 8;

    private EndpointSliceValidation() {}

    static void head(ObjectNode slice, FieldErrors errors) {
        FieldChecks.requireOneOf(Json.textAt(slice, "addressType"), TYPES, FieldPath.of("addressType"), errors);
        ports(slice, errors);
    }

    private static void ports(ObjectNode slice, FieldErrors errors) {
        FieldPath path = FieldPath.of("ports");
        List<ObjectNode> ports = Nodes.objects(slice, "ports");
        if (ports.size() > MOST_PORTS) {
            errors.tooMany(path, ports.size(), MOST_PORTS);
            return;
        }
        Set<String> names = new HashSet<>();
        for (int i = 0; i < ports.size(); i++) {
            ObjectNode port = ports.get(i);
            FieldPath place = path.index(i);
            FieldChecks.optionalLabel(port, "name", place, errors);
            if (!names.add(Json.textAt(port, "name"))) {
                errors.duplicate(place.child("name"), Json.textAt(port, "name"));
            }
            FieldChecks.optionalOneOf(port, "protocol", EndpointsValidation.PROTOCOLS, place, errors);
            EndpointsValidation.appProtocol(port, place, errors);
        }
    }

    static void endpoints(ObjectNode slice, FieldErrors errors) {
        FieldPath path = FieldPath.of("endpoints");
        String type = Json.textAt(slice, "addressType");
        List<ObjectNode> endpoints = Nodes.objects(slice, "endpoints");
        if (endpoints.size() > MOST_ENDPOINTS) {
            errors.tooMany(path, endpoints.size(), MOST_ENDPOINTS);
            return;
        }
        for (int i = 0; i < endpoints.size(); i++) {
            ObjectNode endpoint = endpoints.get(i);
            FieldPath place = path.index(i);
            addresses(endpoint, type, place.child("addresses"), errors);
            if (Nodes.has(endpoint, "nodeName")) {
                String node = Json.textAt(endpoint, "nodeName");
                FieldChecks.invalid(place.child("nodeName"), node, Names.dns1123Subdomain(node), errors);
            }
            if (Nodes.has(endpoint, "hostname")) {
                String host = Json.textAt(endpoint, "hostname");
                FieldChecks.invalid(place.child("hostname"), host, Names.dns1123Label(host), errors);
            }
            if (hints(endpoint, "forZones", place.child("hints", "forZones"), errors)) {
                hints(endpoint, "forNodes", place.child("hints", "forNodes"), errors);
            }
        }
    }

    private static void addresses(ObjectNode endpoint, String type, FieldPath path, FieldErrors errors) {
        List<String> addresses = Nodes.strings(endpoint, "addresses");
        if (addresses.isEmpty()) {
            errors.required(path, "must contain at least 1 address");
        } else if (addresses.size() > MOST_ADDRESSES) {
            errors.tooMany(path, addresses.size(), MOST_ADDRESSES);
        }
        for (int i = 0; i < addresses.size(); i++) {
            String address = addresses.get(i);
            FieldPath place = path.index(i);
            switch (type) {
                case "IPv4", "IPv6" -> {
                    boolean four = type.equals("IPv4");
                    boolean valid = four
                            ? AddressRules.legacyIp(place, address, List.of(), errors)
                            : AddressRules.canonicalIp(place, address, errors);
                    IpAddress ip = IpAddress.parse(address);
                    if (valid && ip != null) {
                        if (ip.is4() != four) {
                            errors.invalid(path, address, "must be an " + type + " address");
                        }
                        AddressRules.endpointIp(place, address, errors);
                    }
                }
                case "FQDN" -> qualifiedDomain(place, address, errors);
                default -> {
                    // The odd type has been reported.
                }
            }
        }
    }

    private static void qualifiedDomain(FieldPath path, String name, FieldErrors errors) {
        if (name.isEmpty()) {
            errors.required(path);
            return;
        }
        String bare = name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
        List<String> wrong = Names.dns1123Subdomain(bare);
        if (!wrong.isEmpty()) {
            errors.invalid(path, bare, String.join(",", wrong));
        } else if (bare.indexOf('.') < 0) {
            errors.invalid(path, bare, "should be a domain with at least two segments separated by dots");
        } else {
            for (String label : bare.split("\\.", -1)) {
                List<String> wrongLabel = Names.dns1123Label(label);
                if (!wrongLabel.isEmpty()) {
                    errors.invalid(path, label, String.join(",", wrongLabel));
                }
            }
        }
    }

    /** Whether there were not too many, so that others make sense to look at. */
    private static boolean hints(ObjectNode endpoint, String kind, FieldPath path, FieldErrors errors) {
        List<ObjectNode> hints = Nodes.objects(endpoint, "hints", kind);
        if (hints.size() > MOST_HINTS) {
            errors.tooMany(path, hints.size(), MOST_HINTS);
            return false;
        }
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < hints.size(); i++) {
            String name = Json.textAt(hints.get(i), "name");
            FieldPath place = path.index(i).child("name");
            if (!seen.add(name)) {
                errors.duplicate(place, name);
            }
            List<String> wrong = kind.equals("forZones") ? Names.labelValue(name) : Names.dns1123Subdomain(name);
            FieldChecks.invalid(place, name, wrong, errors);
        }
        return true;
    }

    static List<String> warnings(ObjectNode slice, boolean isNew) {
        List<String> warnings = new ArrayList<>();
        if (isNew && Json.textAt(slice, "addressType").equals("FQDN")) {
            warnings.add("spec.addressType: FQDN endpoints are deprecated");
        }
        String manager = Json.textAt(slice, "metadata", "labels", "endpointslice.kubernetes.io/managed-by");
        if (manager.equals("endpointslice-controller.k8s.io")
                || manager.equals("endpointslicemirroring-controller.k8s.io")) {
            return warnings;
        }
        List<ObjectNode> endpoints = Nodes.objects(slice, "endpoints");
        for (int i = 0; i < endpoints.size(); i++) {
            List<String> addresses = Nodes.strings(endpoints.get(i), "addresses");
            for (int j = 0; j < addresses.size(); j++) {
                FieldPath path =
                        FieldPath.of("endpoints").index(i).child("addresses").index(j);
                AddressRules.warnOfIp(path, addresses.get(j), warnings);
            }
        }
        return warnings;
    }
}
