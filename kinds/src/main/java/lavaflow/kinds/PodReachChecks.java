package lavaflow.kinds;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import lavaflow.kube.Json;
import lavaflow.kube.SafeSysctls;

import com.fasterxml.jackson.databind.JsonNode;

import static lavaflow.kinds.PodUnderCheck.containers;
import static lavaflow.kinds.PodUnderCheck.quoted;
import static lavaflow.kinds.PodUnderCheck.setters;
import static lavaflow.kinds.PodUnderCheck.several;

/** What a pod reaches of the machine it runs on. */
final class PodReachChecks {
    private static final Set<String> VOLUMES = Set.of(
            "configMap",
            "csi",
            "downwardAPI",
            "emptyDir",
            "ephemeral",
            "image",
            "persistentVolumeClaim",
            "projected",
            "secret");

    private final PodUnderCheck checked;

    PodReachChecks(PodUnderCheck checked) {
        this.checked = checked;
    }

    void hostNamespaces() {
        List<String> used = new ArrayList<>();
        for (String field : List.of("hostNetwork", "hostPID", "hostIPC")) {
            if (Json.flagAt(checked.spec, field)) {
                used.add(field + "=true");
            }
        }
        if (!used.isEmpty()) {
            checked.report("host namespaces", String.join(", ", used));
        }
    }

    void hostPaths() {
        List<String> names = new ArrayList<>();
        for (JsonNode volume : Json.listAt(checked.spec, "volumes")) {
            if (volume.has("hostPath")) {
                names.add(Json.textAt(volume, "name"));
            }
        }
        if (!names.isEmpty()) {
            checked.report("hostPath volumes", several("volume", "volumes", names.size()) + " " + quoted(names));
        }
    }

    void hostPorts() {
        Set<String> ports = new TreeSet<>();
        List<String> names = checked.namesOf(container -> {
            boolean found = false;
            for (JsonNode port : Json.listAt(container, "ports")) {
                long host = Json.longAt(port, 0, "hostPort");
                if (host != 0) {
                    ports.add(Long.toString(host));
                    found = true;
                }
            }
            return found;
        });
        if (!names.isEmpty()) {
            String verb = several("uses", "use", names.size());
            checked.report(
                    "hostPort",
                    containers(names) + " " + verb + " " + several("hostPort", "hostPorts", ports.size()) + " "
                            + String.join(", ", ports));
        }
    }

    void hostProbes() {
        Set<String> hosts = new TreeSet<>();
        List<String> names = checked.namesOf(container -> {
            int before = hosts.size();
            Set<String> own = new TreeSet<>();
            BiConsumer<String, JsonNode> look = (_, action) -> {
                for (String kind : List.of("httpGet", "tcpSocket")) {
                    String host = Json.textAt(action, kind, "host");
                    if (!host.isEmpty()) {
                        own.add(host);
                    }
                }
            };
            for (String probe : List.of("livenessProbe", "readinessProbe", "startupProbe")) {
                look.accept(probe, container.path(probe));
            }
            for (String hook : List.of("postStart", "preStop")) {
                look.accept(hook, container.path("lifecycle").path(hook));
            }
            hosts.addAll(own);
            return !own.isEmpty() || hosts.size() > before;
        });
        if (!names.isEmpty()) {
            checked.report(
                    "probe or lifecycle host",
                    containers(names) + " " + several("uses", "use", names.size()) + " probe or lifecycle "
                            + several("host", "hosts", hosts.size()) + " " + quoted(hosts));
        }
    }

    void sysctls() {
        List<String> bad = new ArrayList<>();
        for (JsonNode sysctl : Json.listAt(checked.spec, "securityContext", "sysctls")) {
            String name = Json.textAt(sysctl, "name");
            if (!SafeSysctls.contains(name)) {
                bad.add(name);
            }
        }
        if (!bad.isEmpty()) {
            checked.report("forbidden sysctls", String.join(", ", bad));
        }
    }

    void windowsHostProcess() {
        Predicate<JsonNode> asked = holder -> Json.flagAt(holder, "securityContext", "windowsOptions", "hostProcess");
        boolean pod = asked.test(checked.spec);
        List<String> names = checked.namesOf(asked);
        if (pod || !names.isEmpty()) {
            checked.report(
                    "hostProcess",
                    setters(pod, names) + " must not set securityContext.windowsOptions.hostProcess=true");
        }
    }

    void volumes() {
        List<String> names = new ArrayList<>();
        Set<String> types = new TreeSet<>();
        for (JsonNode volume : Json.listAt(checked.spec, "volumes")) {
            List<String> sources = volume.propertyStream()
                    .map(Map.Entry::getKey)
                    .filter(field -> !field.equals("name"))
                    .collect(Collectors.toList());
            String type = sources.isEmpty() ? "unknown" : sources.getFirst();
            if (!VOLUMES.contains(type)) {
                names.add(Json.textAt(volume, "name"));
                types.add(type);
            }
        }
        if (!names.isEmpty()) {
            checked.report(
                    "restricted volume types",
                    several("volume", "volumes", names.size()) + " " + quoted(names) + " "
                            + several("uses", "use", names.size()) + " restricted volume "
                            + several("type", "types", types.size()) + " " + quoted(types));
        }
    }
}
