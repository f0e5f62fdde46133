package lavaflow.scheduler;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import lavaflow.kube.Json;
import lavaflow.kube.PodRequests;
import lavaflow.kube.Taint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Nodes by slot, their amounts in columns: one pod is compared with thousands of nodes by walking along a few arrays. A
 * slot stays a node's own as long as the node is there or has pods.
 */
final class NodeTable {
    private static final int FIRST_SLOTS = 16;
    private static final int REMEMBERED = 8192;

    /**
     * What a node is.
     *
     * @param known false while only pods speak of it
     */
    record Node(
            String name,
            ObjectNode labels,
            List<Taint> taints,
            boolean unschedulable,
            boolean known,
            Map<String, Long> allocatable) {
        static Node of(ObjectNode object) {
            ObjectNode labels = Json.objectAt(object, "metadata", "labels");
            return new Node(
                    Json.textAt(object, "metadata", "name"),
                    labels == null ? Json.object() : labels,
                    Taint.of(object),
                    Json.flagAt(object, "spec", "unschedulable"),
                    true,
                    PodRequests.amounts(Json.at(object, "status", "allocatable")));
        }

        static Node unknown(String name) {
            return new Node(name, Json.object(), List.of(), false, false, Map.of());
        }
    }

    /** The values of one label: equal numbers are equal values, -1 is none. */
    private static final class Label {
        private final Map<String, Integer> numbers = new HashMap<>();
        private int[] values = new int[0];
    }

    private final Columns columns;
    private final Map<String, Integer> slotOf = new HashMap<>();
    private final Map<String, Label> labels = new HashMap<>();
    private Node[] nodes = new Node[FIRST_SLOTS];
    private int[] versions = new int[FIRST_SLOTS];
    private long[][] allocatable = new long[0][];
    private long[][] requested = new long[0][];
    private long[] podLimits = new long[FIRST_SLOTS];
    private long[] comparedCpu = new long[FIRST_SLOTS];
    private long[] comparedMemory = new long[FIRST_SLOTS];
    private final List<List<PlacedPod>> pods = new ArrayList<>();
    private final List<Integer> free = new ArrayList<>();
    private int slots;
    private int known;
    private int lastVersion;
    private int disliked;
    /** Changes with whatever runs on a node; never zero once it is in use. */
    private int[] loads = new int[FIRST_SLOTS];
    /** The slots that changed last, in a ring. */
    private final int[] log = new int[REMEMBERED];

    private long changes;

    NodeTable(Columns columns) {
        this.columns = columns;
    }

    /** One more than the highest slot in use. */
    int slots() {
        return slots;
    }

    /** How many nodes there are. */
    int size() {
        return known;
    }

    /** Changes whenever the node does; never zero. */
    int version(int slot) {
        return versions[slot];
    }

    /** Changes with the node and with whatever runs there. */
    int load(int slot) {
        return loads[slot];
    }

    /** How many changes of nodes or what runs there have been. */
    long changes() {
        return changes;
    }

    /** Whether all changes from one on can be told. */
    boolean remembers(long change) {
        return changes - change <= REMEMBERED;
    }

    /** The slot that a change was about. */
    int changed(long change) {
        return log[(int) (change % REMEMBERED)];
    }

    private void note(int slot) {
        loads[slot]++;
        log[(int) (changes++ % REMEMBERED)] = slot;
    }

    Node node(int slot) {
        return nodes[slot];
    }

    boolean isKnown(int slot) {
        Node node = nodes[slot];
        return node != null && node.known();
    }

    /** Whether some node asks pods to go elsewhere if they can. */
    boolean someDisliked() {
        return disliked > 0;
    }

    @Nullable
    Integer find(String name) {
        return slotOf.get(name);
    }

    /** The slot of a node, also of one nobody has told us of yet. */
    int slot(String name) {
        Integer found = slotOf.get(name);
        return found != null ? found : put(Node.unknown(name));
    }

    private static boolean isDisliked(@Nullable Node node) {
        return node != null
                && node.taints().stream().anyMatch(taint -> taint.effect().equals(Taint.PREFER_NO_SCHEDULE));
    }

    int put(Node node) {
        Integer found = slotOf.get(node.name());
        int slot = found != null ? found : claim(node.name());
        Node before = nodes[slot];
        known += (node.known() ? 1 : 0) - (before != null && before.known() ? 1 : 0);
        disliked += (isDisliked(node) ? 1 : 0) - (isDisliked(before) ? 1 : 0);
        nodes[slot] = node;
        versions[slot] = ++lastVersion;
        note(slot);
        node.allocatable().keySet().forEach(columns::place);
        widen();
        for (int column = 0; column < allocatable.length; column++) {
            allocatable[column][slot] = node.allocatable().getOrDefault(columns.name(column), 0L);
        }
        podLimits[slot] = node.allocatable().getOrDefault("pods", 0L);
        labels.forEach(
                (key, label) -> label.values[slot] = number(label, node.labels().get(key)));
        return slot;
    }

    /** A node is gone; its pods may still be there for a while. */
    void remove(String name) {
        Integer slot = slotOf.get(name);
        if (slot != null) {
            put(Node.unknown(name));
            release(slot);
        }
    }

    private int claim(String name) {
        int slot;
        if (free.isEmpty()) {
            slot = slots++;
            if (slot == nodes.length) {
                grow(slot * 2);
            }
            pods.add(new ArrayList<>());
        } else {
            slot = free.removeLast();
        }
        slotOf.put(name, slot);
        return slot;
    }

    private void release(int slot) {
        Node node = nodes[slot];
        if (!node.known() && pods.get(slot).isEmpty()) {
            slotOf.remove(node.name());
            free.add(slot);
        }
    }

    private void grow(int size) {
        nodes = Arrays.copyOf(nodes, size);
        versions = Arrays.copyOf(versions, size);
        loads = Arrays.copyOf(loads, size);
        podLimits = Arrays.copyOf(podLimits, size);
        comparedCpu = Arrays.copyOf(comparedCpu, size);
        comparedMemory = Arrays.copyOf(comparedMemory, size);
        for (int column = 0; column < allocatable.length; column++) {
            allocatable[column] = Arrays.copyOf(allocatable[column], size);
            requested[column] = Arrays.copyOf(requested[column], size);
        }
        labels.values().forEach(label -> {
            int from = label.values.length;
            label.values = Arrays.copyOf(label.values, size);
            Arrays.fill(label.values, from, size, -1);
        });
    }

    /** There may be resources we had not heard of. */
    private void widen() {
        int from = allocatable.length;
        if (from == columns.size()) {
            return;
        }
        allocatable = Arrays.copyOf(allocatable, columns.size());
        requested = Arrays.copyOf(requested, columns.size());
        for (int column = from; column < columns.size(); column++) {
            allocatable[column] = new long[nodes.length];
            requested[column] = new long[nodes.length];
        }
    }

    /** The values of a label by slot. */
    int[] values(String key) {
        return labels.computeIfAbsent(key, _ -> {
                    Label label = new Label();
                    label.values = new int[nodes.length];
                    Arrays.fill(label.values, -1);
                    for (int slot = 0; slot < slots; slot++) {
                        label.values[slot] = number(label, nodes[slot].labels().get(key));
                    }
                    return label;
                })
                .values;
    }

    /** How many values of a label have been seen. */
    int valueCount(String key) {
        values(key);
        Label label = labels.get(key);
        return label == null ? 0 : label.numbers.size();
    }

    private static int number(Label label, @Nullable JsonNode value) {
        return value == null ? -1 : label.numbers.computeIfAbsent(value.asText(), _ -> label.numbers.size());
    }

    List<PlacedPod> pods(int slot) {
        return pods.get(slot);
    }

    void add(PlacedPod pod, int slot) {
        pods.get(slot).add(pod);
        count(pod.type(), slot, 1);
    }

    void remove(PlacedPod pod, int slot) {
        pods.get(slot).removeIf(each -> each.pod().uid().equals(pod.pod().uid()));
        count(pod.type(), slot, -1);
        release(slot);
    }

    private void count(PodClass type, int slot, int sign) {
        note(slot);
        widen();
        for (int column = 0; column < type.requests.length; column++) {
            requested[column][slot] += sign * type.requests[column];
        }
        comparedCpu[slot] += sign * type.comparedCpu;
        comparedMemory[slot] += sign * type.comparedMemory;
    }

    boolean hasRoom(PodClass type, int slot) {
        if (pods.get(slot).size() + 1 > podLimits[slot]) {
            return false;
        }
        long[] requests = type.requests;
        for (int column = 0; column < requests.length; column++) {
            long wanted = requests[column];
            if (wanted > 0
                    && (column >= allocatable.length || wanted > allocatable[column][slot] - requested[column][slot])) {
                return false;
            }
        }
        return true;
    }

    /** What is missing for a pod, in words; empty if nothing is. */
    List<String> missing(PodClass type, int slot) {
        List<String> missing = new ArrayList<>();
        if (pods.get(slot).size() + 1 > podLimits[slot]) {
            missing.add("Too many pods");
        }
        for (int column = 0; column < type.requests.length; column++) {
            long wanted = type.requests[column];
            if (wanted > 0
                    && (column >= allocatable.length || wanted > allocatable[column][slot] - requested[column][slot])) {
                missing.add("Insufficient " + columns.name(column));
            }
        }
        return missing;
    }

    /** Whether an empty node would have room. */
    boolean couldHaveRoom(PodClass type, int slot) {
        for (int column = 0; column < type.requests.length; column++) {
            long wanted = type.requests[column];
            if (wanted > 0 && (column >= allocatable.length || wanted > allocatable[column][slot])) {
                return false;
            }
        }
        return podLimits[slot] > 0;
    }

    /** What decides between nodes: what is left; where that is equal, the one with fewer pods. */
    long rank(PodClass type, int slot) {
        return (leftOver(type, slot) << 32) - pods.get(slot).size();
    }

    /** How much would be left, from 0 to 100, the mean of processor and memory. */
    long leftOver(PodClass type, int slot) {
        long cpu = share(allocatable[Columns.CPU][slot], comparedCpu[slot] + type.comparedCpu);
        long memory = share(allocatable[Columns.MEMORY][slot], comparedMemory[slot] + type.comparedMemory);
        return (cpu + memory) / 2;
    }

    private static long share(long capacity, long used) {
        return capacity == 0 || used > capacity ? 0 : (capacity - used) * 100 / capacity;
    }
}
