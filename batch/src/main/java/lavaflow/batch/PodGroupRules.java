package lavaflow.batch;

import java.util.function.Function;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** How PodGroups are completed and which are refused, in the words of Volcano's webhooks. Functions of values. */
public final class PodGroupRules {
    private static final String TWO_TIERS =
            "must not specify 'highestTierAllowed' and 'highestTierName' in networkTopology simultaneously.";

    private PodGroupRules() {}

    /** Puts a new group that names no queue into that of its namespace. */
    public static void complete(ObjectNode group, @Nullable ObjectNode namespace) {
        String queue = Json.textAt(group, "spec", "queue");
        String usual = namespace == null ? "" : Batch.annotation(namespace, Batch.QUEUE_NAME);
        if (!usual.isEmpty() && (queue.isEmpty() || queue.equals(Batch.USUAL_QUEUE))) {
            Json.ensureObject(group, "spec").put("queue", usual);
        }
    }

    /**
     * Why a new group may not be made; empty if it may.
     *
     * @param queues finds a queue by name, or null
     */
    public static String refusal(ObjectNode group, Function<String, @Nullable ObjectNode> queues) {
        StringBuilder problems = new StringBuilder(queue(group, queues));
        if (namesTwoTiers(Json.at(group, "spec", "networkTopology"))) {
            problems.append(TWO_TIERS);
        }
        for (JsonNode part : Json.listAt(group, "spec", "subGroupPolicy")) {
            if (namesTwoTiers(Json.at(part, "networkTopology"))) {
                problems.append("in subGroupPolicy '")
                        .append(Json.textAt(part, "name"))
                        .append("': ")
                        .append(TWO_TIERS);
            }
        }
        return problems.toString();
    }

    private static String queue(ObjectNode group, Function<String, @Nullable ObjectNode> queues) {
        String said = Json.textAt(group, "spec", "queue");
        String name = said.isEmpty() ? Batch.USUAL_QUEUE : said;
        ObjectNode queue = queues.apply(name);
        if (queue == null) {
            return "unable to find queue: queue.scheduling.volcano.sh \"" + name + "\" not found";
        }
        String state = Json.textAt(queue, "status", "state");
        // The controller has not looked at a queue without a state yet, and will find it open.
        return state.isEmpty() || state.equals("Open")
                ? ""
                : "can only submit PodGroup to queue with state `Open`, queue `" + name + "` status is `" + state
                        + "`. ";
    }

    private static boolean namesTwoTiers(@Nullable JsonNode topology) {
        return Json.at(topology, "highestTierAllowed") != null
                && !Json.textAt(topology, "highestTierName").isEmpty();
    }
}
