package lavaflow.kinds;

import java.util.List;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Identifiers;
import lavaflow.kube.Json;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Checks of endpoints. */
final class EndpointsValidation {
    static final List<String> PROTOCOLS = List.of("SCTP", "TCP", "UDP");

    private EndpointsValidation() {}

    static void subsets(ObjectNode object, FieldErrors errors) {
        List<ObjectNode> subsets = Nodes.objects(object, "subsets");
        for (int i = 0; i < subsets.size(); i++) {
            ObjectNode subset = subsets.get(i);
            FieldPath path = FieldPath.of("subsets").index(i);
            if (Nodes.emptyAt(subset, "addresses") && Nodes.emptyAt(subset, "notReadyAddresses")) {
                errors.required(path, "must specify `addresses` or `notReadyAddresses`");
            }
            for (String field : new String[] {"addresses", "notReadyAddresses"}) {
                List<ObjectNode> addresses = Nodes.objects(subset, field);
                for (int j = 0; j < addresses.size(); j++) {
                    address(addresses.get(j), path.child(field).index(j), errors);
                }
            }
            List<ObjectNode> ports = Nodes.objects(subset, "ports");
            for (int j = 0; j < ports.size(); j++) {
                port(ports.get(j), ports.size() > 1, path.child("ports").index(j), errors);
            }
        }
    }

    private static void address(ObjectNode address, FieldPath path, FieldErrors errors) {
        String ip = Json.textAt(address, "ip");
        AddressRules.legacyIp(path.child("ip"), ip, List.of(), errors);
        FieldChecks.optionalLabel(address, "hostname", path, errors);
        if (Nodes.has(address, "nodeName")) {
            String node = Json.textAt(address, "nodeName");
            FieldChecks.invalid(path.child("nodeName"), node, Names.dns1123Subdomain(node), errors);
        }
        AddressRules.endpointIp(path.child("ip"), ip, errors);
    }

    private static void port(ObjectNode port, boolean named, FieldPath path, FieldErrors errors) {
        if (named && Json.textAt(port, "name").isEmpty()) {
            errors.required(path.child("name"));
        } else {
            FieldChecks.optionalLabel(port, "name", path, errors);
        }
        long number = Json.longAt(port, 0, "port");
        for (String wrong : Identifiers.portNumber(number)) {
            errors.invalid(path.child("port"), number, wrong);
        }
        FieldChecks.requireOneOf(Json.textAt(port, "protocol"), PROTOCOLS, path.child("protocol"), errors);
        appProtocol(port, path, errors);
    }

    static void appProtocol(ObjectNode port, FieldPath path, FieldErrors errors) {
        if (Nodes.has(port, "appProtocol")) {
            String protocol = Json.textAt(port, "appProtocol");
            FieldChecks.invalid(path.child("appProtocol"), protocol, Names.qualifiedName(protocol), errors);
        }
    }
}
