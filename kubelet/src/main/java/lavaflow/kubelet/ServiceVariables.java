package lavaflow.kubelet;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Variables by which a container finds services, in the form that links of old had. */
final class ServiceVariables {
    private static final String NONE = "None";

    private ServiceVariables() {}

    /**
     * The variables of a pod's services: those of its namespace where it wants links, and always the API's own.
     *
     * @param services of all namespaces, in the order of their names
     */
    static Map<String, String> of(String namespace, boolean links, List<ObjectNode> services) {
        Map<String, ObjectNode> chosen = new LinkedHashMap<>();
        for (ObjectNode service : services) {
            String home = Json.textAt(service, "metadata", "namespace");
            String name = Json.textAt(service, "metadata", "name");
            String address = Json.textAt(service, "spec", "clusterIP");
            if (address.isEmpty() || address.equals(NONE)) {
                continue;
            }
            if (home.equals("default") && name.equals("kubernetes")) {
                chosen.putIfAbsent(name, service);
            } else if (links && home.equals(namespace)) {
                chosen.put(name, service);
            }
        }
        Map<String, String> variables = new LinkedHashMap<>();
        chosen.forEach((name, service) -> add(variables, name, service));
        return variables;
    }

    private static String word(String name) {
        return name.replace('-', '_').toUpperCase(Locale.ROOT);
    }

    private static void add(Map<String, String> variables, String name, ObjectNode service) {
        String prefix = word(name);
        String address = Json.textAt(service, "spec", "clusterIP");
        String host = address.contains(":") ? "[" + address + "]" : address;
        ArrayNode ports = Json.listAt(service, "spec", "ports");
        if (ports.isEmpty()) {
            return;
        }
        variables.put(prefix + "_SERVICE_HOST", address);
        variables.put(prefix + "_SERVICE_PORT", port(ports.get(0)));
        for (JsonNode port : ports) {
            String portName = Json.textAt(port, "name");
            if (!portName.isEmpty()) {
                variables.put(prefix + "_SERVICE_PORT_" + word(portName), port(port));
            }
        }
        boolean first = true;
        for (JsonNode port : ports) {
            String given = Json.textAt(port, "protocol");
            String protocol = given.isEmpty() ? "TCP" : given;
            String url = protocol.toLowerCase(Locale.ROOT) + "://" + host + ":" + port(port);
            if (first) {
                variables.put(prefix + "_PORT", url);
                first = false;
            }
            String each = prefix + "_PORT_" + port(port) + "_" + protocol.toUpperCase(Locale.ROOT);
            variables.put(each, url);
            variables.put(each + "_PROTO", protocol.toLowerCase(Locale.ROOT));
            variables.put(each + "_PORT", port(port));
            variables.put(each + "_ADDR", address);
        }
    }

    private static String port(JsonNode port) {
        return Long.toString(Json.longAt(port, 0, "port"));
    }
}
