package lavaflow.kinds;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** AppArmor profiles were annotations before they became fields; both forms are kept in step when a pod is created. */
final class AppArmor {
    static final String ANNOTATION_PREFIX = "container.apparmor.security.beta.kubernetes.io/";
    private static final String LOCALHOST = "localhost/";
    private static final int LONGEST_PROFILE_NAME = 4095;

    private AppArmor() {}

    /** The field an annotation stands for, or null where it stands for none. */
    static @Nullable ObjectNode profile(String annotation) {
        if (annotation.equals("unconfined")) {
            return Json.object().put("type", "Unconfined");
        }
        if (annotation.equals("runtime/default")) {
            return Json.object().put("type", "RuntimeDefault");
        }
        String name = annotation.startsWith(LOCALHOST) ? annotation.substring(LOCALHOST.length()) : "";
        return name.isEmpty() ? null : Json.object().put("type", "Localhost").put("localhostProfile", name);
    }

    /** Copies annotations to fields of containers that have none. */
    static void syncAnnotations(ObjectNode pod) {
        if (Json.textAt(pod, "spec", "os", "name").equals("windows")) {
            return;
        }
        ObjectNode ofPod = Json.objectAt(pod, "spec", "securityContext", "appArmorProfile");
        for (ObjectNode container : PodSpecs.allContainers(pod.get("spec"))) {
            String annotation = annotation(pod, container);
            ObjectNode profile = annotation == null ? null : valid(profile(annotation));
            boolean missing = !Nodes.has(container, "securityContext", "appArmorProfile");
            if (profile != null && missing && !profile.equals(ofPod)) {
                Json.ensureObject(container, "securityContext").set("appArmorProfile", profile);
            }
        }
    }

    /**
     * Warnings about annotations, given after {@link #syncAnnotations}.
     *
     * <p>Upstream warns while it copies, so a pod that had the annotation and the same field from the start hears
     * nothing there; here it does, since afterwards the two cannot be told apart.
     */
    static List<String> warnings(ObjectNode pod) {
        List<String> warnings = new ArrayList<>();
        if (Json.textAt(pod, "spec", "os", "name").equals("windows")) {
            return warnings;
        }
        ObjectNode ofPod = Json.objectAt(pod, "spec", "securityContext", "appArmorProfile");
        for (ObjectNode container : PodSpecs.allContainers(pod.get("spec"))) {
            String annotation = annotation(pod, container);
            if (annotation == null) {
                continue;
            }
            ObjectNode own = Json.objectAt(container, "securityContext", "appArmorProfile");
            ObjectNode profile = valid(profile(annotation));
            if (own == null ? profile == null || !profile.equals(ofPod) : own.equals(profile)) {
                String key = ANNOTATION_PREFIX + Json.textAt(container, "name");
                warnings.add(FieldPath.of("metadata", "annotations").key(key)
                        + ": deprecated since v1.30; use the \"appArmorProfile\" field instead");
            }
        }
        return warnings;
    }

    private static @Nullable String annotation(ObjectNode pod, ObjectNode container) {
        String key = ANNOTATION_PREFIX + Json.textAt(container, "name");
        JsonNode annotation = Json.at(pod, "metadata", "annotations", key);
        return annotation == null ? null : annotation.asText();
    }

    private static @Nullable ObjectNode valid(@Nullable ObjectNode profile) {
        String name = Json.textAt(profile, "localhostProfile");
        boolean bad = !name.equals(name.strip()) || name.length() > LONGEST_PROFILE_NAME;
        return bad ? null : profile;
    }
}
