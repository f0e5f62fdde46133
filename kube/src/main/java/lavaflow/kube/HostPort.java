package lavaflow.kube;

import java.util.ArrayList;
import java.util.List;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** A port of the node that a pod wants for itself. */
public record HostPort(String address, String protocol, long port) {
    private static final String ANY = "0.0.0.0";

    public static List<HostPort> of(@Nullable JsonNode spec) {
        List<HostPort> ports = new ArrayList<>();
        boolean hostNetwork = Json.flagAt(spec, "hostNetwork");
        Json.listAt(spec, "containers").forEach(container -> add(ports, container, hostNetwork));
        for (JsonNode container : Json.listAt(spec, "initContainers")) {
            // Others are gone before anybody could mind.
            if (Json.textAt(container, "restartPolicy").equals("Always")) {
                add(ports, container, hostNetwork);
            }
        }
        return List.copyOf(ports);
    }

    private static void add(List<HostPort> ports, JsonNode container, boolean hostNetwork) {
        for (JsonNode each : Json.listAt(container, "ports")) {
            long port = Json.longAt(each, hostNetwork ? Json.longAt(each, 0, "containerPort") : 0, "hostPort");
            if (port > 0) {
                String address = Json.textAt(each, "hostIP");
                String protocol = Json.textAt(each, "protocol");
                ports.add(new HostPort(address.isEmpty() ? ANY : address, protocol.isEmpty() ? "TCP" : protocol, port));
            }
        }
    }

    public boolean conflicts(HostPort other) {
        return port == other.port
                && protocol.equals(other.protocol)
                && (address.equals(other.address) || address.equals(ANY) || other.address.equals(ANY));
    }
}
