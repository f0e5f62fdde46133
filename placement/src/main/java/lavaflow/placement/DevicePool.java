package lavaflow.placement;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import lavaflow.kube.Quantity;

/**
 * The devices of one pool that a node can reach.
 *
 * @param name driver and pool
 * @param incomplete whether some of its slices were not told yet: nothing can be taken from it
 * @param invalid whether they contradict each other, likewise
 * @param devices those of the node, in the order in which they are tried
 * @param others devices of other nodes with which these share counters
 * @param counters what there is to share, by set and name
 */
record DevicePool(
        String name,
        boolean incomplete,
        boolean invalid,
        List<Offer> devices,
        List<Device> others,
        Map<String, Map<String, Quantity>> counters) {
    /** A device, and who tells of it. */
    record Offer(DevicePool.Source source, Device device) {}

    /** Where a device was found. */
    record Source(DeviceSlice slice, int pool) {}

    /** What a pool is known by; drivers sort before pools. */
    private record Key(String driver, String pool) implements Comparable<Key> {
        private static final Comparator<Key> ORDER =
                Comparator.comparing(Key::driver).thenComparing(Key::pool);

        @Override
        public int compareTo(Key other) {
            return ORDER.compare(this, other);
        }
    }

    /**
     * The pools a node can reach, sorted by name: which device is tried first is up to those who name them. Those with devices that have to be
     * awaited come last.
     */
    static List<DevicePool> of(NodeTable.Node node, Collection<DeviceSlice> candidates, Collection<DeviceSlice> all) {
        Map<Key, List<DeviceSlice>> pools = new TreeMap<>();
        for (DeviceSlice slice : candidates) {
            if (slice.concerns(node)) {
                add(pools, slice);
            }
        }
        List<DevicePool> found = new ArrayList<>();
        List<Key> order = new ArrayList<>(pools.keySet());
        order.sort(Comparator.comparing((Key key) -> areAwaited(pools.getOrDefault(key, List.of()))));
        for (Key key : order) {
            List<DeviceSlice> slices = pools.getOrDefault(key, List.of());
            long generation = slices.getFirst().generation();
            List<DeviceSlice> whole = slices;
            if (slices.size() != slices.getFirst().count()) {
                List<DeviceSlice> known = all.stream()
                        .filter(slice -> slice.driver().equals(key.driver)
                                && slice.pool().equals(key.pool))
                        .toList();
                if (known.stream().anyMatch(slice -> slice.generation() > generation)) {
                    // It is being replaced, and what is new there is nothing for this node.
                    continue;
                }
                whole = known.stream()
                        .filter(slice -> slice.generation() == generation)
                        .toList();
            }
            boolean complete = whole.size() == slices.getFirst().count();
            String name = key.driver + "/" + key.pool;
            found.add(
                    complete
                            ? build(name, found.size(), slices, whole)
                            : new DevicePool(name, true, false, List.of(), List.of(), Map.of()));
        }
        return found;
    }

    private static boolean areAwaited(List<DeviceSlice> slices) {
        return slices.stream()
                .flatMap(slice -> slice.devices().stream())
                .anyMatch(device -> !device.conditions.isEmpty());
    }

    /** Only the newest generation counts. */
    private static void add(Map<Key, List<DeviceSlice>> pools, DeviceSlice slice) {
        List<DeviceSlice> known = pools.computeIfAbsent(new Key(slice.driver(), slice.pool()), _ -> new ArrayList<>());
        if (!known.isEmpty() && slice.generation() > known.getFirst().generation()) {
            known.clear();
        }
        if (known.isEmpty() || slice.generation() == known.getFirst().generation()) {
            known.add(slice);
        }
    }

    private static DevicePool build(String name, int index, List<DeviceSlice> slices, List<DeviceSlice> whole) {
        List<DeviceSlice> sorted = new ArrayList<>(slices);
        sorted.sort(Comparator.comparing(DeviceSlice::name));
        Set<String> names = new HashSet<>();
        Map<String, Map<String, Quantity>> counters = new LinkedHashMap<>();
        List<Offer> offers = new ArrayList<>();
        List<Device> others = new ArrayList<>();
        boolean valid = true;
        for (DeviceSlice slice : sorted) {
            for (String set : slice.counterSets()) {
                valid &= counters.put(set, slice.counters().getOrDefault(set, Map.of())) == null;
            }
            Source source = new Source(slice, index);
            for (Device device : slice.devices()) {
                valid &= !slice.counterSets().isEmpty() || names.add(device.id.device());
                if (slice.counterSets().isEmpty()) {
                    offers.add(new Offer(source, device));
                }
            }
        }
        for (DeviceSlice slice : whole) {
            if (!slices.contains(slice)) {
                others.addAll(slice.devices());
            }
        }
        for (Offer offer : offers) {
            valid &= countersExist(offer.device, counters);
        }
        for (Device other : others) {
            valid &= countersExist(other, counters);
        }
        return valid
                ? new DevicePool(name, false, false, List.copyOf(offers), List.copyOf(others), counters)
                : new DevicePool(name, false, true, List.of(), List.of(), Map.of());
    }

    private static boolean countersExist(Device device, Map<String, Map<String, Quantity>> counters) {
        return device.consumes.stream()
                .allMatch(each -> counters.containsKey(each.set())
                        && counters.get(each.set())
                                .keySet()
                                .containsAll(each.counters().keySet()));
    }

    boolean usable() {
        return !incomplete && !invalid;
    }
}
