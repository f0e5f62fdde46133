package lavaflow.kinds;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Reads the conditions of a job's status. */
final class JobConditions {
    private JobConditions() {}

    static boolean isTrue(@Nullable JsonNode status, String type) {
        for (ObjectNode condition : Nodes.objects(status, "conditions")) {
            if (Json.textAt(condition, "type").equals(type)
                    && Json.textAt(condition, "status").equals("True")) {
                return true;
            }
        }
        return false;
    }

    static boolean finished(@Nullable JsonNode status) {
        return isTrue(status, "Complete") || isTrue(status, "Failed");
    }
}
