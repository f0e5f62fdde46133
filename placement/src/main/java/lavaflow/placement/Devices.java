package lavaflow.placement;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Devices, and which claims have them: as the API tells it, and as it was decided since. Belongs to one thread.
 *
 * <p>A claim that is given devices for a pod has them from then on; if the pod does not get its node after all, and no other pod came to
 * use them, the claim gives them back. Once the API tells what a claim has, only that counts.
 */
public final class Devices {
    /** What was given to a claim and the API has not told yet. */
    private record Assumed(DeviceClaim.Allocation allocation, Set<String> users) {}

    /** The pools of a node as of some version of slices. */
    private record Reachable(NodeTable.Node node, long version, List<DevicePool> pools) {}

    /**
     * What has to be written before a pod is bound.
     *
     * @param allocation what the claim gets; null if it has that already
     */
    public record Reservation(
            String namespace,
            String name,
            String uid,
            @Nullable ObjectNode allocation) {}

    private final Map<String, DeviceSlice> slices = new TreeMap<>();
    private final Map<String, DeviceClass> classes = new HashMap<>();
    /** By namespace and name. */
    private final Map<String, DeviceClaim> claims = new HashMap<>();

    private final AllocatedDevices allocated = new AllocatedDevices();
    /** By the uid of the claim. */
    private final Map<String, Assumed> assumed = new HashMap<>();
    /** The claims, by their uid, of pods that were given a node; by the uid of the pod. */
    private final Map<String, Set<String>> uses = new HashMap<>();

    private final DeviceSelectors selectors = new DeviceSelectors();
    private final Map<String, Reachable> reachable = new HashMap<>();
    private final Map<String, List<DeviceSlice>> local = new HashMap<>();
    private final List<DeviceSlice> wide = new ArrayList<>();
    private long version;
    private long sorted = -1;

    /** The same as of now, for somebody who decides on his own. */
    Devices copy() {
        Devices copy = new Devices();
        copy.slices.putAll(slices);
        copy.classes.putAll(classes);
        claims.forEach(copy::putClaim);
        assumed.forEach((uid, each) -> {
            copy.assumed.put(uid, new Assumed(each.allocation, new LinkedHashSet<>(each.users)));
            copy.allocated.add(each.allocation);
        });
        uses.forEach((pod, its) -> copy.uses.put(pod, new LinkedHashSet<>(its)));
        return copy;
    }

    // ---- what is told ----

    public void putSlice(String name, @Nullable DeviceSlice slice) {
        version++;
        reachable.clear();
        if (slice == null) {
            slices.remove(name);
        } else {
            slices.put(name, slice);
        }
    }

    public void putClass(String name, @Nullable DeviceClass type) {
        if (type == null) {
            classes.remove(name);
        } else {
            classes.put(name, type);
        }
    }

    /**
     * A claim as the API tells it; what is older than what is known already does not count.
     *
     * @return whether there may be devices now that others can have
     */
    public boolean putClaim(String place, @Nullable DeviceClaim claim) {
        DeviceClaim before = claims.get(place);
        boolean same = before != null && claim != null && before.uid().equals(claim.uid());
        if (before != null && claim != null && same && claim.revision() < before.revision()) {
            return false;
        }
        boolean had = before != null && allocation(before) != null;
        if (before != null && before.allocation() != null) {
            allocated.remove(before.allocation());
        }
        if (before != null && (claim == null || !same || claim.allocation() != null)) {
            dropAssumed(before.uid());
        }
        if (claim == null) {
            claims.remove(place);
            return had;
        }
        claims.put(place, claim);
        if (claim.allocation() != null) {
            allocated.add(claim.allocation());
        }
        return had && claim.allocation() == null;
    }

    /** A claim as it was written here: it may be gone by now. */
    public boolean wrote(DeviceClaim claim) {
        DeviceClaim known = claims.get(claim.place());
        return known != null && known.uid().equals(claim.uid()) && putClaim(claim.place(), claim);
    }

    private void dropAssumed(String uid) {
        Assumed was = assumed.remove(uid);
        if (was != null) {
            allocated.remove(was.allocation);
        }
    }

    // ---- what is decided ----

    /** Gives a pod's claims what they need on a node; false, and nothing given, if that cannot be. */
    public boolean take(ScheduledPod pod, PodClass type, NodeTable.Node node) {
        DeviceNeeds needs = wanted(pod, type);
        List<DeviceClaim.Allocation> given = needs.allocations(node);
        if (needs.problem() != null || given == null) {
            return false;
        }
        Set<String> its = new LinkedHashSet<>();
        List<DeviceClaim> open = needs.open();
        for (int i = 0; i < open.size(); i++) {
            assumed.put(open.get(i).uid(), new Assumed(given.get(i), new LinkedHashSet<>()));
            allocated.add(given.get(i));
        }
        for (DeviceClaim claim : needs.claims()) {
            its.add(claim.uid());
            Assumed had = assumed.get(claim.uid());
            if (had != null) {
                had.users.add(pod.uid());
            }
        }
        uses.put(pod.uid(), its);
        return true;
    }

    /** Nothing came of a pod's node, or it is seen there by now. */
    void release(String pod) {
        Set<String> its = uses.remove(pod);
        if (its == null) {
            return;
        }
        for (String claim : its) {
            Assumed had = assumed.get(claim);
            if (had != null && had.users.remove(pod) && had.users.isEmpty()) {
                dropAssumed(claim);
            }
        }
    }

    /** What has to be written for a pod that was given a node, in the order of its claims. */
    public List<Reservation> reservations(ScheduledPod pod, PodClass type) {
        if (type.devices.isEmpty() || !uses.containsKey(pod.uid())) {
            return List.of();
        }
        List<Reservation> all = new ArrayList<>();
        for (DeviceClaim claim : wanted(pod, type).claims()) {
            Assumed had = assumed.get(claim.uid());
            if (had != null || !claim.users().contains(pod.uid())) {
                ObjectNode allocation = had == null ? null : had.allocation.json();
                all.add(new Reservation(claim.namespace(), claim.name(), claim.uid(), allocation));
            }
        }
        return all;
    }

    /** Whether somebody but one pod uses a claim, or is about to. */
    boolean hasOtherUsers(DeviceClaim claim, String pod) {
        return claim.users().stream().anyMatch(user -> !user.equals(pod))
                || uses.entrySet().stream()
                        .anyMatch(each ->
                                !each.getKey().equals(pod) && each.getValue().contains(claim.uid()));
    }

    DeviceNeeds wanted(ScheduledPod pod, PodClass type) {
        return new DeviceNeeds(this, pod, type);
    }

    // ---- what there is ----

    @Nullable
    DeviceClaim claim(String place) {
        return claims.get(place);
    }

    boolean hasClass(String name) {
        return classes.containsKey(name);
    }

    /** What a claim has, told or decided; null if nothing. */
    DeviceClaim.@Nullable Allocation allocation(DeviceClaim claim) {
        if (claim.allocation() != null) {
            return claim.allocation();
        }
        Assumed had = assumed.get(claim.uid());
        return had == null ? null : had.allocation;
    }

    @Nullable
    List<DeviceClaim.Allocation> search(NodeTable.Node node, List<DeviceClaim> open) throws DeviceTrouble {
        DeviceSearch.Stock stock = new DeviceSearch.Stock(classes, allocated, selectors);
        return new DeviceSearch(node, pools(node), open, stock).find();
    }

    List<DevicePool> pools(NodeTable.Node node) {
        Reachable known = reachable.get(node.name());
        if (known != null && known.version == version && known.node.equals(node)) {
            return known.pools;
        }
        sort();
        List<DeviceSlice> candidates = new ArrayList<>(local.getOrDefault(node.name(), List.of()));
        candidates.addAll(wide);
        List<DevicePool> pools = DevicePool.of(node, candidates, slices.values());
        reachable.put(node.name(), new Reachable(node, version, pools));
        return pools;
    }

    private void sort() {
        if (sorted == version) {
            return;
        }
        sorted = version;
        local.clear();
        wide.clear();
        for (DeviceSlice slice : slices.values()) {
            String node = slice.nodes().name();
            if (node.isEmpty() || !slice.counterSets().isEmpty()) {
                wide.add(slice);
            } else {
                local.computeIfAbsent(node, _ -> new ArrayList<>()).add(slice);
            }
        }
    }

    /** How many claims have which device, for tests. */
    Map<Device.Id, Integer> counts() {
        return new LinkedHashMap<>(allocated.counts());
    }
}
