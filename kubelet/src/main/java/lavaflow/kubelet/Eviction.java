package lavaflow.kubelet;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

import lavaflow.kube.Json;
import lavaflow.kube.PodRequests;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Which pod has to go when the node, or the pod itself, has used too much. Functions of values. */
final class Eviction {
    static final String REASON = "Evicted";
    static final String MEMORY = "memory";
    static final String DISK = "ephemeral-storage";
    static final String INODES = "inodes";
    static final String PROCESSES = "pids";
    private static final long MIB = 1 << 20;
    static final long LEAST_MEMORY = 100 * MIB;
    static final double LEAST_DISK = 0.10;
    private static final double LEAST_INODES = 0.05;
    private static final double LEAST_PROCESSES = 0.05;
    /** A tenth of a large disk is a lot: a node with so much left is not short of it. */
    static final long ENOUGH_DISK = 10L << 30;

    /**
     * A pod and what it uses.
     *
     * @param used by container, of the resource in question
     */
    record Candidate(PodView pod, Map<String, Long> used) {
        long total() {
            return used.values().stream().mapToLong(Long::longValue).sum();
        }

        long requested(String resource) {
            return PodRequests.of(pod.spec()).getOrDefault(resource, 0L);
        }

        long priority() {
            return Json.longAt(pod.object(), 0, "spec", "priority");
        }
    }

    /**
     * What a node has left of something.
     *
     * @param threshold below which there is too little
     */
    record Supply(String resource, long available, long threshold) {
        boolean isShort() {
            return available < threshold;
        }
    }

    private Eviction() {}

    static Supply memory(long available) {
        return new Supply(MEMORY, available, LEAST_MEMORY);
    }

    static Supply disk(long available, long total) {
        long tenth = (long) (LEAST_DISK * total);
        return new Supply(DISK, available, available < ENOUGH_DISK ? tenth : Math.min(tenth, ENOUGH_DISK));
    }

    /** @param total zero where the file system makes them as needed */
    static Supply inodes(long available, long total) {
        return new Supply(INODES, available, (long) (LEAST_INODES * total));
    }

    /** Kubelets look at these only when told to; a node nobody looks after must not let one pod take them all. */
    static Supply processes(long available, long total) {
        return new Supply(PROCESSES, available, (long) (LEAST_PROCESSES * total));
    }

    static NodeForm.Pressure pressure(List<Supply> supplies) {
        return new NodeForm.Pressure(
                isShortOf(supplies, MEMORY),
                isShortOf(supplies, DISK) || isShortOf(supplies, INODES),
                isShortOf(supplies, PROCESSES));
    }

    private static boolean isShortOf(List<Supply> supplies, String resource) {
        return supplies.stream().anyMatch(each -> each.resource().equals(resource) && each.isShort());
    }

    /**
     * Who goes first: those above their requests, then those of least priority, then those furthest above. Nobody requests
     * processes.
     */
    static @Nullable Candidate choose(List<Candidate> candidates, String resource) {
        List<Candidate> order = new ArrayList<>(candidates);
        order.removeIf(each -> isCritical(each.pod()));
        boolean requested = !resource.equals(PROCESSES);
        order.sort(Comparator.comparing((Candidate each) -> requested && each.total() <= each.requested(resource))
                .thenComparingLong(Candidate::priority)
                .thenComparingLong(each -> each.requested(resource) - each.total()));
        return order.isEmpty() ? null : order.getFirst();
    }

    /** What a cluster cannot do without, as priority classes of the system say. */
    static boolean isCritical(PodView pod) {
        return Json.longAt(pod.object(), 0, "spec", "priority") >= 2_000_000_000L;
    }

    static PodFacts.End forShortage(Candidate candidate, Supply shortage) {
        StringBuilder message = new StringBuilder("The node was low on resource: ")
                .append(shortage.resource())
                .append(". Threshold quantity: ")
                .append(amount(shortage, shortage.threshold()))
                .append(", available: ")
                .append(amount(shortage, shortage.available()))
                .append(". ");
        for (PodView.Container each : candidate.pod().containers(PodView.Role.MAIN)) {
            long used = candidate.used().getOrDefault(each.name(), 0L);
            long request = PodRequests.amounts(Json.at(each.spec(), "resources", "requests"))
                    .getOrDefault(shortage.resource(), 0L);
            if (used > request && isInBytes(shortage)) {
                message.append("Container ")
                        .append(each.name())
                        .append(" was using ")
                        .append(amount(used))
                        .append(", request is ")
                        .append(request == 0 ? "0" : amount(request))
                        .append(", has larger consumption of ")
                        .append(shortage.resource())
                        .append(". ");
            }
        }
        return new PodFacts.End(REASON, message.toString(), true);
    }

    private static boolean isInBytes(Supply supply) {
        return !supply.resource().equals(INODES) && !supply.resource().equals(PROCESSES);
    }

    private static String amount(Supply supply, long amount) {
        return isInBytes(supply) ? amount(amount) : Long.toString(amount);
    }

    private static String amount(long bytes) {
        return Quantity.of(bytes / 1024 * 1024, Quantity.Format.BINARY_SI).toString();
    }

    /**
     * Whether a pod has used more disk than it may.
     *
     * @param written by each container, into its root and its log
     * @param volumes all bytes of those on disk
     */
    static PodFacts.@Nullable End overDisk(PodView pod, Map<String, Long> written, long volumes) {
        for (PodView.Container each : pod.containers(PodView.Role.MAIN)) {
            JsonNode limit = Json.at(each.spec(), "resources", "limits", DISK);
            if (limit != null && written.getOrDefault(each.name(), 0L) > limit(each)) {
                return new PodFacts.End(
                        REASON,
                        "Container " + each.name() + " exceeded its local ephemeral storage limit \"" + limit.asText()
                                + "\". ",
                        true);
            }
        }
        long used = written.values().stream().mapToLong(Long::longValue).sum() + volumes;
        long limits = diskLimit(pod);
        if (limits > 0 && used > limits) {
            return new PodFacts.End(
                    REASON,
                    "Pod ephemeral local storage usage exceeds the total limit of containers " + amount(limits) + ". ",
                    true);
        }
        return null;
    }

    /** What a pod may have on disk; zero for as much as it likes. Containers without a limit are no reason to let the others go. */
    static long diskLimit(PodView pod) {
        long together = 0;
        long alone = 0;
        for (PodView.Container each : pod.containers()) {
            if (each.role() == PodView.Role.MAIN || each.isSidecar()) {
                together += limit(each);
            } else if (each.role() == PodView.Role.INIT) {
                alone = Math.max(alone, limit(each));
            }
        }
        return Math.max(together, alone);
    }

    private static long limit(PodView.Container container) {
        return PodRequests.amounts(Json.at(container.spec(), "resources", "limits"))
                .getOrDefault(DISK, 0L);
    }

    /** The condition of a pod that the node had to end. */
    static List<ObjectNode> condition(PodFacts.End end) {
        return List.of(Json.object()
                .put("type", "DisruptionTarget")
                .put("status", "True")
                .put("reason", "TerminationByKubelet")
                .put("message", end.message()));
    }
}
