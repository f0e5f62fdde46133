package lavaflow.kubelet;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The devices of one resource, and how containers are told which ones they got. */
final class DevicePool {
    /** What a container gets for its devices. */
    interface Form {
        DeviceGrant grant(List<Device> devices, boolean isolated);
    }

    private final Map<String, Device> devices = new LinkedHashMap<>();
    private final Form form;

    DevicePool(List<Device> cards, int replicas, Form form) {
        for (Device card : cards) {
            if (replicas == 1) {
                devices.put(card.id(), card);
            }
            for (int i = 0; replicas > 1 && i < replicas; i++) {
                Device share = card.share(i);
                devices.put(share.id(), share);
            }
        }
        this.form = form;
    }

    long size() {
        return devices.size();
    }

    long healthy() {
        return devices.values().stream().filter(Device::healthy).count();
    }

    boolean isHealthy(String id) {
        Device device = devices.get(id);
        return device != null && device.healthy();
    }

    Set<String> free(Set<String> used) {
        Set<String> free = new LinkedHashSet<>();
        devices.forEach((id, device) -> {
            if (device.healthy() && !used.contains(id)) {
                free.add(id);
            }
        });
        return free;
    }

    /** So many of those that may be taken: whole cards first, and of shared ones those with the fewest others on them. */
    List<String> choose(Set<String> from, int count, Set<String> used) {
        Map<String, Integer> load = new LinkedHashMap<>();
        for (String id : used) {
            Device device = devices.get(id);
            if (device != null) {
                load.merge(device.card(), 1, Integer::sum);
            }
        }
        List<String> left = new ArrayList<>(from);
        List<String> chosen = new ArrayList<>();
        while (chosen.size() < count && !left.isEmpty()) {
            String best = left.getFirst();
            for (String id : left) {
                if (loadOf(load, id) < loadOf(load, best)) {
                    best = id;
                }
            }
            left.remove(best);
            chosen.add(best);
            Device device = devices.get(best);
            if (device != null) {
                load.merge(device.card(), 1, Integer::sum);
            }
        }
        return chosen;
    }

    private int loadOf(Map<String, Integer> load, String id) {
        Device device = devices.get(id);
        return device == null ? 0 : load.getOrDefault(device.card(), 0);
    }

    DeviceGrant grant(List<String> ids, boolean isolated) {
        List<Device> granted = new ArrayList<>();
        for (String id : ids) {
            Device device = devices.get(id);
            if (device != null) {
                granted.add(device);
            }
        }
        return form.grant(granted, isolated);
    }
}
