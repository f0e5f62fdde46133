package lavaflow.kinds;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;

/** Tables of services, endpoints, ingresses and addresses. */
final class NetworkTables {
    private static final int SHOWN = 3;

    private NetworkTables() {}

    static void register() {
        Tables.register(
                "/services",
                NetworkTables::service,
                "Name/name",
                "Type",
                "Cluster-IP",
                "External-IP",
                "Port(s)",
                "Age",
                "Selector*");
        Tables.register(
                "/endpoints", cells -> cells.name().text(endpoints(cells)).age(), "Name/name", "Endpoints", "Age");
        Tables.register(
                "discovery.k8s.io/endpointslices",
                cells -> cells.name()
                        .textAt("addressType")
                        .text(slicePorts(cells))
                        .text(sliceAddresses(cells))
                        .age(),
                "Name/name",
                "AddressType",
                "Ports",
                "Endpoints",
                "Age");
        Tables.register(
                "networking.k8s.io/ingresses",
                NetworkTables::ingress,
                "Name/name",
                "Class",
                "Hosts",
                "Address",
                "Ports",
                "Age");
        Tables.register(
                "networking.k8s.io/ingressclasses",
                NetworkTables::ingressClass,
                "Name/name",
                "Controller",
                "Parameters",
                "Age");
        Tables.register(
                "networking.k8s.io/networkpolicies",
                cells -> cells.name().text(policySelector(cells)).age(),
                "Name/name",
                "Pod-Selector",
                "Age");
        Tables.register(
                "networking.k8s.io/servicecidrs",
                cells -> cells.name()
                        .text(Cells.joined(Json.listAt(cells.object(), "spec", "cidrs"), ","))
                        .age(),
                "Name/name",
                "CIDRs",
                "Age");
        // Upstream fills one cell more than there are columns.
        Tables.register(
                "networking.k8s.io/ipaddresses",
                cells -> cells.name().text(parent(cells)).age(),
                "Name/name",
                "ParentRef");
    }

    private static void service(Cells cells) {
        JsonNode first = Json.listAt(cells.object(), "spec", "clusterIPs").get(0);
        List<String> ports = new ArrayList<>();
        for (JsonNode port : Json.listAt(cells.object(), "spec", "ports")) {
            long nodePort = Json.longAt(port, 0, "nodePort");
            ports.add(Json.longAt(port, 0, "port")
                    + (nodePort > 0 ? ":" + nodePort : "")
                    + "/"
                    + Json.textAt(port, "protocol"));
        }
        cells.name()
                .textAt("spec", "type")
                .text(first == null ? Cells.NONE : first.asText())
                .text(externalAddress(cells))
                .text(ports.isEmpty() ? Cells.NONE : String.join(",", ports))
                .age()
                .labelsAt("spec", "selector");
    }

    private static String externalAddress(Cells cells) {
        String given = Cells.joined(Json.listAt(cells.object(), "spec", "externalIPs"), ",");
        return switch (cells.at("spec", "type")) {
            case "ClusterIP", "NodePort" -> given.isEmpty() ? Cells.NONE : given;
            case "ExternalName" -> cells.at("spec", "externalName");
            case "LoadBalancer" -> {
                String balanced = balancerAddresses(cells);
                if (balanced.isEmpty()) {
                    yield given.isEmpty() ? "<pending>" : given;
                }
                yield given.isEmpty() ? balanced : balanced + "," + given;
            }
            default -> Cells.UNKNOWN;
        };
    }

    private static String balancerAddresses(Cells cells) {
        Set<String> addresses = new TreeSet<>();
        for (JsonNode ingress : Json.listAt(cells.object(), "status", "loadBalancer", "ingress")) {
            String ip = Json.textAt(ingress, "ip");
            String address = ip.isEmpty() ? Json.textAt(ingress, "hostname") : ip;
            if (!address.isEmpty()) {
                addresses.add(address);
            }
        }
        return String.join(",", addresses);
    }

    private static String endpoints(Cells cells) {
        ArrayNode subsets = Json.listAt(cells.object(), "subsets");
        if (subsets.isEmpty()) {
            return Cells.NONE;
        }
        List<String> all = new ArrayList<>();
        for (JsonNode subset : subsets) {
            ArrayNode ports = Json.listAt(subset, "ports");
            ArrayNode addresses = Json.listAt(subset, "addresses");
            if (ports.isEmpty()) {
                addresses.forEach(address -> all.add(Json.textAt(address, "ip")));
            }
            for (JsonNode port : ports) {
                for (JsonNode address : addresses) {
                    String ip = Json.textAt(address, "ip");
                    String host = ip.indexOf(':') >= 0 ? "[" + ip + "]" : ip;
                    all.add(host + ":" + Json.longAt(port, 0, "port"));
                }
            }
        }
        return Cells.shortened(all, SHOWN, ",");
    }

    private static String slicePorts(Cells cells) {
        List<String> ports = new ArrayList<>();
        for (JsonNode port : Json.listAt(cells.object(), "ports")) {
            JsonNode number = Json.at(port, "port");
            JsonNode name = Json.at(port, "name");
            ports.add(number != null ? number.asText() : name != null ? name.asText() : "*");
        }
        return orUnset(ports);
    }

    private static String sliceAddresses(Cells cells) {
        List<String> addresses = new ArrayList<>();
        for (JsonNode endpoint : Json.listAt(cells.object(), "endpoints")) {
            Json.listAt(endpoint, "addresses").forEach(address -> addresses.add(address.asText()));
        }
        return orUnset(addresses);
    }

    private static String orUnset(List<String> all) {
        String shown = Cells.shortened(all, SHOWN, ",");
        return shown.isEmpty() ? Cells.UNSET : shown;
    }

    private static void ingress(Cells cells) {
        cells.name()
                .textOr(Cells.NONE, "spec", "ingressClassName")
                .text(hosts(Json.listAt(cells.object(), "spec", "rules")))
                .text(balancerAddresses(cells))
                .text(cells.count("spec", "tls") > 0 ? "80, 443" : "80")
                .age();
    }

    /** The hosts of rules; upstream counts the rules without a host among those left out. */
    private static String hosts(ArrayNode rules) {
        List<String> hosts = new ArrayList<>();
        boolean more = false;
        for (JsonNode rule : rules) {
            more |= hosts.size() == SHOWN;
            String host = Json.textAt(rule, "host");
            if (!more && !host.isEmpty()) {
                hosts.add(host);
            }
        }
        if (hosts.isEmpty()) {
            return "*";
        }
        String shown = String.join(",", hosts);
        return more ? shown + " + " + (rules.size() - SHOWN) + " more..." : shown;
    }

    private static void ingressClass(Cells cells) {
        boolean standard = cells.at("metadata", "annotations", "ingressclass.kubernetes.io/is-default-class")
                .equals("true");
        String parameters = Cells.NONE;
        if (cells.has("spec", "parameters")) {
            boolean grouped = cells.has("spec", "parameters", "apiGroup");
            parameters = cells.at("spec", "parameters", "kind")
                    + (grouped ? "." + cells.at("spec", "parameters", "apiGroup") : "")
                    + "/"
                    + cells.at("spec", "parameters", "name");
        }
        cells.text(cells.at("metadata", "name") + (standard ? " (default)" : ""))
                .textAt("spec", "controller")
                .text(parameters)
                .age();
    }

    /** The selector is no pointer upstream: where it is missing, all pods are meant. */
    private static String policySelector(Cells cells) {
        JsonNode selector = Json.at(cells.object(), "spec", "podSelector");
        return lavaflow.kube.LabelSelector.describe(selector == null ? Json.object() : selector);
    }

    private static String parent(Cells cells) {
        if (!cells.has("spec", "parentRef")) {
            return Cells.NONE;
        }
        String group = cells.at("spec", "parentRef", "group");
        String namespace = cells.at("spec", "parentRef", "namespace");
        String resource = cells.at("spec", "parentRef", "resource") + (group.isEmpty() ? "" : "." + group);
        return resource.toLowerCase(Locale.ROOT)
                + (namespace.isEmpty() ? "" : "/" + namespace)
                + "/"
                + cells.at("spec", "parentRef", "name");
    }
}
