package lavaflow.kinds;

import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * The pod security standards a namespace asks for with its labels. Every version of a standard is judged by the newest
 * checks.
 */
public record PodSecurity(Standard enforce, Standard audit, Standard warn) {
    private static final String PREFIX = "pod-security.kubernetes.io/";
    private static final Pattern VERSION = Pattern.compile("latest|v1\\.(0|[1-9][0-9]*)");
    private static final List<String> LEVELS = List.of("privileged", "baseline", "restricted");

    /** A level in a version. */
    public record Standard(String level, String version) {
        static final Standard NONE = new Standard("privileged", "latest");

        /** Why a pod (its metadata and spec) does not meet the standard; empty where it does. */
        public List<PodSecurityChecks.Violation> violations(@Nullable JsonNode metadata, JsonNode spec) {
            return switch (level) {
                case "privileged" -> List.of();
                case "baseline" -> new PodSecurityChecks(metadata, spec).baseline();
                default -> new PodSecurityChecks(metadata, spec).restricted();
            };
        }

        boolean isStricterThan(Standard other) {
            return LEVELS.indexOf(level) > LEVELS.indexOf(other.level);
        }

        @Override
        public String toString() {
            return level + ":" + version;
        }
    }

    /** What the labels of a namespace ask for; who is not told to enforce a level warns of what is enforced. */
    public static PodSecurity of(@Nullable JsonNode labels) {
        Standard enforce = standard(labels, "enforce", Standard.NONE);
        return new PodSecurity(enforce, standard(labels, "audit", Standard.NONE), standard(labels, "warn", enforce));
    }

    private static Standard standard(@Nullable JsonNode labels, String mode, Standard otherwise) {
        String level = Json.textAt(labels, PREFIX + mode);
        String version = Json.textAt(labels, PREFIX + mode + "-version");
        if (level.isEmpty() && version.isEmpty()) {
            return otherwise;
        }
        // Upstream takes a level it does not know for the strictest.
        String known = level.isEmpty() ? otherwise.level : LEVELS.contains(level) ? level : "restricted";
        return new Standard(known, VERSION.matcher(version).matches() ? version : "latest");
    }

    /** Reports labels that mean nothing. */
    public static void check(@Nullable JsonNode labels, FieldErrors errors) {
        for (String mode : List.of("enforce", "audit", "warn")) {
            String level = Json.textAt(labels, PREFIX + mode);
            if (Json.at(labels, PREFIX + mode) != null && !LEVELS.contains(level)) {
                errors.invalid(place(mode), level, "must be one of " + String.join(", ", LEVELS));
            }
            String version = Json.textAt(labels, PREFIX + mode + "-version");
            if (Json.at(labels, PREFIX + mode + "-version") != null
                    && !VERSION.matcher(version).matches()) {
                errors.invalid(place(mode + "-version"), version, "must be \"latest\" or \"v1.x\"");
            }
        }
    }

    private static FieldPath place(String label) {
        return FieldPath.of("metadata", "labels").key(PREFIX + label);
    }

    /** Whether a namespace with these standards may have pods that were fine before and are not any more. */
    public boolean tightens(PodSecurity before) {
        return enforce.isStricterThan(before.enforce);
    }

    /** {@code PodSecurity "restricted:latest": reason (detail), ...}. */
    public static String described(Standard standard, List<PodSecurityChecks.Violation> violations) {
        return "PodSecurity \"" + standard + "\": "
                + violations.stream().map(PodSecurityChecks.Violation::toString).collect(Collectors.joining(", "));
    }

    /** Metadata and spec of the pods an object makes, or of the pod it is; null for all other kinds. */
    public static @Nullable JsonNode template(String bucket, ObjectNode object) {
        return switch (bucket) {
            case "pods" -> object;
            case "podtemplates" -> Json.at(object, "template");
            case "replicationcontrollers",
                    "apps/replicasets",
                    "apps/deployments",
                    "apps/statefulsets",
                    "apps/daemonsets",
                    "batch/jobs" -> Json.at(object, "spec", "template");
            case "batch/cronjobs" -> Json.at(object, "spec", "jobTemplate", "spec", "template");
            default -> null;
        };
    }

    /** Whether a changed pod has to be looked at again: only what runs in it counts. */
    public static boolean isSignificant(ObjectNode pod, ObjectNode old) {
        for (String list : List.of("containers", "initContainers", "ephemeralContainers")) {
            if (!Objects.equals(Json.at(pod, "spec", list), Json.at(old, "spec", list))) {
                return true;
            }
        }
        return false;
    }
}
