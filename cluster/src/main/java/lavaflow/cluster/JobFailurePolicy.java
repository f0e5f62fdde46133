package lavaflow.cluster;

import java.util.List;
import java.util.stream.StreamSupport;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What a failed pod means to its job: {@code spec.podFailurePolicy}. The first rule that fits decides. Pure. */
final class JobFailurePolicy {
    /** What follows from a failure. */
    enum Action {
        COUNT,
        IGNORE,
        FAIL_INDEX,
        FAIL_JOB
    }

    /**
     * What the policy says of a pod.
     *
     * @param message why the job fails, empty unless it does
     */
    record Verdict(Action action, String message) {
        static final Verdict COUNT = new Verdict(Action.COUNT, "");

        boolean counts() {
            return action != Action.IGNORE;
        }
    }

    private final @Nullable JsonNode policy;

    private JobFailurePolicy(@Nullable JsonNode policy) {
        this.policy = policy;
    }

    static JobFailurePolicy of(ObjectNode job) {
        return new JobFailurePolicy(Json.at(job, "spec", "podFailurePolicy"));
    }

    boolean isPresent() {
        return policy != null;
    }

    /** Judges a pod that failed. */
    Verdict judge(JobPod pod) {
        int position = 0;
        for (JsonNode rule : Json.listAt(policy, "rules")) {
            String why = fit(rule, pod);
            if (why != null) {
                Action action = action(rule);
                String message = action == Action.FAIL_JOB ? why + " matching FailJob rule at index " + position : "";
                return new Verdict(action, message);
            }
            position++;
        }
        return Verdict.COUNT;
    }

    private static Action action(JsonNode rule) {
        return switch (Json.textAt(rule, "action")) {
            case "FailJob" -> Action.FAIL_JOB;
            case "FailIndex" -> Action.FAIL_INDEX;
            case "Ignore" -> Action.IGNORE;
            default -> Action.COUNT;
        };
    }

    /** How the pod fits a rule, in words; null if it does not. */
    private static @Nullable String fit(JsonNode rule, JobPod pod) {
        String place = pod.state().namespace() + "/" + pod.name();
        JsonNode codes = Json.at(rule, "onExitCodes");
        if (codes != null) {
            return pod.exits().stream()
                    .filter(exit -> fits(codes, exit))
                    .findFirst()
                    .map(exit -> "Container " + exit.container() + " for pod " + place + " failed with exit code "
                            + exit.code())
                    .orElse(null);
        }
        JsonNode patterns = Json.listAt(rule, "onPodConditions");
        return pod.conditions().stream()
                .filter(condition -> fits(patterns, condition))
                .findFirst()
                .map(condition -> "Pod " + place + " has condition " + condition.type())
                .orElse(null);
    }

    private static boolean fits(JsonNode codes, JobPod.Exit exit) {
        JsonNode container = Json.at(codes, "containerName");
        if (container != null && !container.asText().equals(exit.container())) {
            return false;
        }
        List<Long> values = StreamSupport.stream(Json.listAt(codes, "values").spliterator(), false)
                .map(JsonNode::asLong)
                .toList();
        return values.contains(exit.code()) == Json.textAt(codes, "operator").equals("In");
    }

    private static boolean fits(JsonNode patterns, JobPod.Condition condition) {
        for (JsonNode pattern : patterns) {
            if (Json.textAt(pattern, "type").equals(condition.type())
                    && Json.textAt(pattern, "status").equals(condition.status())) {
                return true;
            }
        }
        return false;
    }
}
