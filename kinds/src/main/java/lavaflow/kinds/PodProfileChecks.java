package lavaflow.kinds;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;

import static lavaflow.kinds.PodUnderCheck.containers;
import static lavaflow.kinds.PodUnderCheck.quoted;
import static lavaflow.kinds.PodUnderCheck.setters;
import static lavaflow.kinds.PodUnderCheck.several;

/** The profiles that confine the processes of a pod. */
final class PodProfileChecks {
    private static final Set<String> SELINUX_TYPES =
            Set.of("", "container_t", "container_init_t", "container_kvm_t", "container_engine_t");
    private static final Set<String> PROFILES = Set.of("RuntimeDefault", "Localhost");
    private static final String APPARMOR = "container.apparmor.security.beta.kubernetes.io/";
    private static final String SECCOMP = "securityContext.seccompProfile.type";

    private final PodUnderCheck checked;

    PodProfileChecks(PodUnderCheck checked) {
        this.checked = checked;
    }

    void appArmor() {
        Set<String> values = new TreeSet<>();
        boolean pod = isBadProfile(checked.spec, values);
        List<String> names = checked.namesOf(container -> isBadProfile(container, values));
        List<String> all = new ArrayList<>();
        if (!setters(pod, names).isEmpty()) {
            all.add(setters(pod, names));
        }
        int annotations = 0;
        JsonNode given = Json.at(checked.metadata, "annotations");
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
            checked.report(
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

    void seLinux() {
        Set<String> types = new TreeSet<>();
        Set<String> fields = new TreeSet<>();
        boolean pod = setsSeLinux(checked.spec, types, fields);
        List<String> names = checked.namesOf(container -> setsSeLinux(container, types, fields));
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
        checked.report(
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

    void seccomp(boolean required) {
        Set<String> values = new TreeSet<>();
        JsonNode own = Json.at(checked.spec, "securityContext", "seccompProfile", "type");
        boolean pod = own != null && isForbidden(own, values);
        List<String> bad = checked.namesOf(container -> {
            JsonNode type = Json.at(container, "securityContext", "seccompProfile", "type");
            return type != null && isForbidden(type, values);
        });
        if (pod || !bad.isEmpty()) {
            checked.report("seccompProfile", setters(pod, bad) + " must not set " + SECCOMP + " to " + quoted(values));
            return;
        }
        boolean covered = own != null;
        List<String> silent = checked.namesOf(
                container -> !covered && Json.at(container, "securityContext", "seccompProfile", "type") == null);
        if (required && !silent.isEmpty()) {
            checked.report(
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
}
