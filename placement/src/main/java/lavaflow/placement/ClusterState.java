package lavaflow.placement;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Everything choosing a node depends on. Belongs to one thread. */
public final class ClusterState {
    private static final int RANKINGS = 32;

    /** Hears of pods that take room and of those that give it back, whoever decided it. */
    public interface Listener {
        void placed(PlacedPod pod, int slot);

        void gone(PlacedPod pod, int slot);
    }

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
    private final Crowds crowds = new Crowds(nodes, counts);
    private final Volumes volumes;
    private final Devices devices;
    /** How many pods have a claim, by its place and the slot of their node. */
    private final Map<String, Map<Integer, Integer>> claimUsers = new HashMap<>();

    private final Map<String, DisruptionBudget> budgets = new LinkedHashMap<>();
    private long version = 1;
    private int backing;
    private @Nullable Listener listener;

    /** What nodes and pods are seen in, as of one moment: nobody changes it any more. */
    public record Scenery(
            Map<String, ObjectNode> namespaces,
            Map<String, DisruptionBudget> budgets,
            Volumes volumes,
            Devices devices) {}

    public ClusterState() {
        this(new Volumes(), new Devices());
    }

    private ClusterState(Volumes volumes, Devices devices) {
        this.volumes = volumes;
        this.devices = devices;
        columns.backedBy(devices::isBacked);
    }

    /** One without nodes and pods. */
    public static ClusterState in(Scenery scenery) {
        ClusterState state = new ClusterState(scenery.volumes, scenery.devices.copy());
        state.namespaceLabels.putAll(scenery.namespaces);
        state.budgets.putAll(scenery.budgets);
        return state;
    }

    public Scenery scenery() {
        return new Scenery(
                new HashMap<>(namespaceLabels), new LinkedHashMap<>(budgets), volumes.copy(), devices.copy());
    }

    /** Pods that take room, in no order. */
    public List<PlacedPod> placed() {
        return List.copyOf(placed.values());
    }

    /** How many pods take room. */
    public int placedPods() {
        return placed.size();
    }

    /** Tells one more party of pods that come and go; what is only tried is not told. */
    public void listen(Listener wanted) {
        listener = wanted;
    }

    public Columns columns() {
        return columns;
    }

    public NodeTable nodes() {
        return nodes;
    }

    PodCounts counts() {
        return counts;
    }

    public Crowds crowds() {
        return crowds;
    }

    public Volumes volumes() {
        return volumes;
    }

    public Devices devices() {
        return devices;
    }

    /** Claims that keep pods waiting which they were made for. */
    public List<DeviceClaim> takeStale() {
        return devices.takeStale().stream()
                .filter(claim -> !placed.containsKey(claim.owner()))
                .toList();
    }

    /** Changes whenever some pod might find another answer than before. */
    public long version() {
        return version;
    }

    public void touch() {
        version++;
    }

    // ---- classes ----

    /** The class of a pod, which counts as in use until {@link #release}. */
    public PodClass retain(ObjectNode key) {
        PodClass type = classes.computeIfAbsent(key, this::made);
        type.pods++;
        return type;
    }

    private PodClass made(ObjectNode key) {
        NodeChoice choice = choices.computeIfAbsent(NodeChoice.key(key), NodeChoice::new);
        choice.classes++;
        return PodClass.of(key, columns, choice);
    }

    public void release(PodClass type) {
        if (--type.pods == 0) {
            classes.remove(type.key);
            if (--type.choice.classes == 0) {
                choices.remove(type.choice.key);
            }
        }
    }

    /** Whether pods of a class need devices, as things are. */
    public boolean needsDevices(PodClass type) {
        return devices.areNeededBy(type);
    }

    /** Whether it asks for nothing but room: nothing of its neighbours, for no port, no volume and no device. */
    public boolean asksOnlyForRoom(PodClass type) {
        return type.asksOnlyForRoom() && !needsDevices(type);
    }

    public Ranking ranking(PodClass type) {
        if (backing != devices.backing()) {
            // Which nodes have room may be another question now.
            backing = devices.backing();
            rankings.clear();
        }
        return rankings.computeIfAbsent(new Demand(type.choice, type.demand), _ -> Ranking.byRoom(type, nodes));
    }

    public int classCount() {
        return classes.size();
    }

    // ---- nodes ----

    public void putNode(NodeTable.Node node) {
        nodes.put(node);
        version++;
    }

    public void removeNode(String name) {
        nodes.remove(name);
        version++;
    }

    // ---- pods ----

    @Nullable
    public PlacedPod findPlaced(String uid) {
        return placed.get(uid);
    }

    /** A pod takes room on the node it names. */
    public void place(ScheduledPod pod) {
        forget(pod.uid());
        PodClass type = retain(pod.key());
        int slot = nodes.slot(pod.node());
        put(new PlacedPod(pod.of(type, nodes.node(slot).name()), type), slot);
    }

    /**
     * A pod that took no room takes room on the node it names, and devices there if it needs some.
     *
     * @param type its class, which is in use
     */
    public PlacedPod place(ScheduledPod pod, PodClass type, int slot) {
        type.pods++;
        PlacedPod entry = new PlacedPod(pod, type);
        if (needsDevices(type)) {
            devices.take(pod, type, nodes.node(slot));
        }
        put(entry, slot);
        return entry;
    }

    private void put(PlacedPod entry, int slot) {
        placed.put(entry.pod().uid(), entry);
        putOn(entry, slot);
        version++;
        if (listener != null) {
            listener.placed(entry, slot);
        }
    }

    /** The same for a pod whose room is reserved. */
    public void placeReserved(ScheduledPod pod, PodClass type, int slot) {
        type.pods++;
        PlacedPod entry = new PlacedPod(pod, type);
        placed.put(pod.uid(), entry);
        nodes.addReserved(entry, slot);
        counts.count(entry, slot, 1);
        crowds.count(entry, slot, 1);
        countClaims(type, slot, 1);
        version++;
        if (listener != null) {
            listener.placed(entry, slot);
        }
    }

    /** Whether pods of a class care about nobody and nobody about them, so that it is enough to know how many there are. */
    public boolean isLonely(PodClass type) {
        return asksOnlyForRoom(type) && !crowds.concern(type) && counts.areIndifferentTo(type);
    }

    /** A pod takes no room any more; null if it took none. */
    @Nullable
    public PlacedPod forget(String uid) {
        PlacedPod entry = placed.remove(uid);
        if (entry != null) {
            devices.release(uid);
            int slot = nodes.slot(entry.pod().node());
            takeFrom(entry, slot);
            if (listener != null) {
                listener.gone(entry, slot);
            }
            release(entry.type());
            version++;
        }
        return entry;
    }

    /** For trying what would be: the pod stays known. */
    public void putOn(PlacedPod entry, int slot) {
        nodes.add(entry, slot);
        counts.count(entry, slot, 1);
        crowds.count(entry, slot, 1);
        countClaims(entry.type(), slot, 1);
    }

    public void takeFrom(PlacedPod entry, int slot) {
        counts.count(entry, slot, -1);
        crowds.count(entry, slot, -1);
        nodes.remove(entry, slot);
        countClaims(entry.type(), slot, -1);
    }

    private void countClaims(PodClass type, int slot, int change) {
        for (String claim : type.claims) {
            String place = type.namespace + "/" + claim;
            Map<Integer, Integer> users = claimUsers.computeIfAbsent(place, _ -> new TreeMap<>());
            users.merge(slot, change, (now, more) -> now + more == 0 ? null : Integer.valueOf(now + more));
            if (users.isEmpty()) {
                claimUsers.remove(place);
            }
        }
    }

    /** Where pods are that have a claim. */
    private List<NodeTable.Node> users(VolumeClaim claim) {
        return claimUsers.getOrDefault(claim.place(), Map.of()).keySet().stream()
                .map(nodes::node)
                .toList();
    }

    /** What pods of a class need of volumes; null if nothing. */
    Volumes.@Nullable Wanted volumesFor(PodClass type) {
        return type.claims.isEmpty() ? null : volumes.wanted(type, this::users);
    }

    // ---- nominations ----

    public void nominate(ScheduledPod pod, String node) {
        endNomination(pod.uid());
        if (!node.isEmpty()) {
            nominated.put(pod.uid(), new PlacedPod(pod.on(node), retain(pod.key())));
            version++;
        }
    }

    public void endNomination(String uid) {
        PlacedPod entry = nominated.remove(uid);
        if (entry != null) {
            release(entry.type());
            version++;
        }
    }

    /** The node others make room on for a pod; empty if none. */
    public String nomination(String uid) {
        PlacedPod entry = nominated.get(uid);
        return entry == null ? "" : entry.pod().node();
    }

    /** Pods that others make room for, each with its node. */
    public List<ScheduledPod> nominated() {
        return nominated.values().stream().map(PlacedPod::pod).toList();
    }

    boolean hasNominations() {
        return !nominated.isEmpty();
    }

    /**
     * Whether others make room on a node for some pod.
     *
     * @param which of which pods, by their uids, this is asked
     */
    public boolean isAwaited(String node, Predicate<String> which) {
        return nominated.values().stream()
                .anyMatch(entry -> entry.pod().node().equals(node)
                        && which.test(entry.pod().uid()));
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

    /**
     * Lets those who are expected on nodes have their room there while somebody decides who does not ask for them.
     *
     * @return who has it now, for {@link #rise}
     */
    public List<PlacedPod> seat() {
        if (nominated.isEmpty()) {
            return List.of();
        }
        List<PlacedPod> seated = new ArrayList<>();
        for (PlacedPod entry : nominated.values()) {
            Integer slot = nodes.find(entry.pod().node());
            if (slot != null && nodes.isKnown(slot)) {
                putOn(entry, slot);
                seated.add(entry);
            }
        }
        seated.forEach(entry -> nominated.remove(entry.pod().uid()));
        return seated;
    }

    /** Ends what {@link #seat} began. */
    public void rise(List<PlacedPod> seated) {
        for (PlacedPod entry : seated) {
            takeFrom(entry, nodes.slot(entry.pod().node()));
            nominated.put(entry.pod().uid(), entry);
        }
    }

    /** Less important pods that were to come to a node and now have to look again. */
    public List<ScheduledPod> displaced(String node, ScheduledPod by) {
        List<ScheduledPod> displaced = new ArrayList<>();
        for (PlacedPod entry : nominated.values()) {
            if (entry.pod().node().equals(node) && entry.pod().priority() < by.priority()) {
                displaced.add(entry.pod());
            }
        }
        return displaced;
    }

    // ---- the rest ----

    public boolean contains(PodSet pods, PodClass type) {
        return pods.contains(type.namespace, namespaceLabels::get, type.labels);
    }

    public void putNamespace(String name, @Nullable ObjectNode labels) {
        ObjectNode before = labels == null ? namespaceLabels.remove(name) : namespaceLabels.put(name, labels);
        if (labels != null && !labels.equals(before)) {
            counts.recount(nodes);
            version++;
        }
    }

    public void putBudget(String key, @Nullable DisruptionBudget budget) {
        if (budget == null) {
            budgets.remove(key);
        } else {
            budgets.put(key, budget);
        }
        // Who could not go before may have to now.
        version++;
    }

    public List<DisruptionBudget> budgets() {
        return List.copyOf(budgets.values());
    }
}
