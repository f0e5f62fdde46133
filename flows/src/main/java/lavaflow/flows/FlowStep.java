package lavaflow.flows;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * One Job of a flow.
 *
 * @param name of its template
 * @param targets the steps it waits for
 * @param probe what must be true of them instead of their end; null for their end
 * @param patch what is different from the template; null for nothing
 */
record FlowStep(
        String name,
        List<String> targets,
        @Nullable ObjectNode probe,
        @Nullable ObjectNode patch) {
    static List<FlowStep> of(ObjectNode flow) {
        List<FlowStep> steps = new ArrayList<>();
        for (JsonNode step : Json.listAt(flow, "spec", "flows")) {
            List<String> targets = new ArrayList<>();
            Json.listAt(step, "dependsOn", "targets").forEach(target -> targets.add(target.asText()));
            ObjectNode probe = Json.objectAt(step, "dependsOn", "probe");
            steps.add(new FlowStep(
                    Json.textAt(step, "name"),
                    targets,
                    probe == null || probe.isEmpty() ? null : probe,
                    Json.objectAt(step, "patch", "jobSpec")));
        }
        return steps;
    }

    String jobName(String flow) {
        return flow + "-" + name;
    }
}
