package lavaflow.scheduler;

import java.util.Map;
import java.util.stream.Collectors;

/** Says why no node would do, in the form of kube-scheduler. */
final class FitMessage {
    static final String NO_NODES = "no nodes available to schedule pods";

    /** The pod has no claims of devices. */
    static final String NO_CLAIMS = "no new claims to deallocate";
    /** It has, and they keep their devices. */
    static final String KEPT_CLAIMS = "still not schedulable";
    /** One gives them back. */
    static final String FREED_CLAIM = "deallocation of ResourceClaim completed";
    /** One that was made for what containers ask for goes. */
    static final String DELETED_CLAIM = "deletion of ResourceClaim completed";

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

    /** From one reason about claims of devices, which has nothing to do with nodes. */
    static String withoutDevices(int nodes, String reason) {
        String helpless = of(nodes, nodes + " Preemption is not helpful for scheduling");
        return withPreemption(of(nodes, reason), NO_CLAIMS, helpless);
    }

    /**
     * With what came of looking for pods to evict.
     *
     * @param claims what came, before that, of looking for claims that could give back their devices
     */
    static String withPreemption(String message, String claims, String found) {
        return message + " " + claims + ", preemption: " + found;
    }
}
