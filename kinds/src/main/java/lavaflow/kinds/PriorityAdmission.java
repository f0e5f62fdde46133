package lavaflow.kinds;

import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Turns the name of a priority class into the number that counts. */
public final class PriorityAdmission {
    private PriorityAdmission() {}

    /**
     * Sets the priority of a new pod.
     *
     * @param classes all priority classes
     * @return why it is forbidden; empty where it is not
     */
    public static String create(ObjectNode pod, List<ObjectNode> classes) {
        ObjectNode spec = Json.ensureObject(pod, "spec");
        String name = Json.textAt(spec, "priorityClassName");
        ObjectNode found = name.isEmpty() ? defaultClass(classes) : named(classes, name);
        if (found == null && !name.isEmpty()) {
            return "no PriorityClass with name " + name + " was found";
        }
        if (found != null) {
            spec.put("priorityClassName", Json.textAt(found, "metadata", "name"));
        }
        long priority = Json.longAt(found, 0, "value");
        JsonNode given = Json.at(spec, "priority");
        if (given != null && given.longValue() != priority) {
            return "the integer value of priority (" + given.longValue()
                    + ") must not be provided in pod spec; priority admission controller computed " + priority
                    + " from the given PriorityClass name";
        }
        spec.put("priority", priority);
        String policy = found == null ? "PreemptLowerPriority" : Json.textAt(found, "preemptionPolicy");
        return policy.isEmpty() ? "" : preemption(spec, policy);
    }

    private static String preemption(ObjectNode spec, String policy) {
        String given = Json.textAt(spec, "preemptionPolicy");
        if (!given.isEmpty() && !given.equals(policy)) {
            return "the string value of PreemptionPolicy (" + given
                    + ") must not be provided in pod spec; priority admission controller computed " + policy
                    + " from the given PriorityClass name";
        }
        spec.put("preemptionPolicy", policy);
        return "";
    }

    private static @Nullable ObjectNode named(List<ObjectNode> classes, String name) {
        for (ObjectNode each : classes) {
            if (Json.textAt(each, "metadata", "name").equals(name)) {
                return each;
            }
        }
        return null;
    }

    /** Of several defaults, which validation prevents, the one with the lowest value. */
    private static @Nullable ObjectNode defaultClass(List<ObjectNode> classes) {
        ObjectNode lowest = null;
        for (ObjectNode each : classes) {
            if (Json.flagAt(each, "globalDefault")
                    && (lowest == null || Json.longAt(each, 0, "value") < Json.longAt(lowest, 0, "value"))) {
                lowest = each;
            }
        }
        return lowest;
    }

    /** Keeps the priority of a pod that a client sends back without it. */
    public static void update(ObjectNode pod, ObjectNode old) {
        ObjectNode spec = Json.ensureObject(pod, "spec");
        for (String field : new String[] {"priority", "preemptionPolicy"}) {
            JsonNode before = Json.at(old, "spec", field);
            if (!Nodes.has(spec, field) && before != null) {
                spec.set(field, before);
            }
        }
    }

    /**
     * Whether a class may be the default.
     *
     * @param isNew whether it is being created
     * @return why it is forbidden; empty where it is not
     */
    public static String globalDefault(ObjectNode priorityClass, List<ObjectNode> classes, boolean isNew) {
        ObjectNode standing = Json.flagAt(priorityClass, "globalDefault") ? defaultClass(classes) : null;
        if (standing == null) {
            return "";
        }
        String name = Json.textAt(standing, "metadata", "name");
        return isNew || !name.equals(Json.textAt(priorityClass, "metadata", "name"))
                ? "PriorityClass " + name + " is already marked as default. Only one default can exist"
                : "";
    }
}
