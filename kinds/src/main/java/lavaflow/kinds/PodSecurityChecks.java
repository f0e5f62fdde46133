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

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import org.jspecify.annotations.Nullable;

/** The checks of the pod security standards, in upstream's order and words. */
public final class PodSecurityChecks {
    /** What a pod does that it should not. */
    public record Violation(String reason, String detail) {
        @Override
        public String toString() {
            return reason + " (" + detail + ")";
        }
    }

    private static final Set<String> BASELINE_CAPABILITIES = Set.of(
            "AUDIT_WRITE",
            "CHOWN",
            "DAC_OVERRIDE",
            "FOWNER",
            "FSETID",
            "KILL",
            "MKNOD",
            "NET_BIND_SERVICE",
            "SETFCAP",
            "SETGID",
            "SETPCAP",
            "SETUID",
            "SYS_CHROOT");
    private static final Set<String> SYSCTLS = Set.of(
            "kernel.shm_rmid_forced",
            "net.ipv4.ip_local_port_range",
            "net.ipv4.tcp_syncookies",
            "net.ipv4.ping_group_range",
            "net.ipv4.ip_unprivileged_port_start",
            "net.ipv4.ip_local_reserved_ports",
            "net.ipv4.tcp_keepalive_time",
            "net.ipv4.tcp_fin_timeout",
            "net.ipv4.tcp_keepalive_intvl",
            "net.ipv4.tcp_keepalive_probes",
            "net.ipv4.tcp_rmem",
            "net.ipv4.tcp_wmem");
    private static final Set<String> SELINUX_TYPES =
            Set.of("", "container_t", "container_init_t", "container_kvm_t", "container_engine_t");
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
    private static final Set<String> PROFILES = Set.of("RuntimeDefault", "Localhost");
    private static final String APPARMOR = "container.apparmor.security.beta.kubernetes.io/";
    private static final String SECCOMP = "securityContext.seccompProfile.type";

    private final @Nullable JsonNode metadata;
    private final JsonNode spec;
    private final List<JsonNode> containers = new ArrayList<>();
    private final List<Violation> violations = new ArrayList<>();

    PodSecurityChecks(@Nullable JsonNode metadata, JsonNode spec) {
        this.metadata = metadata;
        this.spec = spec;
        for (String list : List.of("initContainers", "containers", "ephemeralContainers")) {
            Json.listAt(spec, list).forEach(containers::add);
        }
    }

    List<Violation> baseline() {
        appArmor();
        baselineCapabilities();
        hostNamespaces();
        hostPaths();
        hostPorts();
        hostProbes();
        privileged();
        if (!hasOwnUsers()) {
            procMount();
        }
        seLinux();
        seccomp(false);
        sysctls();
        windowsHostProcess();
        return violations;
    }

    List<Violation> restricted() {
        appArmor();
        hostNamespaces();
        hostPorts();
        hostProbes();
        privileged();
        seLinux();
        sysctls();
        windowsHostProcess();
        if (!isWindows()) {
            privilegeEscalation();
            restrictedCapabilities();
        }
        procMount();
        volumes();
        if (!hasOwnUsers()) {
            runAsNonRoot();
            runAsUser();
        }
        if (!isWindows()) {
            seccomp(true);
        }
        return violations;
    }

    private boolean hasOwnUsers() {
        return Json.at(spec, "hostUsers") instanceof BooleanNode host && !host.booleanValue();
    }

    private boolean isWindows() {
        return Json.textAt(spec, "os", "name").equals("windows");
    }

    private void report(String reason, String detail) {
        violations.add(new Violation(reason, detail));
    }

    private List<String> namesOf(Predicate<JsonNode> bad) {
        return containers.stream()
                .filter(bad)
                .map(container -> Json.textAt(container, "name"))
                .toList();
    }

    private static String quoted(Iterable<String> names) {
        List<String> all = new ArrayList<>();
        names.forEach(name -> all.add("\"" + name + "\""));
        return String.join(", ", all);
    }

    private static String several(String one, String many, int count) {
        return count == 1 ? one : many;
    }

    private static String containers(List<String> names) {
        return several("container", "containers", names.size()) + " " + quoted(names);
    }

    /** Who sets something: the pod, containers, or both. */
    private static String setters(boolean pod, List<String> names) {
        List<String> all = new ArrayList<>();
        if (pod) {
            all.add("pod");
        }
        if (!names.isEmpty()) {
            all.add(containers(names));
        }
        return String.join(" and ", all);
    }

    private void appArmor() {
        Set<String> values = new TreeSet<>();
        boolean pod = isBadProfile(spec, values);
        List<String> names = namesOf(container -> isBadProfile(container, values));
        List<String> all = new ArrayList<>();
        if (!setters(pod, names).isEmpty()) {
            all.add(setters(pod, names));
        }
        int annotations = 0;
        JsonNode given = Json.at(metadata, "annotations");
        for (Map.Entry<String, JsonNode> each :
                given == null ? Set.<Map.Entry<String, JsonNode>>of() : given.properties()) {
            String value = each.getValue().asText();
            boolean good = value.isEmpty() || value.equals("runtime/default") || value.startsWith("localhost/");
            if (each.getKey().startsWith(APPARMOR) && !good) {
                annotations++;
                values.add(each.getKey() + "=\"" + value + "\"");
            }
        }
        if (annotations > 0) {
            all.add(several("annotation", "annotations", annotations));
        }
        if (!all.isEmpty()) {
            report(
                    several("forbidden AppArmor profile", "forbidden AppArmor profiles", values.size()),
                    String.join(" and ", all) + " must not set AppArmor profile type to " + quoted(values));
        }
    }

    private static boolean isBadProfile(JsonNode holder, Set<String> values) {
        JsonNode type = Json.at(holder, "securityContext", "appArmorProfile", "type");
        if (type == null || PROFILES.contains(type.asText())) {
            return false;
        }
        values.add(type.asText());
        return true;
    }

    private static List<String> capabilities(JsonNode container, String list) {
        List<String> found = new ArrayList<>();
        Json.listAt(container, "securityContext", "capabilities", list).forEach(each -> found.add(each.asText()));
        return found;
    }

    private void baselineCapabilities() {
        Set<String> bad = new TreeSet<>();
        List<String> names = namesOf(container -> addsOther(container, BASELINE_CAPABILITIES, bad));
        if (!names.isEmpty()) {
            report(
                    "non-default capabilities",
                    containers(names) + " must not include " + quoted(bad) + " in securityContext.capabilities.add");
        }
    }

    private static boolean addsOther(JsonNode container, Set<String> allowed, Set<String> bad) {
        boolean found = false;
        for (String capability : capabilities(container, "add")) {
            if (!allowed.contains(capability)) {
                bad.add(capability);
                found = true;
            }
        }
        return found;
    }

    private void restrictedCapabilities() {
        Set<String> bad = new TreeSet<>();
        List<String> keeping =
                namesOf(container -> !capabilities(container, "drop").contains("ALL"));
        List<String> adding = namesOf(container -> addsOther(container, Set.of("NET_BIND_SERVICE"), bad));
        List<String> details = new ArrayList<>();
        if (!keeping.isEmpty()) {
            details.add(containers(keeping) + " must set securityContext.capabilities.drop=[\"ALL\"]");
        }
        if (!adding.isEmpty()) {
            details.add(
                    containers(adding) + " must not include " + quoted(bad) + " in securityContext.capabilities.add");
        }
        if (!details.isEmpty()) {
            report("unrestricted capabilities", String.join("; ", details));
        }
    }

    private void hostNamespaces() {
        List<String> used = new ArrayList<>();
        for (String field : List.of("hostNetwork", "hostPID", "hostIPC")) {
            if (Json.flagAt(spec, field)) {
                used.add(field + "=true");
            }
        }
        if (!used.isEmpty()) {
            report("host namespaces", String.join(", ", used));
        }
    }

    private void hostPaths() {
        List<String> names = new ArrayList<>();
        for (JsonNode volume : Json.listAt(spec, "volumes")) {
            if (volume.has("hostPath")) {
                names.add(Json.textAt(volume, "name"));
            }
        }
        if (!names.isEmpty()) {
            report("hostPath volumes", several("volume", "volumes", names.size()) + " " + quoted(names));
        }
    }

    private void hostPorts() {
        Set<String> ports = new TreeSet<>();
        List<String> names = namesOf(container -> {
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
            report(
                    "hostPort",
                    containers(names) + " " + verb + " " + several("hostPort", "hostPorts", ports.size()) + " "
                            + String.join(", ", ports));
        }
    }

    private void hostProbes() {
        Set<String> hosts = new TreeSet<>();
        List<String> names = namesOf(container -> {
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
            report(
                    "probe or lifecycle host",
                    containers(names) + " " + several("uses", "use", names.size()) + " probe or lifecycle "
                            + several("host", "hosts", hosts.size()) + " " + quoted(hosts));
        }
    }

    private void privileged() {
        List<String> names = namesOf(container -> Json.flagAt(container, "securityContext", "privileged"));
        if (!names.isEmpty()) {
            report("privileged", containers(names) + " must not set securityContext.privileged=true");
        }
    }

    private void procMount() {
        Set<String> types = new TreeSet<>();
        List<String> names = namesOf(container -> {
            String type = Json.textAt(container, "securityContext", "procMount");
            boolean bad = !type.isEmpty() && !type.equals("Default");
            if (bad) {
                types.add(type);
            }
            return bad;
        });
        if (!names.isEmpty()) {
            report("procMount", containers(names) + " must not set securityContext.procMount to " + quoted(types));
        }
    }

    private void seLinux() {
        Set<String> types = new TreeSet<>();
        Set<String> fields = new TreeSet<>();
        boolean pod = setsSeLinux(spec, types, fields);
        List<String> names = namesOf(container -> setsSeLinux(container, types, fields));
        if (!pod && names.isEmpty()) {
            return;
        }
        List<String> what = new ArrayList<>();
        if (!types.isEmpty()) {
            what.add(several("type", "types", types.size()) + " " + quoted(types));
        }
        for (String field : List.of("user", "role")) {
            if (fields.contains(field)) {
                what.add(field + " may not be set");
            }
        }
        report(
                "seLinuxOptions",
                setters(pod, names) + " set forbidden securityContext.seLinuxOptions: " + String.join("; ", what));
    }

    private static boolean setsSeLinux(JsonNode holder, Set<String> types, Set<String> fields) {
        JsonNode options = holder.path("securityContext").path("seLinuxOptions");
        boolean bad = false;
        String type = Json.textAt(options, "type");
        if (!SELINUX_TYPES.contains(type)) {
            types.add(type);
            bad = true;
        }
        for (String field : List.of("user", "role")) {
            if (!Json.textAt(options, field).isEmpty()) {
                fields.add(field);
                bad = true;
            }
        }
        return bad;
    }

    private void seccomp(boolean required) {
        Set<String> values = new TreeSet<>();
        JsonNode own = Json.at(spec, "securityContext", "seccompProfile", "type");
        boolean pod = own != null && isForbidden(own, values);
        List<String> bad = namesOf(container -> {
            JsonNode type = Json.at(container, "securityContext", "seccompProfile", "type");
            return type != null && isForbidden(type, values);
        });
        if (pod || !bad.isEmpty()) {
            report("seccompProfile", setters(pod, bad) + " must not set " + SECCOMP + " to " + quoted(values));
            return;
        }
        boolean covered = own != null;
        List<String> silent = namesOf(
                container -> !covered && Json.at(container, "securityContext", "seccompProfile", "type") == null);
        if (required && !silent.isEmpty()) {
            report(
                    "seccompProfile",
                    "pod or " + containers(silent) + " must set " + SECCOMP
                            + " to \"RuntimeDefault\" or \"Localhost\"");
        }
    }

    private static boolean isForbidden(JsonNode type, Set<String> values) {
        boolean bad = !PROFILES.contains(type.asText());
        if (bad) {
            values.add(type.asText());
        }
        return bad;
    }

    private void sysctls() {
        List<String> bad = new ArrayList<>();
        for (JsonNode sysctl : Json.listAt(spec, "securityContext", "sysctls")) {
            String name = Json.textAt(sysctl, "name");
            if (!SYSCTLS.contains(name)) {
                bad.add(name);
            }
        }
        if (!bad.isEmpty()) {
            report("forbidden sysctls", String.join(", ", bad));
        }
    }

    private void windowsHostProcess() {
        Predicate<JsonNode> asked = holder -> Json.flagAt(holder, "securityContext", "windowsOptions", "hostProcess");
        boolean pod = asked.test(spec);
        List<String> names = namesOf(asked);
        if (pod || !names.isEmpty()) {
            report(
                    "hostProcess",
                    setters(pod, names) + " must not set securityContext.windowsOptions.hostProcess=true");
        }
    }

    private void privilegeEscalation() {
        List<String> names = namesOf(container ->
                !(Json.at(container, "securityContext", "allowPrivilegeEscalation") instanceof BooleanNode may)
                        || may.booleanValue());
        if (!names.isEmpty()) {
            report(
                    "allowPrivilegeEscalation != false",
                    containers(names) + " must set securityContext.allowPrivilegeEscalation=false");
        }
    }

    private void volumes() {
        List<String> names = new ArrayList<>();
        Set<String> types = new TreeSet<>();
        for (JsonNode volume : Json.listAt(spec, "volumes")) {
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
            report(
                    "restricted volume types",
                    several("volume", "volumes", names.size()) + " " + quoted(names) + " "
                            + several("uses", "use", names.size()) + " restricted volume "
                            + several("type", "types", types.size()) + " " + quoted(types));
        }
    }

    private void runAsNonRoot() {
        JsonNode own = Json.at(spec, "securityContext", "runAsNonRoot");
        boolean pod = own != null && !own.booleanValue();
        List<String> bad =
                namesOf(container -> Json.at(container, "securityContext", "runAsNonRoot") instanceof BooleanNode set
                        && !set.booleanValue());
        String reason = "runAsNonRoot != true";
        if (pod || !bad.isEmpty()) {
            report(reason, setters(pod, bad) + " must not set securityContext.runAsNonRoot=false");
            return;
        }
        List<String> silent =
                namesOf(container -> own == null && Json.at(container, "securityContext", "runAsNonRoot") == null);
        if (!silent.isEmpty()) {
            report(reason, "pod or " + containers(silent) + " must set securityContext.runAsNonRoot=true");
        }
    }

    private void runAsUser() {
        Predicate<JsonNode> root = holder -> Json.longAt(holder, 1, "securityContext", "runAsUser") == 0;
        boolean pod = root.test(spec);
        List<String> names = namesOf(root);
        if (pod || !names.isEmpty()) {
            report("runAsUser=0", setters(pod, names) + " must not set runAsUser=0");
        }
    }
}
