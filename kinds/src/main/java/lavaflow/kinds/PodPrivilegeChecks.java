package lavaflow.kinds;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;

import static lavaflow.kinds.PodUnderCheck.containers;
import static lavaflow.kinds.PodUnderCheck.quoted;
import static lavaflow.kinds.PodUnderCheck.setters;

/** What the processes of a pod may do, and as whom they run. */
final class PodPrivilegeChecks {
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

    private final PodUnderCheck checked;

    PodPrivilegeChecks(PodUnderCheck checked) {
        this.checked = checked;
    }

    private static List<String> capabilities(JsonNode container, String list) {
        List<String> found = new ArrayList<>();
        Json.listAt(container, "securityContext", "capabilities", list).forEach(each -> found.add(each.asText()));
        return found;
    }

    void baselineCapabilities() {
        Set<String> bad = new TreeSet<>();
        List<String> names = checked.namesOf(container -> addsOther(container, BASELINE_CAPABILITIES, bad));
        if (!names.isEmpty()) {
            checked.report(
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

    void restrictedCapabilities() {
        Set<String> bad = new TreeSet<>();
        List<String> keeping =
                checked.namesOf(container -> !capabilities(container, "drop").contains("ALL"));
        List<String> adding = checked.namesOf(container -> addsOther(container, Set.of("NET_BIND_SERVICE"), bad));
        List<String> details = new ArrayList<>();
        if (!keeping.isEmpty()) {
            details.add(containers(keeping) + " must set securityContext.capabilities.drop=[\"ALL\"]");
        }
        if (!adding.isEmpty()) {
            details.add(
                    containers(adding) + " must not include " + quoted(bad) + " in securityContext.capabilities.add");
        }
        if (!details.isEmpty()) {
            checked.report("unrestricted capabilities", String.join("; ", details));
        }
    }

    void privileged() {
        List<String> names = checked.namesOf(container -> Json.flagAt(container, "securityContext", "privileged"));
        if (!names.isEmpty()) {
            checked.report("privileged", containers(names) + " must not set securityContext.privileged=true");
        }
    }

    void procMount() {
        Set<String> types = new TreeSet<>();
        List<String> names = checked.namesOf(container -> {
            String type = Json.textAt(container, "securityContext", "procMount");
            boolean bad = !type.isEmpty() && !type.equals("Default");
            if (bad) {
                types.add(type);
            }
            return bad;
        });
        if (!names.isEmpty()) {
            checked.report(
                    "procMount", containers(names) + " must not set securityContext.procMount to " + quoted(types));
        }
    }

    void privilegeEscalation() {
        List<String> names = checked.namesOf(container ->
                !(Json.at(container, "securityContext", "allowPrivilegeEscalation") instanceof BooleanNode may)
                        || may.booleanValue());
        if (!names.isEmpty()) {
            checked.report(
                    "allowPrivilegeEscalation != false",
                    containers(names) + " must set securityContext.allowPrivilegeEscalation=false");
        }
    }

    void runAsNonRoot() {
        JsonNode own = Json.at(checked.spec, "securityContext", "runAsNonRoot");
        boolean pod = own != null && !own.booleanValue();
        List<String> bad = checked.namesOf(
                container -> Json.at(container, "securityContext", "runAsNonRoot") instanceof BooleanNode set
                        && !set.booleanValue());
        String reason = "runAsNonRoot != true";
        if (pod || !bad.isEmpty()) {
            checked.report(reason, setters(pod, bad) + " must not set securityContext.runAsNonRoot=false");
            return;
        }
        List<String> silent = checked.namesOf(
                container -> own == null && Json.at(container, "securityContext", "runAsNonRoot") == null);
        if (!silent.isEmpty()) {
            checked.report(reason, "pod or " + containers(silent) + " must set securityContext.runAsNonRoot=true");
        }
    }

    void runAsUser() {
        Predicate<JsonNode> root = holder -> Json.longAt(holder, 1, "securityContext", "runAsUser") == 0;
        boolean pod = root.test(checked.spec);
        List<String> names = checked.namesOf(root);
        if (pod || !names.isEmpty()) {
            checked.report("runAsUser=0", setters(pod, names) + " must not set runAsUser=0");
        }
    }
}
