package lavaflow.kinds;

import java.util.List;
import java.util.regex.Pattern;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Fields that only one operating system understands. */
final class WindowsRules {
    private static final int CREDENTIAL_KIB = 64;
    private static final int DOMAIN_LENGTH = 256;
    private static final int USER_LENGTH = 104;
    private static final int LONGEST_MATCHED = 4096;
    private static final String NOT_FOR_WINDOWS = "cannot be set for a windows pod";
    private static final String NOT_FOR_LINUX = "windows options cannot be set for a linux pod";
    private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");
    private static final Pattern NETBIOS = Pattern.compile("[^\\\\/:*?\"<>|.][^\\\\/:*?\"<>|]{0,14}");
    private static final String DNS_PART = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?";
    private static final Pattern DNS = Pattern.compile(DNS_PART + "(?:\\." + DNS_PART + ")*");
    private static final Pattern BAD_USER = Pattern.compile("[\"/\\\\:;|=,+*?<>@\\[\\]]");
    private static final Pattern DOTS_AND_SPACES = Pattern.compile("[. ]+");

    /** Fields of a pod in upstream's order; those without a dot sit in the spec itself. */
    private static final List<String> LINUX_POD = List.of(
            "securityContext.appArmorProfile",
            "securityContext.seLinuxOptions",
            "hostUsers",
            "hostPID",
            "hostIPC",
            "securityContext.seccompProfile",
            "securityContext.fsGroup",
            "securityContext.fsGroupChangePolicy",
            "securityContext.sysctls",
            "shareProcessNamespace",
            "securityContext.runAsUser",
            "securityContext.runAsGroup",
            "securityContext.supplementalGroups",
            "securityContext.supplementalGroupsPolicy",
            "securityContext.seLinuxChangePolicy");

    private static final List<String> LINUX_CONTAINER = List.of(
            "appArmorProfile",
            "seLinuxOptions",
            "seccompProfile",
            "capabilities",
            "readOnlyRootFilesystem",
            "privileged",
            "allowPrivilegeEscalation",
            "procMount",
            "runAsUser",
            "runAsGroup");

    private WindowsRules() {}

    /** {@code spec.os} and what it rules out. */
    static void os(ObjectNode spec, FieldPath path, FieldErrors errors) {
        if (!Nodes.has(spec, "os")) {
            return;
        }
        String os = Json.textAt(spec, "os", "name");
        switch (os) {
            case "" -> errors.required(path.child("os", "name"));
            case "linux" -> linux(spec, path, errors);
            case "windows" -> windows(spec, path, errors);
            default -> errors.notSupported(path.child("os"), os, List.of("linux", "windows"));
        }
    }

    private static void linux(ObjectNode spec, FieldPath path, FieldErrors errors) {
        if (Nodes.has(spec, "securityContext", "windowsOptions")) {
            errors.forbidden(path.child("securityContext", "windowsOptions"), NOT_FOR_LINUX);
        }
        PodSpecs.visit(spec, path, (container, place) -> {
            if (Nodes.has(container, "securityContext", "windowsOptions")) {
                errors.forbidden(place.child("securityContext", "windowsOptions"), NOT_FOR_LINUX);
            }
        });
    }

    private static void windows(ObjectNode spec, FieldPath path, FieldErrors errors) {
        for (String field : LINUX_POD) {
            String[] steps = field.split("\\.", 0);
            JsonNode value = Json.at(spec, steps);
            boolean plain = field.equals("hostPID") || field.equals("hostIPC");
            if (plain ? value != null && value.booleanValue() : value != null) {
                errors.forbidden(path.child(steps), NOT_FOR_WINDOWS);
            }
        }
        PodSpecs.visit(spec, path, (container, place) -> {
            for (String field : LINUX_CONTAINER) {
                if (Nodes.has(container, "securityContext", field)) {
                    errors.forbidden(place.child("securityContext", field), NOT_FOR_WINDOWS);
                }
            }
        });
    }

    static void options(@Nullable JsonNode options, FieldPath path, FieldErrors errors) {
        JsonNode name = Json.at(options, "gmsaCredentialSpecName");
        if (name != null) {
            FieldPath place = path.child("gmsaCredentialSpecName");
            FieldChecks.invalid(place, name.asText(), Names.dns1123Subdomain(name.asText()), errors);
        }
        JsonNode credential = Json.at(options, "gmsaCredentialSpec");
        if (credential != null) {
            int length = Names.utf8Length(credential.asText());
            if (length == 0 || length > CREDENTIAL_KIB * 1024) {
                errors.invalid(
                        path.child("gmsaCredentialSpec"),
                        credential,
                        length == 0
                                ? "gmsaCredentialSpec cannot be an empty string"
                                : "gmsaCredentialSpec size must be under " + CREDENTIAL_KIB + " KiB");
            }
        }
        JsonNode user = Json.at(options, "runAsUserName");
        if (user != null) {
            userName(user, path.child("runAsUserName"), errors);
        }
    }

    private static void userName(JsonNode value, FieldPath path, FieldErrors errors) {
        String name = value.asText();
        String[] parts = name.split("\\\\", -1);
        if (name.isEmpty()) {
            errors.invalid(path, value, "runAsUserName cannot be an empty string");
        } else if (CONTROL.matcher(name).find()) {
            errors.invalid(path, value, "runAsUserName cannot contain control characters");
        } else if (parts.length > 2) {
            errors.invalid(path, value, "runAsUserName cannot contain more than one backslash");
        } else {
            if (parts.length == 2) {
                domain(parts[0], value, path, errors);
            }
            user(parts[parts.length - 1], value, path, errors);
        }
    }

    private static void domain(String domain, JsonNode value, FieldPath path, FieldErrors errors) {
        if (Names.utf8Length(domain) >= DOMAIN_LENGTH) {
            errors.invalid(path, value, "runAsUserName's Domain length must be under " + DOMAIN_LENGTH + " characters");
        }
        // Beyond this no name can be right, and matching recurses.
        boolean dns = domain.length() <= LONGEST_MATCHED && DNS.matcher(domain).matches();
        if (!dns && !NETBIOS.matcher(domain).matches()) {
            errors.invalid(path, value, "runAsUserName's Domain doesn't match the NetBios nor the DNS format");
        }
    }

    private static void user(String user, JsonNode value, FieldPath path, FieldErrors errors) {
        if (user.isEmpty()) {
            errors.invalid(path, value, "runAsUserName's User cannot be empty");
        } else if (Names.utf8Length(user) > USER_LENGTH) {
            errors.invalid(
                    path, value, "runAsUserName's User length must not be longer than " + USER_LENGTH + " characters");
        }
        if (DOTS_AND_SPACES.matcher(user).matches()) {
            errors.invalid(path, value, "runAsUserName's User cannot contain only periods or spaces");
        }
        if (BAD_USER.matcher(user).find()) {
            errors.invalid(
                    path, value, "runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]");
        }
    }

    /** Containers that run directly on the host: all of them or none, and only with the host's network. */
    static void hostProcess(ObjectNode spec, FieldPath path, FieldErrors errors) {
        JsonNode ofPod = Json.at(spec, "securityContext", "windowsOptions", "hostProcess");
        int[] counts = {0, 0};
        PodSpecs.visit(spec, path, (container, place) -> {
            counts[0]++;
            JsonNode own = Json.at(container, "securityContext", "windowsOptions", "hostProcess");
            if (ofPod != null && own != null && !ofPod.equals(own)) {
                errors.invalid(
                        place.child("securityContext", "windowsOptions", "hostProcess"),
                        own,
                        "pod hostProcess value must be identical if both are specified, was " + ofPod);
            }
            JsonNode effective = own == null ? ofPod : own;
            counts[1] += effective != null && effective.booleanValue() ? 1 : 0;
        });
        if (counts[1] == 0) {
            return;
        }
        if (counts[1] != counts[0]) {
            errors.invalid(
                    path,
                    "",
                    "If pod contains any hostProcess containers then all containers must be HostProcess containers");
        }
        if (!Json.flagAt(spec, "hostNetwork")) {
            errors.invalid(
                    path.child("hostNetwork"),
                    BooleanNode.FALSE,
                    "hostNetwork must be true if pod contains any hostProcess containers");
        }
    }
}
