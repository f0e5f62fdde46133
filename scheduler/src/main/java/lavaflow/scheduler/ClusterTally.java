package lavaflow.scheduler;

import java.time.Instant;
import java.util.Collection;
import java.util.Set;

import lavaflow.gang.Gang;
import lavaflow.gang.GroupPhase;
import lavaflow.gang.Queue;
import lavaflow.gang.Stage;
import lavaflow.placement.ClusterState;
import lavaflow.placement.NodeTable;

import org.jspecify.annotations.Nullable;

/**
 * How much there is of everything that a scheduler looks at.
 *
 * @param readyNodes those that are not marked as out of order
 * @param placedPods that have a node, or were just given one
 * @param waitingPods that wait for a node
 * @param longest the gang that waits longest; null if none does
 * @param queues without the one above all others
 */
public record ClusterTally(
        int nodes,
        int readyNodes,
        int placedPods,
        int waitingPods,
        int runningGangs,
        int waitingGangs,
        @Nullable Waiting longest,
        int queues) {
    private static final String ROOT = "root";
    private static final Set<String> OUT_OF_ORDER =
            Set.of("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable");

    /**
     * A gang that waits.
     *
     * @param key its namespace and name
     */
    public record Waiting(String key, Instant since) implements Comparable<Waiting> {
        /** The oldest first. */
        @Override
        public int compareTo(Waiting other) {
            int byAge = since.compareTo(other.since);
            return byAge != 0 ? byAge : key.compareTo(other.key);
        }
    }

    static ClusterTally of(ClusterState cluster, int waiting) {
        NodeTable nodes = cluster.nodes();
        int ready = 0;
        for (int slot = 0; slot < nodes.slots(); slot++) {
            boolean works = nodes.isKnown(slot)
                    && nodes.node(slot).taints().stream().noneMatch(taint -> OUT_OF_ORDER.contains(taint.key()));
            ready += works ? 1 : 0;
        }
        return new ClusterTally(nodes.size(), ready, cluster.placedPods(), waiting, 0, 0, null, 0);
    }

    /** The same with gangs and their pods. */
    ClusterTally with(Collection<Gang> gangs, Collection<Queue> queues) {
        int pods = 0;
        int running = 0;
        int waiting = 0;
        Waiting first = null;
        for (Gang gang : gangs) {
            pods += gang.tally().of(Stage.PENDING) + gang.tally().of(Stage.PIPELINED);
            running += gang.phase() == GroupPhase.RUNNING ? 1 : 0;
            if (gang.phase() == GroupPhase.PENDING || gang.phase() == GroupPhase.INQUEUE) {
                waiting++;
                Waiting one = new Waiting(gang.spec().key(), gang.spec().created());
                first = first == null || one.compareTo(first) < 0 ? one : first;
            }
        }
        int own = (int) queues.stream()
                .filter(queue -> !queue.spec().name().equals(ROOT))
                .count();
        return new ClusterTally(nodes, readyNodes, placedPods, waitingPods + pods, running, waiting, first, own);
    }
}
