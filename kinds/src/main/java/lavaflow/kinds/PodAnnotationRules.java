package lavaflow.kinds;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Annotations of pods that mean something: mirrors of static pods, old forms of fields, the cost of deletion. */
final class PodAnnotationRules {
    static final String MIRROR = "kubernetes.io/config.mirror";
    private static final String TOLERATIONS = "scheduler.alpha.kubernetes.io/tolerations";
    private static final String DELETION_COST = "controller.kubernetes.io/pod-deletion-cost";
    private static final String SECCOMP_POD = "seccomp.security.alpha.kubernetes.io/pod";
    private static final String SECCOMP_CONTAINER = "container.seccomp.security.alpha.kubernetes.io/";
    private static final Pattern NUMBER = Pattern.compile("0|-0*[0-9]{1,10}|[1-9][0-9]{0,9}");

    private PodAnnotationRules() {}

    /** Annotations of a pod or a template. */
    static void check(ObjectNode holder, ObjectNode spec, FieldPath path, FieldErrors errors) {
        JsonNode annotations = Json.at(holder, "metadata", "annotations");
        JsonNode mirror = Json.at(annotations, MIRROR);
        if (mirror != null && Json.textAt(spec, "nodeName").isEmpty()) {
            errors.invalid(path.key(MIRROR), mirror, "must set spec.nodeName if mirror pod annotation is set");
        }
        tolerations(Json.textAt(annotations, TOLERATIONS), path, errors);
        JsonNode cost = Json.at(annotations, DELETION_COST);
        if (cost != null && !isDeletionCost(cost.asText())) {
            errors.invalid(path.key(DELETION_COST), cost, "must be a 32bit integer");
        }
        seccomp(annotations, path, errors);
        appArmor(annotations, spec, path, errors);
    }

    private static void tolerations(String text, FieldPath path, FieldErrors errors) {
        if (text.isEmpty()) {
            return;
        }
        try {
            JsonNode parsed = Json.parseUntrusted(text.getBytes(java.nio.charset.StandardCharsets.UTF_8));
            List<ObjectNode> tolerations = new ArrayList<>();
            for (JsonNode toleration : parsed) {
                tolerations.add(toleration instanceof ObjectNode object ? object : Json.object());
            }
            SchedulingRules.tolerations(tolerations, path.child(TOLERATIONS), errors);
        } catch (JsonProcessingException e) {
            // Upstream shows the words of its own parser, which ours cannot match.
            errors.invalid(path, TOLERATIONS, e.getOriginalMessage());
        }
    }

    /** A number without plus or zeros in front; upstream does not look behind a minus. */
    private static boolean isDeletionCost(String text) {
        if (!NUMBER.matcher(text).matches()) {
            return false;
        }
        long cost = Long.parseLong(text);
        return cost >= Integer.MIN_VALUE && cost <= Integer.MAX_VALUE;
    }

    private static void seccomp(@Nullable JsonNode annotations, FieldPath path, FieldErrors errors) {
        if (Nodes.has(annotations, SECCOMP_POD)) {
            seccompProfile(Json.textAt(annotations, SECCOMP_POD), path.child(SECCOMP_POD), errors);
        }
        for (Map.Entry<String, JsonNode> annotation : Nodes.entries(annotations).entrySet()) {
            if (annotation.getKey().startsWith(SECCOMP_CONTAINER)) {
                seccompProfile(annotation.getValue().asText(), path.child(annotation.getKey()), errors);
            }
        }
    }

    private static void seccompProfile(String profile, FieldPath path, FieldErrors errors) {
        if (profile.startsWith("localhost/")) {
            FieldChecks.descendingPath(profile.substring("localhost/".length()), path, errors);
        } else if (!List.of("runtime/default", "docker/default", "unconfined").contains(profile)) {
            errors.invalid(path, profile, "must be a valid seccomp profile");
        }
    }

    private static void appArmor(@Nullable JsonNode annotations, ObjectNode spec, FieldPath path, FieldErrors errors) {
        for (Map.Entry<String, JsonNode> annotation : Nodes.entries(annotations).entrySet()) {
            String key = annotation.getKey();
            if (!key.startsWith(AppArmor.ANNOTATION_PREFIX)) {
                continue;
            }
            String container = key.substring(AppArmor.ANNOTATION_PREFIX.length());
            if (PodSpecs.allContainers(spec).stream()
                    .noneMatch(found -> Json.textAt(found, "name").equals(container))) {
                errors.invalid(path.key(key), container, "container not found");
            }
            String profile = annotation.getValue().asText();
            boolean known =
                    List.of("", "runtime/default", "unconfined").contains(profile) || profile.startsWith("localhost/");
            if (!known) {
                errors.invalid(path.key(key), profile, "invalid AppArmor profile name: " + FieldErrors.quoted(profile));
            }
        }
    }

    /** What may not change once a pod exists. */
    static void update(ObjectNode pod, ObjectNode old, FieldPath path, FieldErrors errors) {
        JsonNode now = Json.at(pod, "metadata", "annotations");
        JsonNode before = Json.at(old, "metadata", "annotations");
        TreeSet<String> keys = new TreeSet<>(Nodes.entries(before).keySet());
        for (String key : keys) {
            if (!Json.textAt(before, key).equals(Json.textAt(now, key)) || !Nodes.has(now, key)) {
                frozen(
                        key,
                        "may not remove or update AppArmor annotations",
                        "may not remove or update mirror pod annotation",
                        path,
                        errors);
            }
        }
        for (String key : Nodes.entries(now).keySet()) {
            if (!keys.contains(key)) {
                frozen(key, "may not add AppArmor annotations", "may not add mirror pod annotation", path, errors);
            }
        }
        check(pod, Json.ensureObject(pod, "spec"), path, errors);
    }

    private static void frozen(
            String key, String aboutAppArmor, String aboutMirror, FieldPath path, FieldErrors errors) {
        if (key.startsWith(AppArmor.ANNOTATION_PREFIX)) {
            errors.forbidden(path.key(key), aboutAppArmor);
        }
        if (key.equals(MIRROR)) {
            errors.forbidden(path.key(key), aboutMirror);
        }
    }

    /** Where a new pod has both the annotation and the field of a profile, they must say the same. */
    static void matchFields(ObjectNode pod, FieldPath specPath, FieldErrors errors) {
        JsonNode annotations = Json.at(pod, "metadata", "annotations");
        ObjectNode spec = Json.ensureObject(pod, "spec");
        JsonNode ofPod = Json.at(spec, "securityContext", "seccompProfile");
        match(annotations, SECCOMP_POD, ofPod, "seccomp", specPath.child("securityContext", "seccompProfile"), errors);
        PodSpecs.visit(spec, specPath, (container, path) -> {
            String key = SECCOMP_CONTAINER + Json.textAt(container, "name");
            JsonNode own = Json.at(container, "securityContext", "seccompProfile");
            match(annotations, key, own, "seccomp", path.child("securityContext", "seccompProfile"), errors);
        });
        if (Json.textAt(spec, "os", "name").equals("windows")) {
            return;
        }
        JsonNode confinement = Json.at(spec, "securityContext", "appArmorProfile");
        PodSpecs.visit(spec, specPath, (container, path) -> {
            String key = AppArmor.ANNOTATION_PREFIX + Json.textAt(container, "name");
            JsonNode own = Json.at(container, "securityContext", "appArmorProfile");
            JsonNode profile = own == null ? confinement : own;
            match(annotations, key, profile, "apparmor", path.child("securityContext", "appArmorProfile"), errors);
        });
    }

    private static void match(
            @Nullable JsonNode annotations,
            String key,
            @Nullable JsonNode profile,
            String what,
            FieldPath path,
            FieldErrors errors) {
        if (profile == null || !Nodes.has(annotations, key)) {
            return;
        }
        String annotation = Json.textAt(annotations, key);
        String localhost = "localhost/";
        boolean sameType = switch (Json.textAt(profile, "type")) {
            case "Unconfined" -> annotation.equals("unconfined");
            case "RuntimeDefault" ->
                annotation.equals("runtime/default") || (what.equals("seccomp") && annotation.equals("docker/default"));
            case "Localhost" -> annotation.startsWith(localhost);
            default -> true;
        };
        if (!sameType) {
            errors.forbidden(path.child("type"), what + " type in annotation and field must match");
        } else if (Json.textAt(profile, "type").equals("Localhost")
                && !annotation.substring(localhost.length()).equals(Json.textAt(profile, "localhostProfile"))) {
            errors.forbidden(path.child("localhostProfile"), what + " profile in annotation and field must match");
        }
    }
}
