package lavaflow.kinds;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;

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

    /** Copies annotations to fields of containers that have none and returns the warnings due for it. */
    static List<String> syncAnnotations(ObjectNode pod) {
        List<String> warnings = new ArrayList<>();
        ObjectNode annotations = Json.objectAt(pod, "metadata", "annotations");
        if (annotations == null || Json.textAt(pod, "spec", "os", "name").equals("windows")) {
            return warnings;
        }
        ObjectNode ofPod = Json.objectAt(pod, "spec", "securityContext", "appArmorProfile");
        for (ObjectNode container : PodSpecs.allContainers(pod.get("spec"))) {
            String key = ANNOTATION_PREFIX + Json.textAt(container, "name");
            if (!annotations.has(key) || Nodes.has(container, "securityContext", "appArmorProfile")) {
                continue;
            }
            ObjectNode profile = valid(profile(Json.textAt(annotations, key)));
            if (profile != null && profile.equals(ofPod)) {
                continue;
            }
            if (profile != null) {
                Json.ensureObject(container, "securityContext").set("appArmorProfile", profile);
            }
            warnings.add(FieldPath.of("metadata", "annotations").key(key)
                    + ": deprecated since v1.30; use the \"appArmorProfile\" field instead");
        }
        return warnings;
    }

    private static @Nullable ObjectNode valid(@Nullable ObjectNode profile) {
        String name = Json.textAt(profile, "localhostProfile");
        boolean bad = !name.equals(name.strip()) || name.length() > LONGEST_PROFILE_NAME;
        return bad ? null : profile;
    }
}
