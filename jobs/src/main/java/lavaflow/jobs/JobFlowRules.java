package lavaflow.jobs;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Which JobFlows are refused, in the words of Volcano's webhook. Functions of values. */
public final class JobFlowRules {
    private static final String NO_ORDER = "jobflow Flow is not DAG";

    private JobFlowRules() {}

    /** Why a JobFlow may not be written; empty if it may. */
    public static String refusal(ObjectNode flow) {
        Map<String, List<String>> waitsFor = new LinkedHashMap<>();
        for (JsonNode each : Json.listAt(flow, "spec", "flows")) {
            List<String> targets = new ArrayList<>();
            Json.listAt(each, "dependsOn", "targets").forEach(target -> targets.add(target.asText()));
            waitsFor.put(Json.textAt(each, "name"), targets);
        }
        for (List<String> targets : waitsFor.values()) {
            for (String target : targets) {
                if (!waitsFor.containsKey(target)) {
                    return NO_ORDER + ": vertex is not defined: " + target;
                }
            }
        }
        return TaskGraph.isAcyclic(waitsFor) ? "" : NO_ORDER;
    }
}
