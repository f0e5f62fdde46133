package lavaflow.kinds;

import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** scheduling.k8s.io/v1 PriorityClass. */
final class PriorityClassRules implements KindRules {
    /** The classes every cluster has, the only ones that may be called {@code system-…}. */
    static final Map<String, Long> SYSTEM =
            Map.of("system-node-critical", 2_000_001_000L, "system-cluster-critical", 2_000_000_000L);

    private static final long HIGHEST = 1_000_000_000L;

    /** It has a generation, which stays 1: there is no spec that could change. */
    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.GENERATION);
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        Nodes.defaultValue(object, "preemptionPolicy", Json.text("PreemptLowerPriority"));
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        String name = Json.textAt(object, "metadata", "name");
        long value = Json.longAt(object, 0, "value");
        Long known = SYSTEM.get(name);
        if (name.startsWith("system-")) {
            if (known == null || known != value) {
                String why = known == null
                        ? name + " is not a known system priority class"
                        : "value of " + name + " PriorityClass must be " + known;
                errors.forbidden(
                        FieldPath.of("metadata", "name"),
                        "priority class names with 'system-' prefix are reserved for system use only. error: " + why);
            }
        } else if (value > HIGHEST) {
            errors.forbidden(FieldPath.of("value"), "maximum allowed value of a user defined priority is " + HIGHEST);
        }
        FieldChecks.requireOneOf(
                Json.textAt(object, "preemptionPolicy"),
                List.of("PreemptLowerPriority", "Never"),
                FieldPath.of("preemptionPolicy"),
                errors);
    }

    /** Running pods keep the priority they were given, so a class must not change its meaning. */
    @Override
    public void validateUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        if (Json.longAt(object, 0, "value") != Json.longAt(old, 0, "value")) {
            errors.forbidden(FieldPath.of("value"), "may not be changed in an update.");
        }
        FieldChecks.immutable(
                Json.at(object, "preemptionPolicy"),
                Json.at(old, "preemptionPolicy"),
                FieldPath.of("preemptionPolicy"),
                errors);
    }

    @Override
    public @Nullable String refusalToDelete(ObjectNode object) {
        return SYSTEM.containsKey(Json.textAt(object, "metadata", "name"))
                ? "this is a system priority class and cannot be deleted"
                : null;
    }
}
