package lavaflow.scheduler;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Everything choosing a node depends on. Belongs to one thread. */
final class ClusterState {
    private static final int RANKINGS = 32;

    /** What decides which nodes are good where only room counts; shared by classes that differ in labels alone. */
    private record Demand(NodeChoice choice, List<Long> requests) {}

    private final Columns columns = new Columns();
    private final Map<String, ObjectNode> namespaceLabels = new HashMap<>();
    private final Map<ObjectNode, PodClass> classes = new HashMap<>();
    private final Map<ObjectNode, NodeChoice> choices = new HashMap<>();
    /** Pods that take room, by uid. */
    private final Map<String, PlacedPod> placed = new HashMap<>();
    /** Pods that wait for others to make room for them, by uid. */
    private final Map<String, PlacedPod> nominated = new LinkedHashMap<>();

    /** Of the demands that were asked for last. */
    private final Map<Demand, Ranking> rankings = new LinkedHashMap<>(32, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Demand, Ranking> eldest) {
            return size() > RANKINGS;
        }
    };

    private final NodeTable nodes = new NodeTable(columns);
    private final PodCounts counts = new PodCounts(namespaceLabels::get);
    private final Volumes volumes = new Volumes();
    /** How many pods on nodes use a claim, by its namespace and name. */
    private final Map<String, Integer> claimUsers = new HashMap<>();

    private final Map<String, DisruptionBudget> budgets = new LinkedHashMap<>();
    private long version = 1;

    NodeTable nodes() {
        return nodes;
    }

    PodCounts counts() {
        return counts;
    }

    Volumes volumes() {
        return volumes;
    }

    /** Changes whenever some pod might find another answer than before. */
    long version() {
        return version;
    }

    void touch() {
        version++;
    }

    // ---- classes ----

    /** The class of a pod, which counts as in use until {@link #release}. */
    PodClass retain(ObjectNode key) {
        PodClass type = classes.computeIfAbsent(key, this::made);
        type.pods++;
        return type;
    }

    private PodClass made(ObjectNode key) {
        NodeChoice choice = choices.computeIfAbsent(NodeChoice.key(key), NodeChoice::new);
        choice.classes++;
        return PodClass.of(key, columns, choice);
    }

    void release(PodClass type) {
        if (--type.pods == 0) {
            classes.remove(type.key);
            if (--type.choice.classes == 0) {
                choices.remove(type.choice.key);
            }
        }
    }

    Ranking ranking(PodClass type) {
        List<Long> requests = Arrays.stream(type.requests).boxed().toList();
        return rankings.computeIfAbsent(new Demand(type.choice, requests), _ -> new Ranking(type));
    }

    int classCount() {
        return classes.size();
    }

    // ---- nodes ----

    void putNode(NodeTable.Node node) {
        nodes.put(node);
        version++;
    }

    void removeNode(String name) {
        nodes.remove(name);
        version++;
    }

    // ---- pods ----

    @Nullable
    PlacedPod findPlaced(String uid) {
        return placed.get(uid);
    }

    /** A pod takes room on the node it names. */
    void place(ScheduledPod pod) {
        forget(pod.uid());
        PodClass type = retain(pod.key());
        PlacedPod entry = new PlacedPod(pod.of(type), type);
        placed.put(pod.uid(), entry);
        putOn(entry, nodes.slot(pod.node()));
        version++;
    }

    /** A pod takes no room any more; null if it took none. */
    @Nullable
    PlacedPod forget(String uid) {
        PlacedPod entry = placed.remove(uid);
        if (entry != null) {
            takeFrom(entry, nodes.slot(entry.pod().node()));
            release(entry.type());
            version++;
        }
        return entry;
    }

    /** For trying what would be: the pod stays known. */
    void putOn(PlacedPod entry, int slot) {
        nodes.add(entry, slot);
        counts.count(entry, slot, 1);
        countClaims(entry.type(), 1);
    }

    void takeFrom(PlacedPod entry, int slot) {
        counts.count(entry, slot, -1);
        nodes.remove(entry, slot);
        countClaims(entry.type(), -1);
    }

    private void countClaims(PodClass type, int change) {
        for (String claim : type.claims) {
            claimUsers.merge(
                    type.namespace + "/" + claim,
                    change,
                    (now, more) -> now + more == 0 ? null : Integer.valueOf(now + more));
        }
    }

    /** Whether a pod on some node uses a claim. */
    boolean isUsed(VolumeClaim claim) {
        return claimUsers.containsKey(claim.namespace() + "/" + claim.name());
    }

    // ---- nominations ----

    void nominate(ScheduledPod pod, String node) {
        endNomination(pod.uid());
        if (!node.isEmpty()) {
            nominated.put(pod.uid(), new PlacedPod(pod.on(node), retain(pod.key())));
            version++;
        }
    }

    void endNomination(String uid) {
        PlacedPod entry = nominated.remove(uid);
        if (entry != null) {
            release(entry.type());
            version++;
        }
    }

    /** The node others make room on for a pod; empty if none. */
    String nomination(String uid) {
        PlacedPod entry = nominated.get(uid);
        return entry == null ? "" : entry.pod().node();
    }

    boolean hasNominations() {
        return !nominated.isEmpty();
    }

    /** Pods that will come to a node and are at least as important as another one. */
    List<PlacedPod> expected(String node, ScheduledPod other) {
        List<PlacedPod> expected = new ArrayList<>();
        for (PlacedPod entry : nominated.values()) {
            boolean others = !entry.pod().uid().equals(other.uid());
            if (others && entry.pod().node().equals(node) && entry.pod().priority() >= other.priority()) {
                expected.add(entry);
            }
        }
        return expected;
    }

    /** Less important pods that were to come to a node and now have to look again. */
    List<ScheduledPod> displaced(String node, ScheduledPod by) {
        List<ScheduledPod> displaced = new ArrayList<>();
        for (PlacedPod entry : nominated.values()) {
            if (entry.pod().node().equals(node) && entry.pod().priority() < by.priority()) {
                displaced.add(entry.pod());
            }
        }
        return displaced;
    }

    // ---- the rest ----

    boolean contains(PodSet pods, PodClass type) {
        return pods.contains(type.namespace, namespaceLabels::get, type.labels);
    }

    void putNamespace(String name, @Nullable ObjectNode labels) {
        ObjectNode before = labels == null ? namespaceLabels.remove(name) : namespaceLabels.put(name, labels);
        if (labels != null && !labels.equals(before)) {
            counts.recount(nodes);
            version++;
        }
    }

    void putBudget(String key, @Nullable DisruptionBudget budget) {
        if (budget == null) {
            budgets.remove(key);
        } else {
            budgets.put(key, budget);
        }
    }

    List<DisruptionBudget> budgets() {
        return List.copyOf(budgets.values());
    }
}
