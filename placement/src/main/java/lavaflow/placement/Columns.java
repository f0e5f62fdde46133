package lavaflow.placement;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

import lavaflow.kube.PodRequests;

/** Numbers the names of resources: amounts are arrays, and a name is a place in them. */
public final class Columns {
    public static final int CPU = 0;
    public static final int MEMORY = 1;

    private static final Set<String> OF_DEVICES =
            Set.of("volcano.sh/vgpu-memory", "volcano.sh/vgpu-memory-percentage", "volcano.sh/vgpu-cores");

    private final List<String> names = new ArrayList<>();
    private final Map<String, Integer> places = new HashMap<>();
    private Predicate<String> backed = _ -> false;

    public Columns() {
        place(PodRequests.CPU);
        place(PodRequests.MEMORY);
    }

    public int place(String name) {
        return places.computeIfAbsent(name, added -> {
            names.add(added);
            return names.size() - 1;
        });
    }

    public String name(int place) {
        return names.get(place);
    }

    /** Whether an amount is about each device of a node: nodes as a whole do not count it. */
    boolean isOfDevices(int place) {
        return OF_DEVICES.contains(names.get(place));
    }

    /** Says which resources classes of devices stand for. */
    void backedBy(Predicate<String> devices) {
        backed = devices;
    }

    /** Whether nodes that have none of it may have it as devices. */
    public boolean isBacked(int place) {
        return backed.test(names.get(place));
    }

    public int size() {
        return names.size();
    }
}
