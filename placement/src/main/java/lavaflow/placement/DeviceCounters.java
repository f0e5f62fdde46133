package lavaflow.placement;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import lavaflow.kube.Quantity;

/** What devices of a pool share: how much is left of it while devices are chosen. */
final class DeviceCounters {
    private final List<DevicePool> pools;
    private final AllocatedDevices allocated;
    /** What is left, by the number of the pool, by set and name. */
    private final Map<Integer, Map<String, Map<String, Quantity>>> left = new HashMap<>();

    DeviceCounters(List<DevicePool> pools, AllocatedDevices allocated) {
        this.pools = pools;
        this.allocated = allocated;
    }

    /** Takes what a device needs; false, and nothing taken, if there is not so much. */
    boolean take(DevicePool.Offer offer) {
        Device device = offer.device();
        if (device.consumes.isEmpty()) {
            return true;
        }
        Map<String, Map<String, Quantity>> its = left(offer.source().pool());
        change(its, device, -1);
        for (Device.Consumption each : device.consumes) {
            Map<String, Quantity> set = its.getOrDefault(each.set(), Map.of());
            boolean enough = each.counters().keySet().stream()
                    .allMatch(name -> set.getOrDefault(name, Quantity.ZERO).signum() >= 0);
            if (!enough) {
                change(its, device, 1);
                return false;
            }
        }
        return true;
    }

    void giveBack(DevicePool.Offer offer) {
        if (!offer.device().consumes.isEmpty()) {
            change(left(offer.source().pool()), offer.device(), 1);
        }
    }

    private Map<String, Map<String, Quantity>> left(int number) {
        Map<String, Map<String, Quantity>> known = left.get(number);
        if (known != null) {
            return known;
        }
        DevicePool pool = pools.get(number);
        Map<String, Map<String, Quantity>> its = new LinkedHashMap<>();
        pool.counters().forEach((set, counters) -> its.put(set, new LinkedHashMap<>(counters)));
        pool.devices().forEach(offer -> subtractIfAllocated(its, offer.device()));
        pool.others().forEach(device -> subtractIfAllocated(its, device));
        left.put(number, its);
        return its;
    }

    private void subtractIfAllocated(Map<String, Map<String, Quantity>> its, Device device) {
        if (allocated.isTaken(device.id) || allocated.isShared(device.id)) {
            change(its, device, -1);
        }
    }

    private static void change(Map<String, Map<String, Quantity>> its, Device device, int sign) {
        for (Device.Consumption each : device.consumes) {
            Map<String, Quantity> set = its.get(each.set());
            if (set != null) {
                each.counters()
                        .forEach((name, amount) -> set.computeIfPresent(
                                name, (_, now) -> sign < 0 ? now.minus(amount) : now.plus(amount)));
            }
        }
    }
}
