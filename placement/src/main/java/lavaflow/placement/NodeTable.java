package lavaflow.placement;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import lavaflow.kube.Json;
import lavaflow.kube.PodRequests;
import lavaflow.kube.Taint;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Nodes by slot, their amounts in columns: one pod is compared with thousands of nodes by walking along a few arrays. A
 * slot stays a node's own as long as the node is there or has pods.
 */
public final class NodeTable {
    /** What is missing on a node that has as many pods as it takes. */
    public static final String TOO_MANY_PODS = "Too many pods";

    private static final int FIRST_SLOTS = 16;
    private static final int REMEMBERED = 8192;

    /**
     * What a node is.
     *
     * @param known false while only pods speak of it
     * @param annotations those that say something about devices
     */
    public record Node(
            String name,
            ObjectNode labels,
            List<Taint> taints,
            boolean unschedulable,
            boolean known,
            Map<String, Long> allocatable,
            Map<String, String> annotations,
            List<ImageTable.Image> images) {
        private static final String OURS = "volcano.sh/";

        public static Node of(ObjectNode object) {
            ObjectNode labels = Json.objectAt(object, "metadata", "labels");
            return new Node(
                    Json.textAt(object, "metadata", "name"),
                    labels == null ? Json.object() : labels,
                    Taint.of(object),
                    Json.flagAt(object, "spec", "unschedulable"),
                    true,
                    PodRequests.amounts(Json.at(object, "status", "allocatable")),
                    annotations(object),
                    ImageTable.Image.of(object));
        }

        private static Map<String, String> annotations(ObjectNode object) {
            ObjectNode all = Json.objectAt(object, "metadata", "annotations");
            Map<String, String> kept = new LinkedHashMap<>();
            if (all != null) {
                all.properties().forEach(each -> {
                    if (each.getKey().startsWith(OURS)) {
                        kept.put(each.getKey(), each.getValue().asText());
                    }
                });
            }
            return kept.isEmpty() ? Map.of() : kept;
        }

        /** The same without images, which are kept by number. */
        Node withoutImages() {
            return images.isEmpty() ? this : with(List.of());
        }

        private Node with(List<ImageTable.Image> others) {
            return new Node(name, labels, taints, unschedulable, known, allocatable, annotations, others);
        }

        /** The same where pods may be put. */
        public Node schedulable() {
            return new Node(name, labels, taints, false, known, allocatable, annotations, images);
        }

        public static Node unknown(String name) {
            return new Node(name, Json.object(), List.of(), false, false, Map.of(), Map.of(), List.of());
        }
    }

    private final Columns columns;
    private final Map<String, Integer> slotOf = new HashMap<>();
    private final NodeOrder order = new NodeOrder(slotOf);
    private Node[] nodes = new Node[FIRST_SLOTS];
    private int[] versions = new int[FIRST_SLOTS];
    private long[][] allocatable = new long[0][];
    private long[][] requested = new long[0][];
    private long[] podLimits = new long[FIRST_SLOTS];
    private long[] comparedCpu = new long[FIRST_SLOTS];
    private long[] comparedMemory = new long[FIRST_SLOTS];
    private final List<List<PlacedPod>> pods = new ArrayList<>();
    /** How many pods nodes have, also those that are only counted. */
    private int[] podCounts = new int[FIRST_SLOTS];

    private final List<Integer> free = new ArrayList<>();
    private final ImageTable images = new ImageTable();
    private int slots;
    private final NodeLabels labels = new NodeLabels(slot -> nodes[slot].labels(), () -> slots, FIRST_SLOTS);
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
    public int slots() {
        return slots;
    }

    /** How many nodes there are. */
    public int size() {
        return known;
    }

    /** Changes whenever the node does; never zero. */
    int version(int slot) {
        return versions[slot];
    }

    /** Changes whenever some node does. */
    public int lastVersion() {
        return lastVersion;
    }

    /** Changes with the node and with whatever runs there. */
    public int load(int slot) {
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

    /** Something else that matters for a node has changed. */
    public void touch(int slot) {
        note(slot);
    }

    private void note(int slot) {
        loads[slot]++;
        log[(int) (changes++ % REMEMBERED)] = slot;
    }

    // ---- in the order of names ----

    /** Changes whenever there is a node of another name. */
    int names() {
        return order.changes();
    }

    /** Where a slot is among all by name. */
    public int placeByName(int slot) {
        return order.place(slot, slots);
    }

    int slotByName(int place) {
        return order.slot(place, slots);
    }

    /** Which nodes have which images. */
    public ImageTable images() {
        return images;
    }

    public Node node(int slot) {
        return nodes[slot];
    }

    /** The nodes there are, whole, in the order of their slots. */
    public List<Node> all() {
        List<Node> all = new ArrayList<>();
        for (int slot = 0; slot < slots; slot++) {
            if (isKnown(slot)) {
                all.add(nodes[slot].with(images.of(slot)));
            }
        }
        return all;
    }

    public boolean isKnown(int slot) {
        Node node = nodes[slot];
        return node != null && node.known();
    }

    /** Whether some node asks pods to go elsewhere if they can. */
    boolean someDisliked() {
        return disliked > 0;
    }

    @Nullable
    public Integer find(String name) {
        return slotOf.get(name);
    }

    /** The slot of a node, also of one nobody has told us of yet. */
    public int slot(String name) {
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
        nodes[slot] = node.withoutImages();
        images.put(slot, node.images());
        versions[slot] = ++lastVersion;
        note(slot);
        node.allocatable().keySet().forEach(columns::place);
        widen();
        for (int column = 0; column < allocatable.length; column++) {
            allocatable[column][slot] = node.allocatable().getOrDefault(columns.name(column), 0L);
        }
        podLimits[slot] = node.allocatable().getOrDefault("pods", 0L);
        labels.put(slot, node.labels());
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
        order.change();
        return slot;
    }

    private void release(int slot) {
        Node node = nodes[slot];
        if (!node.known() && pods.get(slot).isEmpty()) {
            slotOf.remove(node.name());
            order.change();
            free.add(slot);
        }
    }

    private void grow(int size) {
        nodes = Arrays.copyOf(nodes, size);
        versions = Arrays.copyOf(versions, size);
        loads = Arrays.copyOf(loads, size);
        podCounts = Arrays.copyOf(podCounts, size);
        podLimits = Arrays.copyOf(podLimits, size);
        comparedCpu = Arrays.copyOf(comparedCpu, size);
        comparedMemory = Arrays.copyOf(comparedMemory, size);
        for (int column = 0; column < allocatable.length; column++) {
            allocatable[column] = Arrays.copyOf(allocatable[column], size);
            requested[column] = Arrays.copyOf(requested[column], size);
        }
        labels.grow(size);
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
        return labels.values(key);
    }

    /** How many values of a label have been seen. */
    int valueCount(String key) {
        return labels.count(key);
    }

    public List<PlacedPod> pods(int slot) {
        return pods.get(slot);
    }

    void add(PlacedPod pod, int slot) {
        pods.get(slot).add(pod);
        count(pod.type(), slot, 1);
    }

    /** A pod takes room that nobody knows by name yet. */
    public void reserve(PodClass type, int slot) {
        count(type, slot, 1);
    }

    public void unreserve(PodClass type, int slot) {
        count(type, slot, -1);
    }

    /** A pod is there that room was reserved for. */
    void addReserved(PlacedPod pod, int slot) {
        pods.get(slot).add(pod);
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
        podCounts[slot] += sign;
    }

    /** How much of a resource a node has. */
    public long allocatable(int column, int slot) {
        return column < allocatable.length ? allocatable[column][slot] : 0;
    }

    /** How much of a resource pods have on a node. */
    public long requested(int column, int slot) {
        return column < requested.length ? requested[column][slot] : 0;
    }

    public boolean hasRoom(PodClass type, int slot) {
        if (podCounts[slot] + 1 > podLimits[slot]) {
            return false;
        }
        for (int column = 0; column < type.requests.length; column++) {
            if (lacks(type, column, slot, 0)) {
                return false;
            }
        }
        return true;
    }

    /** Whether a node has too little left of something that a pod asks for. */
    public boolean lacks(PodClass type, int column, int slot) {
        return lacks(type, column, slot, 0);
    }

    private boolean lacks(PodClass type, int column, int slot, long more) {
        long wanted = type.requests[column];
        return wanted > 0
                && (column >= allocatable.length || wanted > allocatable[column][slot] - requested[column][slot] + more)
                && !columns.isOfDevices(column)
                && !(allocatable(column, slot) == 0 && columns.isBacked(column));
    }

    /**
     * Whether there is room once more is free than now.
     *
     * @param freed by column, may be negative
     * @param podsGone how many pods fewer there are
     */
    public boolean hasRoom(PodClass type, int slot, long[] freed, int podsGone) {
        if (podCounts[slot] - podsGone + 1 > podLimits[slot]) {
            return false;
        }
        for (int column = 0; column < type.requests.length; column++) {
            long more = column < freed.length ? freed[column] : 0;
            if (lacks(type, column, slot, more)) {
                return false;
            }
        }
        return true;
    }

    /** What is missing for a pod, in words; empty if nothing is. */
    public List<String> missing(PodClass type, int slot) {
        List<String> missing = new ArrayList<>();
        if (podCounts[slot] + 1 > podLimits[slot]) {
            missing.add(TOO_MANY_PODS);
        }
        for (int column = 0; column < type.requests.length; column++) {
            if (lacks(type, column, slot, 0)) {
                missing.add("Insufficient " + columns.name(column));
            }
        }
        return missing;
    }

    /** Whether an empty node would have room. */
    public boolean couldHaveRoom(PodClass type, int slot) {
        for (int column = 0; column < type.requests.length; column++) {
            if (lacks(type, column, slot, requested(column, slot))) {
                return false;
            }
        }
        return podLimits[slot] > 0;
    }

    /** What decides between nodes: what is left; where that is equal, the one with fewer pods. */
    public long rank(PodClass type, int slot) {
        return (leftOver(type, slot) << 32) - podCounts[slot];
    }

    /** How much would be left, from 0 to 100, the mean of processor and memory. */
    public long leftOver(PodClass type, int slot) {
        long cpu = share(allocatable[Columns.CPU][slot], comparedCpu[slot] + type.comparedCpu);
        long memory = share(allocatable[Columns.MEMORY][slot], comparedMemory[slot] + type.comparedMemory);
        return (cpu + memory) / 2;
    }

    /** How much would be used, from 0 to 100, the mean of processor and memory. */
    public long usedUp(PodClass type, int slot) {
        long cpu = used(allocatable[Columns.CPU][slot], comparedCpu[slot] + type.comparedCpu);
        long memory = used(allocatable[Columns.MEMORY][slot], comparedMemory[slot] + type.comparedMemory);
        return (cpu + memory) / 2;
    }

    /**
     * How much alike the used parts of processors, memory and one more resource would be, from 0 to 100.
     *
     * @param other counts where the pod asks for it
     */
    public long evenness(PodClass type, int slot, int other) {
        double cpu = part(type, slot, Columns.CPU);
        double memory = part(type, slot, Columns.MEMORY);
        boolean both = other >= type.requests.length || type.requests[other] == 0 || allocatable(other, slot) == 0;
        if (both) {
            return (long) ((1 - Math.abs(cpu - memory) / 2) * 100);
        }
        double more = part(type, slot, other);
        double mean = (cpu + memory + more) / 3;
        double variance = (square(cpu - mean) + square(memory - mean) + square(more - mean)) / 3;
        return (long) ((1 - Math.sqrt(variance)) * 100);
    }

    private static double square(double number) {
        return number * number;
    }

    private double part(PodClass type, int slot, int column) {
        long capacity = allocatable(column, slot);
        long wanted = column < type.requests.length ? type.requests[column] : 0;
        return capacity == 0 ? 1 : Math.min(1, (double) (requested(column, slot) + wanted) / capacity);
    }

    private static long used(long capacity, long used) {
        return capacity == 0 || used > capacity ? 0 : used * 100 / capacity;
    }

    private static long share(long capacity, long used) {
        return capacity == 0 || used > capacity ? 0 : (capacity - used) * 100 / capacity;
    }
}
