package lavaflow.network;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * The resolv.conf of a pod.
 *
 * @param text the file
 * @param warnings what did not fit, as messages of DNSConfigForming events
 */
public record PodResolvConf(String text, List<String> warnings) {
    private static final int MOST_SERVERS = 3;
    private static final int MOST_SEARCHES = 32;
    private static final int LONGEST_SEARCH = 253;
    private static final int LONGEST_SEARCH_LINE = 2048;

    /**
     * The file of a pod, by its dnsPolicy and dnsConfig.
     *
     * @param clusterServers the cluster's name servers; without any, pods that want them get the machine's
     * @param machine the machine's own resolv.conf, with servers that pods can reach
     */
    public static PodResolvConf of(
            JsonNode pod, List<String> clusterServers, String clusterDomain, ResolverFile machine) {
        ResolverFile merged = merge(base(pod, clusterServers, clusterDomain, machine), pod);
        List<String> warnings = new ArrayList<>();
        List<String> servers = merged.nameServers();
        if (servers.size() > MOST_SERVERS) {
            servers = servers.subList(0, MOST_SERVERS);
            warnings.add("Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver"
                    + " line is: " + String.join(" ", servers));
        }
        List<String> searches = fitting(merged.searches());
        if (searches.size() < merged.searches().size()) {
            warnings.add("Search Line limits were exceeded, some search paths have been omitted, the applied search"
                    + " line is: " + String.join(" ", searches));
        }
        return new PodResolvConf(
                new ResolverFile(servers, searches, merged.options()).toString(), List.copyOf(warnings));
    }

    private static ResolverFile base(
            JsonNode pod, List<String> clusterServers, String clusterDomain, ResolverFile machine) {
        String policy = Json.textAt(pod, "spec", "dnsPolicy");
        boolean hostNetwork = Json.flagAt(pod, "spec", "hostNetwork");
        return switch (policy) {
            case "None" -> ResolverFile.EMPTY;
            case "Default" -> machine;
            case "ClusterFirstWithHostNet" -> cluster(pod, clusterServers, clusterDomain, machine);
            default -> hostNetwork ? machine : cluster(pod, clusterServers, clusterDomain, machine);
        };
    }

    private static ResolverFile cluster(
            JsonNode pod, List<String> clusterServers, String clusterDomain, ResolverFile machine) {
        if (clusterServers.isEmpty()) {
            return machine;
        }
        List<String> searches = new ArrayList<>();
        searches.add(Json.textAt(pod, "metadata", "namespace") + ".svc." + clusterDomain);
        searches.add("svc." + clusterDomain);
        searches.add(clusterDomain);
        searches.addAll(machine.searches());
        return new ResolverFile(clusterServers, once(searches), List.of("ndots:5"));
    }

    private static List<String> once(List<String> values) {
        return List.copyOf(new LinkedHashSet<>(values));
    }

    /** Adds what the pod asks for itself; options by their name, the pod's win. */
    private static ResolverFile merge(ResolverFile base, JsonNode pod) {
        JsonNode own = Json.at(pod, "spec", "dnsConfig");
        if (own == null) {
            return base;
        }
        List<String> servers = new ArrayList<>(base.nameServers());
        Json.listAt(own, "nameservers").forEach(server -> servers.add(server.asText()));
        List<String> searches = new ArrayList<>(base.searches());
        Json.listAt(own, "searches").forEach(search -> searches.add(search.asText()));
        Map<String, String> options = new LinkedHashMap<>();
        for (String option : base.options()) {
            int colon = option.indexOf(':');
            options.put(colon < 0 ? option : option.substring(0, colon), colon < 0 ? "" : option.substring(colon + 1));
        }
        for (JsonNode option : Json.listAt(own, "options")) {
            options.put(Json.textAt(option, "name"), Json.textAt(option, "value"));
        }
        List<String> written = new ArrayList<>();
        options.forEach((name, value) -> written.add(value.isEmpty() ? name : name + ":" + value));
        return new ResolverFile(once(servers), once(searches), List.copyOf(written));
    }

    /** As many of the first ones as resolvers are known to bear; some crash of a name that is too long. */
    private static List<String> fitting(List<String> searches) {
        List<String> kept = new ArrayList<>();
        int length = -1;
        for (String search : searches.subList(0, Math.min(searches.size(), MOST_SEARCHES))) {
            if (search.length() > LONGEST_SEARCH) {
                continue;
            }
            length += search.length() + 1;
            if (length > LONGEST_SEARCH_LINE) {
                break;
            }
            kept.add(search);
        }
        return List.copyOf(kept);
    }
}
