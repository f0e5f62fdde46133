package lavaflow.jobs;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;

/** Which policies make no sense, alone or together. */
final class PolicyRules {
    private static final Set<String> EVENTS = ordered(
            "*", "PodFailed", "PodEvicted", "PodPending", "Unknown", "TaskCompleted", "TaskFailed", "JobUpdated");
    private static final Set<String> ACTIONS = ordered(
            "AbortJob",
            "RestartJob",
            "RestartTask",
            "RestartPod",
            "RestartPartition",
            "TerminateJob",
            "CompleteJob",
            "ResumeJob");

    private final String field;
    private final Set<String> events = new HashSet<>();
    private final Set<Long> exitCodes = new HashSet<>();

    private PolicyRules(String field) {
        this.field = field;
    }

    private static Set<String> ordered(String... words) {
        return new LinkedHashSet<>(List.of(words));
    }

    /** What is wrong with a list of policies, with what would be right; empty if nothing is. */
    static String refusal(Iterable<JsonNode> policies, String field) {
        List<String> problems = new PolicyRules(field).problems(policies);
        if (problems.isEmpty()) {
            return "";
        }
        String many = problems.size() == 1 ? "1 error occurred:" : problems.size() + " errors occurred:";
        return many + "\n\t* " + String.join("\n\t* ", problems) + "\n\n valid events are "
                + JobRules.shown(List.copyOf(EVENTS)) + ", valid actions are "
                + JobRules.shown(List.copyOf(ACTIONS)) + ";";
    }

    private List<String> problems(Iterable<JsonNode> policies) {
        List<String> problems = new ArrayList<>();
        for (JsonNode policy : policies) {
            String problem = problem(policy);
            if (!problem.isEmpty()) {
                problems.add(problem);
                break;
            }
        }
        if (events.contains(LifecyclePolicy.ANY_EVENT) && events.size() > 1) {
            problems.add("if there's * here, no other policy should be here");
        }
        return problems;
    }

    private String problem(JsonNode policy) {
        Set<String> said = new LinkedHashSet<>();
        Json.listAt(policy, "events").forEach(event -> said.add(event.asText()));
        String single = Json.textAt(policy, "event");
        if (!single.isEmpty()) {
            said.add(single);
        }
        JsonNode exitCode = Json.at(policy, "exitCode");
        if (exitCode == null) {
            return said.isEmpty() ? "either event and exitCode should be specified" : events(policy, said);
        }
        if (!said.isEmpty()) {
            return "must not specify event and exitCode simultaneously";
        }
        if (exitCode.asLong() == 0) {
            return "0 is not a valid error code";
        }
        return exitCodes.add(exitCode.asLong()) ? "" : "duplicate exitCode " + exitCode.asLong();
    }

    private String events(JsonNode policy, Set<String> said) {
        String action = Json.textAt(policy, "action");
        for (String event : said) {
            if (!EVENTS.contains(event)) {
                return invalid(event, "invalid policy event");
            }
            if (!ACTIONS.contains(action)) {
                return invalid(action, "invalid policy action");
            }
            if (!events.add(event)) {
                return "duplicate event " + event + "  across different policy";
            }
        }
        return "";
    }

    private String invalid(String value, String why) {
        return field + ": Invalid value: " + FieldErrors.quoted(value) + ": " + why;
    }
}
