package lavaflow.fairness;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * A PriorityLevelConfiguration object.
 *
 * @param borrowingPercent of its nominal seats it may borrow from other levels, -1 without limit
 * @param queues 0 where requests beyond the limit are refused at once
 */
record LevelSettings(
        String name,
        String uid,
        boolean exempt,
        long shares,
        long lendablePercent,
        long borrowingPercent,
        int queues,
        int handSize,
        int queueLength) {

    static LevelSettings of(ObjectNode object) {
        boolean exempt = Json.textAt(object, "spec", "type").equals("Exempt");
        JsonNode part = Json.at(object, "spec", exempt ? "exempt" : "limited");
        boolean queuing = Json.textAt(part, "limitResponse", "type").equals("Queue");
        return new LevelSettings(
                Json.textAt(object, "metadata", "name"),
                Json.textAt(object, "metadata", "uid"),
                exempt,
                Json.longAt(part, exempt ? 0 : 30, "nominalConcurrencyShares"),
                Json.longAt(part, 0, "lendablePercent"),
                Json.longAt(part, -1, "borrowingLimitPercent"),
                queuing ? (int) Json.longAt(part, 64, "limitResponse", "queuing", "queues") : 0,
                (int) Json.longAt(part, 8, "limitResponse", "queuing", "handSize"),
                (int) Json.longAt(part, 50, "limitResponse", "queuing", "queueLengthLimit"));
    }
}
