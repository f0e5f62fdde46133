package lavaflow.placement;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Which nodes have which images already. Names are numbered, so that a node costs a few numbers however long the names of its images
 * are.
 */
public final class ImageTable {
    private static final long SMALL = 23L << 20;
    private static final long LARGE = 1000L << 20;
    private static final int[] NONE = {};

    /** An image of a node by one of its names. */
    public record Image(String name, long size) {
        static List<Image> of(ObjectNode node) {
            List<Image> images = new ArrayList<>();
            for (JsonNode image : Json.listAt(node, "status", "images")) {
                long size = Json.longAt(image, 0, "sizeBytes");
                Json.listAt(image, "names").forEach(name -> images.add(new Image(complete(name.asText()), size)));
            }
            return List.copyOf(images);
        }
    }

    /** What is known of an image. */
    private static final class Entry {
        private final int number;
        private final String name;
        private long size;
        private int nodes;

        Entry(int number, String name) {
            this.number = number;
            this.name = name;
        }
    }

    private final Map<String, Entry> entries = new HashMap<>();
    private final List<Entry> byNumber = new ArrayList<>();
    private int[][] bySlot = new int[0][];
    private int version = 1;

    /** A name with its tag, the usual one where it says none. */
    static String complete(String name) {
        return name.lastIndexOf(':') <= name.lastIndexOf('/') ? name + ":latest" : name;
    }

    /** Changes whenever a node has other images. */
    public int version() {
        return version;
    }

    void put(int slot, List<Image> images) {
        TreeSet<Integer> numbers = new TreeSet<>();
        for (Image image : images) {
            Entry entry = entries.computeIfAbsent(image.name, _ -> {
                Entry added = new Entry(byNumber.size(), image.name);
                byNumber.add(added);
                return added;
            });
            entry.size = image.size;
            numbers.add(entry.number);
        }
        int[] now = numbers.stream().mapToInt(Integer::intValue).toArray();
        int[] before = has(slot);
        if (Arrays.equals(before, now)) {
            return;
        }
        for (int number : before) {
            byNumber.get(number).nodes--;
        }
        for (int number : now) {
            byNumber.get(number).nodes++;
        }
        if (slot >= bySlot.length) {
            int known = bySlot.length;
            bySlot = Arrays.copyOf(bySlot, Math.max(slot + 1, known * 2));
            Arrays.fill(bySlot, known, bySlot.length, NONE);
        }
        bySlot[slot] = now.length == 0 ? NONE : now;
        version++;
    }

    /** The numbers of what a node has. */
    private int[] has(int slot) {
        return slot < bySlot.length ? bySlot[slot] : NONE;
    }

    /** Those of a node. */
    List<Image> of(int slot) {
        List<Image> images = new ArrayList<>();
        for (int number : has(slot)) {
            Entry entry = byNumber.get(number);
            images.add(new Image(entry.name, entry.size));
        }
        return images;
    }

    /** Whether some node has an image of a pod. */
    public boolean knowsAny(PodClass type) {
        for (String image : type.images) {
            Entry entry = entries.get(image);
            if (entry != null && entry.nodes > 0) {
                return true;
            }
        }
        return false;
    }

    /** From 0 to 100: how much of a pod's images a node has; those that few nodes have count less, so that it is not crowded. */
    public long score(PodClass type, int slot, int nodes) {
        int[] has = has(slot);
        if (has.length == 0 || nodes == 0) {
            return 0;
        }
        long sum = 0;
        for (String image : type.images) {
            Entry entry = entries.get(image);
            if (entry != null && Arrays.binarySearch(has, entry.number) >= 0) {
                sum += (long) (entry.size * ((double) entry.nodes / nodes));
            }
        }
        long most = LARGE * type.images.size();
        return 100 * (Math.clamp(sum, SMALL, Math.max(SMALL, most)) - SMALL) / Math.max(1, most - SMALL);
    }
}
