package lavaflow.kinds;

import java.util.List;

import lavaflow.kube.ApiException;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;
import lavaflow.kube.MalformedException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Deleting a pod unless a disruption budget protects it: {@code pods/eviction}.
 *
 * <p>The caller reads the pod and the budgets of its namespace, acts on the {@link Decision}, marks the pod with {@link
 * #mark} and deletes it with the options of the Eviction. A conflict means to read and decide again.
 */
public final class PodEviction {
    private static final int MOST_DISRUPTED_PODS = 2000;
    private static final int RETRY_SECONDS = 10;
    private static final String VIOLATION = "Cannot evict pod as it would violate the pod's disruption budget.";

    /** What to do with a pod someone wants evicted. */
    public sealed interface Decision {
        /**
         * Nothing stands against it.
         *
         * @param onlyThisVersion the decision rests on the pod's state: delete only at the resourceVersion that was read
         */
        record Delete(boolean onlyThisVersion) implements Decision {}

        /**
         * Write the status of a budget first, at the resourceVersion that was read, then delete.
         *
         * @param budget the budget with one disruption less to give
         */
        record Spend(ObjectNode budget) implements Decision {}

        /** Not now, or not at all. */
        record Refuse(ApiException answer) implements Decision {}
    }

    private PodEviction() {}

    /** Refuses an Eviction that is wrong in itself; {@code name} is that of the pod in the URL. */
    public static void check(String name, ObjectNode eviction) throws ApiException {
        if (!name.equals(Json.textAt(eviction, "metadata", "name"))) {
            throw ApiException.badRequest("name in URL does not match name in Eviction object");
        }
    }

    /**
     * Decides about a pod.
     *
     * @param budgets the PodDisruptionBudgets of its namespace
     * @param now when, in RFC 3339
     */
    public static Decision decide(ObjectNode pod, List<ObjectNode> budgets, String now) {
        String phase = Json.textAt(pod, "status", "phase");
        boolean leaving = Nodes.has(pod, "metadata", "deletionTimestamp");
        if (leaving || phase.equals("Succeeded") || phase.equals("Failed")) {
            return new Decision.Delete(false);
        }
        if (phase.equals("Pending")) {
            return new Decision.Delete(true);
        }
        List<ObjectNode> matching =
                budgets.stream().filter(budget -> protects(budget, pod)).toList();
        if (matching.isEmpty()) {
            return new Decision.Delete(false);
        }
        if (matching.size() > 1) {
            return new Decision.Refuse(
                    ApiException.of(
                            500,
                            "",
                            "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."));
        }
        ObjectNode budget = matching.getFirst();
        return PodConditions.isTrue(pod, "Ready") || !sparesUnready(budget)
                ? spend(pod, budget, now)
                : new Decision.Delete(true);
    }

    private static boolean protects(ObjectNode budget, ObjectNode pod) {
        try {
            return LabelSelector.fromJson(Json.at(budget, "spec", "selector"))
                    .matches(Json.at(pod, "metadata", "labels"));
        } catch (MalformedException e) {
            return false;
        }
    }

    /** Whether pods that are not ready may go without counting: they do not serve anyone. */
    private static boolean sparesUnready(ObjectNode budget) {
        long desired = Json.longAt(budget, 0, "status", "desiredHealthy");
        long current = Json.longAt(budget, 0, "status", "currentHealthy");
        return Json.textAt(budget, "spec", "unhealthyPodEvictionPolicy").equals("AlwaysAllow")
                || (current >= desired && desired > 0);
    }

    private static Decision spend(ObjectNode pod, ObjectNode budget, String now) {
        String name = Json.textAt(budget, "metadata", "name");
        long allowed = Json.longAt(budget, 0, "status", "disruptionsAllowed");
        if (Json.longAt(budget, 0, "status", "observedGeneration") < Json.longAt(budget, 0, "metadata", "generation")) {
            return tooMany("The disruption budget " + name + " is still being processed by the server.", RETRY_SECONDS);
        }
        if (allowed < 0) {
            return forbidden(name, "pdb disruptions allowed is negative");
        }
        JsonNode disrupted = Json.at(budget, "status", "disruptedPods");
        if (disrupted != null && disrupted.size() > MOST_DISRUPTED_PODS) {
            return forbidden(name, "DisruptedPods map too big - too many evictions not confirmed by PDB controller");
        }
        if (allowed == 0) {
            return tooMany(whyNone(budget, name), 0);
        }
        ObjectNode changed = budget.deepCopy();
        ObjectNode status = Json.ensureObject(changed, "status");
        status.put("disruptionsAllowed", allowed - 1);
        Json.ensureObject(status, "disruptedPods").put(Json.textAt(pod, "metadata", "name"), now);
        if (allowed == 1) {
            exhausted(changed, now);
        }
        return new Decision.Spend(changed);
    }

    private static Decision forbidden(String budget, String why) {
        return new Decision.Refuse(ApiException.forbidden("policy", "poddisruptionbudget", budget, why));
    }

    private static Decision tooMany(String cause, int retrySeconds) {
        ApiException answer = ApiException.of(429, "TooManyRequests", VIOLATION);
        answer.cause("DisruptionBudget", cause, "");
        return new Decision.Refuse(retrySeconds == 0 ? answer : answer.retryAfter(retrySeconds));
    }

    private static String whyNone(ObjectNode budget, String name) {
        ObjectNode condition = PodConditions.find(budget, "DisruptionAllowed");
        String message = Json.textAt(condition, "message");
        String reason = Json.textAt(condition, "reason");
        boolean explained = Json.textAt(condition, "status").equals("False") && !message.isEmpty();
        long desired = Json.longAt(budget, 0, "status", "desiredHealthy");
        long current = Json.longAt(budget, 0, "status", "currentHealthy");
        String subject = "The disruption budget " + name;
        if (explained && reason.equals("SyncFailed")) {
            return subject + " does not allow evicting pods currently because it failed sync: " + message;
        }
        if (current <= desired) {
            return subject + " needs " + desired + " healthy pods and has " + current + " currently";
        }
        return subject + " does not allow evicting pods currently" + (explained ? " (" + reason + "): " + message : "");
    }

    /** The budget tells at once that it has nothing left, before its controller looks again. */
    private static void exhausted(ObjectNode budget, String now) {
        ObjectNode known = PodConditions.find(budget, "DisruptionAllowed");
        ObjectNode condition = known != null
                ? known
                : Json.ensureObject(budget, "status")
                        .withArray("/conditions")
                        .addObject()
                        .put("type", "DisruptionAllowed");
        if (!Json.textAt(condition, "status").equals("False")) {
            condition.put("lastTransitionTime", now);
        }
        condition.put("status", "False").put("reason", "InsufficientPods").put("message", "");
        condition.put("observedGeneration", Json.longAt(budget, 0, "status", "observedGeneration"));
    }

    /** Says in the pod's status why it goes, so that its controller does not count it as a failure of its own. */
    public static void mark(ObjectNode pod, String now) {
        PodConditions.set(pod, "DisruptionTarget", true, "EvictionByEvictionAPI", "Eviction API: evicting", now);
    }
}
