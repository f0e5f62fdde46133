package lavaflow.network;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;

/** The hosts file of a pod: a program that looks up its own name must find the address others reach it at. */
public final class PodHostsFile {
    private static final String LOCAL = """
            127.0.0.1\tlocalhost
            ::1\tlocalhost ip6-localhost ip6-loopback
            fe00::0\tip6-localnet
            fe00::0\tip6-mcastprefix
            fe00::1\tip6-allnodes
            fe00::2\tip6-allrouters
            """;

    private PodHostsFile() {}

    /** For a pod with addresses of its own. */
    public static String of(JsonNode pod, List<InetAddress> addresses, PodHostname hostname) {
        StringBuilder file = new StringBuilder("# Kubernetes-managed hosts file.\n").append(LOCAL);
        for (InetAddress address : addresses) {
            file.append(address.getHostAddress()).append('\t');
            if (!hostname.domain().isEmpty()) {
                file.append(hostname.name())
                        .append('.')
                        .append(hostname.domain())
                        .append('\t');
            }
            file.append(hostname.name()).append('\n');
        }
        return file.append(aliases(pod)).toString();
    }

    /** For a pod that shares the machine's network. */
    public static String ofHostNetwork(JsonNode pod, String machineFile) {
        return "# Kubernetes-managed hosts file (host network).\n" + machineFile + aliases(pod);
    }

    private static String aliases(JsonNode pod) {
        StringBuilder lines = new StringBuilder();
        for (JsonNode alias : Json.listAt(pod, "spec", "hostAliases")) {
            List<String> names = new ArrayList<>();
            Json.listAt(alias, "hostnames").forEach(name -> names.add(name.asText()));
            lines.append(lines.isEmpty() ? "\n# Entries added by HostAliases.\n" : "")
                    .append(Json.textAt(alias, "ip"))
                    .append('\t')
                    .append(String.join("\t", names))
                    .append('\n');
        }
        return lines.toString();
    }
}
