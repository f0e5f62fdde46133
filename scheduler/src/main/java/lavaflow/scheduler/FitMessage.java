package lavaflow.scheduler;

import java.util.Map;
import java.util.stream.Collectors;

/** Says why no node would do, in the form of kube-scheduler. */
final class FitMessage {
    static final String NO_NODES = "no nodes available to schedule pods";

    private FitMessage() {}

    /** From how many nodes had which reason. */
    static String of(int nodes, Map<String, Integer> reasons) {
        // Sorted as text, numbers included.
        String told = reasons.entrySet().stream()
                .map(entry -> entry.getValue() + " " + entry.getKey())
                .sorted()
                .collect(Collectors.joining(", "));
        return of(nodes, told);
    }

    private static String of(int nodes, String reason) {
        return "0/" + nodes + " nodes are available: " + reason + ".";
    }

    /** From one reason that has nothing to do with nodes. The end is what upstream's plugin of claims says then. */
    static String hopeless(int nodes, String reason) {
        return of(nodes, reason) + " not found";
    }

    /** With what came of looking for pods to evict, and before that for claims to give up, which we have none of. */
    static String withPreemption(String message, String found) {
        return message + " no new claims to deallocate, preemption: " + found;
    }
}
