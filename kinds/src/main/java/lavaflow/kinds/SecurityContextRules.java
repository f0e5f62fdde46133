package lavaflow.kinds;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Identifiers;
import lavaflow.kube.Json;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Security contexts of pods and containers. Privileged containers are allowed, as on every usual cluster. */
final class SecurityContextRules {
    private static final List<String> PROFILE_TYPES = List.of("Localhost", "RuntimeDefault", "Unconfined");
    private static final int LONGEST_PROFILE_NAME = 4095;
    private static final int LONGEST_SYSCTL = 253;
    private static final String SYSCTL_SEGMENT = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
    private static final String SYSCTL = "^(" + SYSCTL_SEGMENT + "[\\./])*" + SYSCTL_SEGMENT + "$";
    /** The same set as {@link #SYSCTL}, without its nested repetition, which is slow on hostile input. */
    private static final Pattern SYSCTL_FAST = Pattern.compile("[a-z0-9]++(?:(?:[-_]++|[./])[a-z0-9]++)*+");

    private static final Set<String> IPC_SYSCTLS = Set.of(
            "kernel.sem",
            "kernel.shmall",
            "kernel.shmmax",
            "kernel.shmmni",
            "kernel.shm_rmid_forced",
            "kernel.shm",
            "kernel.msgmax",
            "kernel.msgmnb",
            "kernel.msgmni",
            "kernel.msg");

    private SecurityContextRules() {}

    static void container(ObjectNode container, boolean hostUsers, FieldPath path, FieldErrors errors) {
        JsonNode context = Json.at(container, "securityContext");
        if (context == null) {
            return;
        }
        id(context, "runAsUser", path, errors);
        id(context, "runAsGroup", path, errors);
        FieldChecks.optionalOneOf(context, "procMount", List.of("Default", "Unmasked"), path, errors);
        if (hostUsers && Json.textAt(context, "procMount").equals("Unmasked")) {
            errors.invalid(path.child("procMount"), "Unmasked", "`hostUsers` must be false to use `Unmasked`");
        }
        seccomp(Json.at(context, "seccompProfile"), path.child("seccompProfile"), errors);
        escalation(context, path, errors);
        WindowsRules.options(Json.at(context, "windowsOptions"), path.child("windowsOptions"), errors);
        appArmor(Json.at(context, "appArmorProfile"), path.child("appArmorProfile"), errors);
    }

    private static void escalation(JsonNode context, FieldPath path, FieldErrors errors) {
        JsonNode allowed = Json.at(context, "allowPrivilegeEscalation");
        if (allowed == null || allowed.booleanValue()) {
            return;
        }
        if (Json.flagAt(context, "privileged")) {
            errors.invalid(
                    path, shown(context), "cannot set `allowPrivilegeEscalation` to false and `privileged` to true");
        }
        for (String capability : Nodes.strings(context, "capabilities", "add")) {
            if (capability.equals("CAP_SYS_ADMIN")) {
                errors.invalid(
                        path,
                        shown(context),
                        "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN");
            }
        }
    }

    /** A security context in upstream's messages. */
    private static ObjectNode shown(JsonNode context) {
        ObjectNode shown = FieldChecks.goStruct(
                context,
                "Capabilities",
                "Privileged",
                "SELinuxOptions",
                "WindowsOptions",
                "RunAsUser",
                "RunAsGroup",
                "RunAsNonRoot",
                "ReadOnlyRootFilesystem",
                "AllowPrivilegeEscalation",
                "ProcMount",
                "SeccompProfile",
                "AppArmorProfile");
        JsonNode selinux = Json.at(context, "seLinuxOptions");
        if (selinux != null) {
            shown.set("SELinuxOptions", FieldChecks.goStruct(selinux, "User=", "Role=", "Type=", "Level="));
        }
        show(shown, "Capabilities", "Add", "Drop");
        show(shown, "SeccompProfile", "Type=", "LocalhostProfile");
        show(shown, "AppArmorProfile", "Type=", "LocalhostProfile");
        JsonNode windows = Json.at(context, "windowsOptions");
        if (windows != null) {
            ObjectNode options = Json.object();
            options.set("GMSACredentialSpecName", Json.at(windows, "gmsaCredentialSpecName"));
            options.set("GMSACredentialSpec", Json.at(windows, "gmsaCredentialSpec"));
            options.set("RunAsUserName", Json.at(windows, "runAsUserName"));
            options.set("HostProcess", Json.at(windows, "hostProcess"));
            shown.set("WindowsOptions", options);
        }
        return shown;
    }

    private static void show(ObjectNode shown, String field, String... inner) {
        JsonNode value = Json.at(shown, field);
        if (value != null) {
            shown.set(field, FieldChecks.goStruct(value, inner));
        }
    }

    static void pod(ObjectNode spec, FieldPath path, FieldErrors errors) {
        JsonNode context = Json.at(spec, "securityContext");
        id(context, "fsGroup", path, errors);
        id(context, "runAsUser", path, errors);
        id(context, "runAsGroup", path, errors);
        ArrayNode groups = Json.listAt(context, "supplementalGroups");
        for (int i = 0; i < groups.size(); i++) {
            id(groups.get(i), path.child("supplementalGroups").index(i), errors);
        }
        if (Json.flagAt(spec, "shareProcessNamespace") && Json.flagAt(spec, "hostPID")) {
            errors.invalid(
                    path.child("shareProcessNamespace"),
                    spec.get("shareProcessNamespace"),
                    "ShareProcessNamespace and HostPID cannot both be enabled");
        }
        sysctls(spec, path.child("sysctls"), errors);
        FieldChecks.optionalOneOf(context, "fsGroupChangePolicy", List.of("Always", "OnRootMismatch"), path, errors);
        seccomp(Json.at(context, "seccompProfile"), path.child("seccompProfile"), errors);
        WindowsRules.options(Json.at(context, "windowsOptions"), path.child("windowsOptions"), errors);
        appArmor(Json.at(context, "appArmorProfile"), path.child("appArmorProfile"), errors);
        FieldChecks.optionalOneOf(context, "supplementalGroupsPolicy", List.of("Merge", "Strict"), path, errors);
        FieldChecks.optionalOneOf(context, "seLinuxChangePolicy", List.of("Recursive"), path, errors);
    }

    private static void id(@Nullable JsonNode context, String field, FieldPath path, FieldErrors errors) {
        JsonNode id = Json.at(context, field);
        if (id != null) {
            id(id, path.child(field), errors);
        }
    }

    private static void id(JsonNode id, FieldPath path, FieldErrors errors) {
        for (String wrong : Identifiers.userId(id.longValue())) {
            errors.invalid(path, id, wrong);
        }
    }

    private static void sysctls(ObjectNode spec, FieldPath path, FieldErrors errors) {
        Set<String> seen = new HashSet<>();
        List<ObjectNode> sysctls = Nodes.objects(spec, "securityContext", "sysctls");
        for (int i = 0; i < sysctls.size(); i++) {
            FieldPath place = path.index(i).child("name");
            String name = Json.textAt(sysctls.get(i), "name");
            if (name.isEmpty()) {
                errors.required(place);
            } else if (Names.utf8Length(name) > LONGEST_SYSCTL
                    || !SYSCTL_FAST.matcher(name).matches()) {
                errors.invalid(
                        place, name, "must have at most " + LONGEST_SYSCTL + " characters and match regex " + SYSCTL);
            } else if (seen.contains(name)) {
                errors.duplicate(place, name);
            }
            seen.add(name);
            String namespace = namespace(name);
            if (Json.flagAt(spec, "hostNetwork") && namespace.equals("net")) {
                errors.invalid(place, name, "may not be specified when 'hostNetwork' is true");
            } else if (Json.flagAt(spec, "hostIPC") && namespace.equals("ipc")) {
                errors.invalid(place, name, "may not be specified when 'hostIPC' is true");
            }
        }
    }

    /** The kernel namespace a setting belongs to; dots and slashes trade places in the second way of writing names. */
    private static String namespace(String sysctl) {
        String name = sysctl;
        int dot = name.indexOf('.');
        int slash = name.indexOf('/');
        if (slash >= 0 && (dot < 0 || slash < dot)) {
            name = name.replace('.', '\0').replace('/', '.').replace('\0', '/');
        }
        if (name.startsWith("net.")) {
            return "net";
        }
        return IPC_SYSCTLS.contains(name) || name.startsWith("fs.mqueue.") ? "ipc" : "";
    }

    static void seccomp(@Nullable JsonNode profile, FieldPath path, FieldErrors errors) {
        if (profile == null) {
            return;
        }
        String type = Json.textAt(profile, "type");
        if (type.isEmpty()) {
            errors.required(path.child("type"), "type is required when seccompProfile is set");
        } else if (!PROFILE_TYPES.contains(type)) {
            errors.notSupported(path.child("type"), type, PROFILE_TYPES);
        }
        JsonNode file = Json.at(profile, "localhostProfile");
        FieldPath place = path.child("localhostProfile");
        if (!type.equals("Localhost")) {
            if (file != null) {
                errors.invalid(
                        place,
                        FieldChecks.goStruct(profile, "Type=", "LocalhostProfile"),
                        "can only be set when seccomp type is Localhost");
            }
        } else if (file == null) {
            errors.required(place, "must be set when seccomp type is Localhost");
        } else {
            FieldChecks.descendingPath(file.asText(), place, errors);
        }
    }

    static void appArmor(@Nullable JsonNode profile, FieldPath path, FieldErrors errors) {
        if (profile == null) {
            return;
        }
        String type = Json.textAt(profile, "type");
        JsonNode file = Json.at(profile, "localhostProfile");
        FieldPath place = path.child("localhostProfile");
        switch (type) {
            case "Localhost" -> {
                String name = file == null ? "" : file.asText();
                if (!name.equals(name.strip())) {
                    errors.invalid(place, name, "must not be padded with whitespace");
                } else if (name.isEmpty()) {
                    errors.required(place, "must be set when AppArmor type is Localhost");
                }
                if (Names.utf8Length(name) > LONGEST_PROFILE_NAME) {
                    errors.tooLong(place, LONGEST_PROFILE_NAME);
                }
            }
            case "RuntimeDefault", "Unconfined" -> {
                if (file != null) {
                    errors.invalid(place, file, "can only be set when AppArmor type is Localhost");
                }
            }
            case "" -> errors.required(path.child("type"), "type is required when appArmorProfile is set");
            default -> errors.notSupported(path.child("type"), type, PROFILE_TYPES);
        }
    }
}
