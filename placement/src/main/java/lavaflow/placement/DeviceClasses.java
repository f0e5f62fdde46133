package lavaflow.placement;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/** Which class of devices stands for which resource that containers can ask for. */
final class DeviceClasses {
    private Map<String, DeviceClass> byResource = Map.of();
    private int changes;
    private int revision;

    void put(Collection<DeviceClass> classes) {
        Map<String, DeviceClass> now = new HashMap<>();
        for (DeviceClass each : classes) {
            now.put(ExtendedClaim.IMPLICIT + each.name(), each);
            if (!each.resource().isEmpty()) {
                now.merge(each.resource(), each, DeviceClasses::prevailing);
            }
        }
        if (!now.keySet().equals(byResource.keySet())) {
            changes++;
        }
        byResource = now;
        revision++;
    }

    /** The newer one, so that one class can take the place of another while both are there. */
    private static DeviceClass prevailing(DeviceClass one, DeviceClass other) {
        int order = one.created().compareTo(other.created());
        return order > 0 || (order == 0 && one.name().compareTo(other.name()) < 0) ? one : other;
    }

    @Nullable
    DeviceClass of(String resource) {
        return byResource.get(resource);
    }

    /** How many devices stand for each resource, of those that the newest slices of each pool tell of and that nobody is kept off. */
    Map<String, Long> supply(Collection<DeviceSlice> slices, DeviceSelectors selectors) {
        Map<String, Long> supply = new TreeMap<>();
        if (byResource.isEmpty()) {
            return supply;
        }
        Map<List<String>, Long> newest = new HashMap<>();
        slices.forEach(slice -> newest.merge(List.of(slice.driver(), slice.pool()), slice.generation(), Math::max));
        for (DeviceSlice slice : slices) {
            if (slice.generation() == newest.getOrDefault(List.of(slice.driver(), slice.pool()), 0L)) {
                slice.devices().forEach(device -> count(device, selectors, supply));
            }
        }
        return supply;
    }

    private void count(Device device, DeviceSelectors selectors, Map<String, Long> supply) {
        if (device.taints.stream().anyMatch(Device.Taint::keepsOff)) {
            return;
        }
        byResource.forEach((resource, type) -> {
            try {
                if (selectors.select(type.selectors(), device, "class " + type.name())) {
                    supply.merge(resource, 1L, Long::sum);
                }
            } catch (DeviceTrouble _) {
                // Whoever asks for it is told.
            }
        });
    }

    /** Changes whenever a class does. */
    int revision() {
        return revision;
    }

    /** Changes whenever there are classes for other resources than before. */
    int changes() {
        return changes;
    }
}
