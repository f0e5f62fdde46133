package lavaflow.kubelet;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import lavaflow.kube.Json;
import lavaflow.sandbox.ContainerSpec;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** Who a container runs as and what it may, from the security contexts of pod and container. */
final class ContainerRights {
    private static final String CONTEXT = "securityContext";

    private ContainerRights() {}

    /**
     * @param imageUser whom the image runs as
     * @param profiles directory of seccomp profiles
     */
    static ContainerSpec.Privileges of(PodView pod, PodView.Container container, String imageUser, Path profiles)
            throws ConfigurationException {
        JsonNode own = Json.at(container.spec(), CONTEXT);
        JsonNode shared = Json.at(pod.object(), "spec", CONTEXT);
        verifyUser(pod, container, imageUser);
        boolean privileged = Json.flagAt(own, "privileged");
        JsonNode escalation = Json.at(own, "allowPrivilegeEscalation");
        return new ContainerSpec.Privileges(
                user(own, shared, imageUser),
                groups(shared),
                privileged,
                escalation != null && !escalation.asBoolean(),
                names(own, "add"),
                names(own, "drop"),
                privileged ? "Unconfined" : seccomp(own, shared, profiles),
                Json.textAt(own, "procMount").equals("Unmasked"),
                Json.textAt(shared, "supplementalGroupsPolicy").equals("Strict"));
    }

    private static @Nullable JsonNode either(@Nullable JsonNode own, @Nullable JsonNode shared, String field) {
        JsonNode first = Json.at(own, field);
        return first == null ? Json.at(shared, field) : first;
    }

    private static String user(@Nullable JsonNode own, @Nullable JsonNode shared, String imageUser) {
        JsonNode user = either(own, shared, "runAsUser");
        JsonNode group = either(own, shared, "runAsGroup");
        String name = user == null ? imageUser : user.asText();
        if (group == null) {
            return name;
        }
        String alone = name.contains(":") ? name.substring(0, name.indexOf(':')) : name;
        return (alone.isEmpty() ? "0" : alone) + ":" + group.asText();
    }

    private static List<Long> groups(@Nullable JsonNode shared) {
        List<Long> groups = new ArrayList<>();
        Json.listAt(shared, "supplementalGroups").forEach(each -> groups.add(each.asLong()));
        JsonNode fsGroup = Json.at(shared, "fsGroup");
        if (fsGroup != null && !groups.contains(fsGroup.asLong())) {
            groups.add(fsGroup.asLong());
        }
        return groups;
    }

    private static List<String> names(@Nullable JsonNode own, String list) {
        List<String> names = new ArrayList<>();
        for (JsonNode each : Json.listAt(own, "capabilities", list)) {
            names.add(each.asText().toUpperCase(Locale.ROOT).replaceFirst("^CAP_", ""));
        }
        return names;
    }

    private static String seccomp(@Nullable JsonNode own, @Nullable JsonNode shared, Path profiles) {
        JsonNode profile = either(own, shared, "seccompProfile");
        return switch (Json.textAt(profile, "type")) {
            case "Unconfined" -> "Unconfined";
            case "Localhost" ->
                profiles.resolve(Json.textAt(profile, "localhostProfile")).toString();
            default -> "RuntimeDefault";
        };
    }

    private static void verifyUser(PodView pod, PodView.Container container, String imageUser)
            throws ConfigurationException {
        JsonNode own = Json.at(container.spec(), CONTEXT);
        JsonNode shared = Json.at(pod.object(), "spec", CONTEXT);
        JsonNode nonRoot = either(own, shared, "runAsNonRoot");
        if (nonRoot == null || !nonRoot.asBoolean()) {
            return;
        }
        String where = " (pod: \"" + pod.title() + "\", container: " + container.name() + ")";
        JsonNode user = either(own, shared, "runAsUser");
        if (user != null) {
            if (user.asLong() == 0) {
                throw new ConfigurationException("container's runAsUser breaks non-root policy" + where);
            }
            return;
        }
        String name = imageUser.contains(":") ? imageUser.substring(0, imageUser.indexOf(':')) : imageUser;
        if (name.isEmpty() || name.equals("0")) {
            throw new ConfigurationException("container has runAsNonRoot and image will run as root" + where);
        }
        if (!name.chars().allMatch(Character::isDigit)) {
            throw new ConfigurationException("container has runAsNonRoot and image has non-numeric user (" + name
                    + "), cannot verify user is non-root" + where);
        }
    }
}
