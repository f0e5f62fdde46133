package lavaflow.kinds;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.ApiException;
import lavaflow.kube.BuiltinTypes;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;
import lavaflow.kube.PrintedForm;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Whether disruption budgets let a pod be evicted, and what an eviction leaves behind. */
public final class EvictionRules {
    /** More unconfirmed evictions than this mean that nobody watches over the budget. */
    private static final int MOST_UNCONFIRMED = 2_000;

    private static final int SOON_SECONDS = 10;
    private static final String ALLOWED_CONDITION = "DisruptionAllowed";

    /** The outcome of a question. */
    public sealed interface Decision {
        /** Nothing speaks against it, and no budget pays for it. */
        record Free() implements Decision {}

        /**
         * A budget pays for it: {@link #charge} it and store it before the pod is deleted.
         *
         * @param budget the PodDisruptionBudget as it was given
         */
        record Charged(ObjectNode budget) implements Decision {}

        /**
         * It may not happen now.
         *
         * @param answer what the client gets
         */
        record Refused(ApiException answer) implements Decision {}
    }

    private EvictionRules() {}

    /**
     * Decides on one pod.
     *
     * @param budgets every PodDisruptionBudget of the pod's namespace
     */
    public static Decision decide(ObjectNode pod, List<ObjectNode> budgets) {
        if (isGone(pod)) {
            return new Decision.Free();
        }
        List<ObjectNode> covering = covering(pod, budgets);
        if (covering.isEmpty()) {
            return new Decision.Free();
        }
        if (covering.size() > 1) {
            return new Decision.Refused(
                    ApiException.of(
                            500,
                            "",
                            "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."));
        }
        ObjectNode budget = covering.getFirst();
        return !isReady(pod) && unreadyMayGo(budget) ? new Decision.Free() : draw(budget);
    }

    /** Pods that do not run yet or no more, or that are leaving already, disturb nobody by going. */
    private static boolean isGone(ObjectNode pod) {
        return List.of("Pending", "Succeeded", "Failed").contains(Json.textAt(pod, "status", "phase"))
                || Nodes.has(pod, "metadata", "deletionTimestamp");
    }

    /** Whether a pod that no budget had to pay for may come to count as healthy before it is deleted. */
    public static boolean mayStillCount(ObjectNode pod) {
        return Json.textAt(pod, "status", "phase").equals("Pending")
                ? !Nodes.has(pod, "metadata", "deletionTimestamp")
                : !isGone(pod);
    }

    private static List<ObjectNode> covering(ObjectNode pod, List<ObjectNode> budgets) {
        List<ObjectNode> covering = new ArrayList<>();
        JsonNode labels = Json.at(pod, "metadata", "labels");
        for (ObjectNode budget : budgets) {
            LabelSelector selector = WorkloadChecks.readable(Json.at(budget, "spec", "selector"));
            if (selector != null && selector.matches(labels)) {
                covering.add(budget);
            }
        }
        return covering;
    }

    private static boolean isReady(ObjectNode pod) {
        return JobConditions.isTrue(Json.at(pod, "status"), "Ready");
    }

    /** A pod that serves nobody need not be kept, as long as enough others do. */
    private static boolean unreadyMayGo(ObjectNode budget) {
        if (Json.textAt(budget, "spec", "unhealthyPodEvictionPolicy").equals("AlwaysAllow")) {
            return true;
        }
        long desired = Json.longAt(budget, 0, "status", "desiredHealthy");
        return desired > 0 && Json.longAt(budget, 0, "status", "currentHealthy") >= desired;
    }

    private static Decision draw(ObjectNode budget) {
        String name = Json.textAt(budget, "metadata", "name");
        long generation = Json.longAt(budget, 0, "metadata", "generation");
        if (Json.longAt(budget, 0, "status", "observedGeneration") < generation) {
            return new Decision.Refused(
                    violation("The disruption budget " + name + " is still being processed by the server.")
                            .retryAfter(SOON_SECONDS));
        }
        long allowed = Json.longAt(budget, 0, "status", "disruptionsAllowed");
        if (allowed < 0) {
            return new Decision.Refused(forbidden(name, "pdb disruptions allowed is negative"));
        }
        JsonNode unconfirmed = Json.at(budget, "status", "disruptedPods");
        if (unconfirmed != null && unconfirmed.size() > MOST_UNCONFIRMED) {
            return new Decision.Refused(
                    forbidden(name, "DisruptedPods map too big - too many evictions not confirmed by PDB controller"));
        }
        return allowed == 0 ? new Decision.Refused(violation(exhausted(budget, name))) : new Decision.Charged(budget);
    }

    private static String exhausted(ObjectNode budget, String name) {
        ObjectNode condition = PodConditions.find(budget, ALLOWED_CONDITION);
        String reason = Json.textAt(condition, "reason");
        String message = Json.textAt(condition, "message");
        boolean explained = Json.textAt(condition, "status").equals("False") && !message.isEmpty();
        String subject = "The disruption budget " + name;
        if (explained && reason.equals("SyncFailed")) {
            return subject + " does not allow evicting pods currently because it failed sync: " + message;
        }
        long current = Json.longAt(budget, 0, "status", "currentHealthy");
        long desired = Json.longAt(budget, 0, "status", "desiredHealthy");
        if (current <= desired) {
            return subject + " needs " + desired + " healthy pods and has " + current + " currently";
        }
        return subject + " does not allow evicting pods currently" + (explained ? " (" + reason + "): " + message : "");
    }

    private static ApiException violation(String why) {
        return ApiException.of(
                        429, "TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.")
                .cause("DisruptionBudget", why, "");
    }

    private static ApiException forbidden(String budget, String why) {
        return ApiException.forbidden("policy", "poddisruptionbudget", budget, why);
    }

    /**
     * The budget after it paid for a pod: a new object, to be stored on condition that nothing else changed it.
     *
     * @param now RFC 3339 with seconds
     */
    public static ObjectNode charge(ObjectNode budget, String podName, String now) {
        ObjectNode charged = budget.deepCopy();
        ObjectNode status = Json.ensureObject(charged, "status");
        long left = Json.longAt(status, 0, "disruptionsAllowed") - 1;
        status.put("disruptionsAllowed", left);
        if (left == 0) {
            setExhausted(status, Json.longAt(budget, 0, "metadata", "generation"), now);
        }
        Json.ensureObject(status, "disruptedPods").put(podName, now);
        PrintedForm.restore(BuiltinTypes.instance(), "io.k8s.api.policy.v1.PodDisruptionBudget", charged);
        return charged;
    }

    private static void setExhausted(ObjectNode status, long generation, String now) {
        ArrayNode conditions = Json.listAt(status, "conditions").deepCopy();
        ObjectNode condition = conditionOf(conditions, ALLOWED_CONDITION);
        if (!Json.textAt(condition, "status").equals("False")) {
            condition.put("status", "False").put("lastTransitionTime", now);
        }
        condition
                .put("observedGeneration", generation)
                .put("reason", "InsufficientPods")
                .put("message", "");
        status.set("conditions", conditions);
    }

    private static ObjectNode conditionOf(ArrayNode conditions, String type) {
        for (JsonNode condition : conditions) {
            if (condition instanceof ObjectNode found
                    && Json.textAt(found, "type").equals(type)) {
                return found;
            }
        }
        return conditions.addObject().put("type", type);
    }

    /**
     * Marks a pod that is about to be deleted, so that whoever counts its failure knows why it ended.
     *
     * @param now RFC 3339 with seconds
     */
    public static void mark(ObjectNode pod, String now) {
        ObjectNode status = Json.ensureObject(pod, "status");
        ArrayNode conditions = Json.listAt(status, "conditions").deepCopy();
        ObjectNode condition = conditionOf(conditions, "DisruptionTarget");
        boolean changed = !Json.textAt(condition, "status").equals("True");
        condition.put("status", "True");
        condition.putNull("lastProbeTime");
        if (changed) {
            condition.put("lastTransitionTime", now);
        }
        condition.put("reason", "EvictionByEvictionAPI").put("message", "Eviction API: evicting");
        status.set("conditions", conditions);
    }
}
