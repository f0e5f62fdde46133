package lavaflow.kinds;

import java.util.List;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Names, addresses and namespaces of a pod: DNS, host names, the host's own network. */
final class PodNetworkRules {
    private static final int MOST_NAMESERVERS = 3;
    private static final int MOST_SEARCH_PATHS = 32;
    private static final int LONGEST_SEARCH_LIST = 2048;
    private static final int LONGEST_HOST_NAME = 64;

    private PodNetworkRules() {}

    /** On the host's network a container's port is a port of the host. */
    static void hostPorts(PodScope scope, FieldPath path, FieldErrors errors) {
        if (!Json.flagAt(scope.spec(), "hostNetwork")) {
            return;
        }
        List<ObjectNode> containers = PodSpecs.containers(scope.spec());
        for (int i = 0; i < containers.size(); i++) {
            List<ObjectNode> ports = Nodes.objects(containers.get(i), "ports");
            for (int j = 0; j < ports.size(); j++) {
                long hostPort = Json.longAt(ports.get(j), 0, "hostPort");
                // Templates may leave it out: it is filled in when the pod is made.
                if ((scope.isPod() || hostPort != 0) && hostPort != Json.longAt(ports.get(j), 0, "containerPort")) {
                    errors.invalid(
                            path.index(i).child("ports").index(j).child("hostPort"),
                            hostPort,
                            "must match `containerPort` when `hostNetwork` is true");
                }
            }
        }
    }

    static void dnsConfig(ObjectNode spec, FieldPath path, FieldErrors errors) {
        JsonNode config = Json.at(spec, "dnsConfig");
        boolean alone = Json.textAt(spec, "dnsPolicy").equals("None");
        List<String> servers = Nodes.strings(config, "nameservers");
        if (alone && config == null) {
            errors.required(path, "must provide `dnsConfig` when `dnsPolicy` is None");
            return;
        }
        if (alone && servers.isEmpty()) {
            errors.required(
                    path.child("nameservers"), "must provide at least one DNS nameserver when `dnsPolicy` is None");
            return;
        }
        if (servers.size() > MOST_NAMESERVERS) {
            errors.invalid(
                    path.child("nameservers"),
                    Json.at(config, "nameservers"),
                    "must not have more than " + MOST_NAMESERVERS + " nameservers");
        }
        for (int i = 0; i < servers.size(); i++) {
            AddressRules.legacyIp(path.child("nameservers").index(i), servers.get(i), List.of(), errors);
        }
        searches(config, path.child("searches"), errors);
        List<ObjectNode> options = Nodes.objects(config, "options");
        for (int i = 0; i < options.size(); i++) {
            if (Json.textAt(options.get(i), "name").isEmpty()) {
                errors.required(path.child("options").index(i), "must not be empty");
            }
        }
    }

    private static void searches(@Nullable JsonNode config, FieldPath path, FieldErrors errors) {
        List<String> searches = Nodes.strings(config, "searches");
        if (searches.size() > MOST_SEARCH_PATHS) {
            errors.invalid(
                    path,
                    Json.at(config, "searches"),
                    "must not have more than " + MOST_SEARCH_PATHS + " search paths");
        }
        if (Names.utf8Length(String.join(" ", searches)) > LONGEST_SEARCH_LIST) {
            errors.invalid(
                    path,
                    Json.at(config, "searches"),
                    "must not have more than " + LONGEST_SEARCH_LIST
                            + " characters (including spaces) in the search list");
        }
        for (int i = 0; i < searches.size(); i++) {
            String search = searches.get(i);
            if (!search.equals(".")) {
                String name = search.endsWith(".") ? search.substring(0, search.length() - 1) : search;
                FieldChecks.invalid(path.index(i), name, Names.dns1123SubdomainWithUnderscore(name), errors);
            }
        }
    }

    static void hostAliases(ObjectNode spec, FieldPath path, FieldErrors errors) {
        List<ObjectNode> aliases = Nodes.objects(spec, "hostAliases");
        for (int i = 0; i < aliases.size(); i++) {
            AddressRules.legacyIp(path.index(i).child("ip"), Json.textAt(aliases.get(i), "ip"), List.of(), errors);
            List<String> names = Nodes.strings(aliases.get(i), "hostnames");
            for (int j = 0; j < names.size(); j++) {
                FieldPath place = path.index(i).child("hostnames").index(j);
                FieldChecks.invalid(place, names.get(j), Names.dns1123Subdomain(names.get(j)), errors);
            }
        }
    }

    /** With user ids of its own a pod cannot share other namespaces with the host. */
    static void hostUsers(PodScope scope, FieldPath path, FieldErrors errors) {
        if (scope.hostUsers()) {
            return;
        }
        String why = "when `hostUsers` is false";
        if (Json.flagAt(scope.spec(), "hostNetwork")) {
            errors.forbidden(path.child("hostNetwork"), why);
        }
        if (Json.flagAt(scope.spec(), "hostPID")) {
            errors.forbidden(path.child("HostPID"), why);
        }
        if (Json.flagAt(scope.spec(), "hostIPC")) {
            errors.forbidden(path.child("HostIPC"), why);
        }
        PodSpecs.visit(scope.spec(), path, (container, place) -> {
            if (!Nodes.emptyAt(container, "volumeDevices")) {
                errors.forbidden(place.child("volumeDevices"), why);
            }
        });
    }

    static void hostnameOverride(ObjectNode spec, FieldPath specPath, FieldErrors errors) {
        JsonNode override = Json.at(spec, "hostnameOverride");
        if (override == null) {
            return;
        }
        FieldPath path = specPath.child("hostnameOverride");
        if (Json.flagAt(spec, "setHostnameAsFQDN")) {
            errors.forbidden(path, "may not be specified when setHostnameAsFQDN is true");
        }
        if (Json.flagAt(spec, "hostNetwork")) {
            errors.forbidden(path, "may not be specified when hostNetwork is true");
        }
        String name = override.asText();
        if (Names.utf8Length(name) > LONGEST_HOST_NAME) {
            errors.tooLong(path, LONGEST_HOST_NAME);
        }
        FieldChecks.invalid(path, name, Names.dns1123Subdomain(name), errors);
    }
}
