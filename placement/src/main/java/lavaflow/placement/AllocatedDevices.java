package lavaflow.placement;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

import lavaflow.kube.Quantity;

import org.jspecify.annotations.Nullable;

/** Which devices claims have, and how much of those that several can have. */
final class AllocatedDevices {
    /** How many claims have a device for themselves; more than one only where somebody else gave it away twice. */
    private final Map<Device.Id, Integer> whole = new HashMap<>();
    /** How many have a part of it. */
    private final Map<Device.Id, Integer> parts = new HashMap<>();

    private final Map<Device.Id, Map<String, Quantity>> amounts = new HashMap<>();

    void add(DeviceClaim.Allocation allocation) {
        allocation.devices().forEach(given -> count(given, 1));
    }

    void remove(DeviceClaim.Allocation allocation) {
        allocation.devices().forEach(given -> count(given, -1));
    }

    void count(DeviceClaim.Given given, int change) {
        if (given.admin()) {
            return;
        }
        boolean part = !given.share().isEmpty();
        Integer left = (part ? parts : whole)
                .merge(given.id(), change, (now, more) -> now + more == 0 ? null : Integer.valueOf(now + more));
        if (!part) {
            return;
        }
        Map<String, Quantity> used = amounts.computeIfAbsent(given.id(), _ -> new LinkedHashMap<>());
        given.amounts()
                .forEach((name, amount) -> used.merge(name, change > 0 ? amount : amount.negated(), Quantity::plus));
        if (left == null) {
            amounts.remove(given.id());
        }
    }

    /** Whether a claim has it for itself. */
    boolean isTaken(Device.Id id) {
        return whole.containsKey(id);
    }

    boolean isShared(Device.Id id) {
        return parts.containsKey(id);
    }

    /** How much of it others have; null if nothing. */
    @Nullable
    Quantity used(Device.Id id, String name) {
        Map<String, Quantity> used = amounts.get(id);
        return used == null ? null : used.get(name);
    }

    /** Equal to another that has the same devices. */
    Map<Device.Id, Integer> counts() {
        Map<Device.Id, Integer> all = new HashMap<>(whole);
        parts.forEach((id, count) -> all.merge(id, count, Integer::sum));
        return all;
    }
}
