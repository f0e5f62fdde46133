package lavaflow.placement;

import java.time.Instant;
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
     * @param made what the claim is made of that does not exist yet; null if it does
     */
    public record Reservation(
            String namespace,
            String name,
            String uid,
            @Nullable ObjectNode allocation,
            @Nullable ExtendedClaim made) {}

    private final Map<String, DeviceSlice> slices = new TreeMap<>();
    private final Map<String, DeviceClass> classes = new HashMap<>();
    /** By namespace and name. */
    private final Map<String, DeviceClaim> claims = new HashMap<>();

    private final AllocatedDevices allocated = new AllocatedDevices();
    /** By the uid of the claim. */
    private final Map<String, Assumed> assumed = new HashMap<>();
    /** The claims, by their uid, of pods that were given a node; by the uid of the pod. */
    private final Map<String, Set<String>> uses = new HashMap<>();

    /** Claims that were decided on and are still to be made, by the uid of the pod. */
    private final Map<String, ExtendedClaim> made = new HashMap<>();
    /** Where claims are that were made for what containers ask for, by the uid of the pod. */
    private final Map<String, String> extended = new HashMap<>();

    private final Map<String, DeviceClaim> stale = new LinkedHashMap<>();
    private final Map<String, DeviceClaim> lost = new LinkedHashMap<>();
    private final DeviceClasses backed = new DeviceClasses();
    private final DeviceSelectors selectors = new DeviceSelectors();
    private final Map<String, Reachable> reachable = new HashMap<>();
    private final Map<String, List<DeviceSlice>> local = new HashMap<>();
    private final List<DeviceSlice> wide = new ArrayList<>();
    private long version;
    private long sorted = -1;
    private Instant now = Instant.EPOCH;
    private Map<String, Long> supply = Map.of();
    private long supplied = -1;
    private int suppliedFor;

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
        copy.made.putAll(made);
        copy.backed.put(classes.values());
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
        backed.put(classes.values());
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
        if (before != null && before.extended()) {
            extended.remove(before.owner(), place);
        }
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
        if (claim.extended()) {
            extended.put(claim.owner(), place);
            if (claim.allocation() != null) {
                dropAssumed(ExtendedClaim.uid(claim.owner()));
            }
        }
        if (claim.allocation() != null) {
            allocated.add(claim.allocation());
        }
        return had && claim.allocation() == null;
    }

    /** A claim as it was written here: it may be gone by now. */
    public boolean wrote(DeviceClaim claim) {
        DeviceClaim known = claims.get(claim.place());
        boolean fresh = claim.extended() && made.containsKey(claim.owner());
        boolean same = known == null ? fresh : known.uid().equals(claim.uid());
        return same && putClaim(claim.place(), claim);
    }

    /** A claim that was deleted here, unless it is another one by now. */
    public boolean deleted(DeviceClaim claim) {
        DeviceClaim known = claims.get(claim.place());
        return known != null && known.uid().equals(claim.uid()) && putClaim(claim.place(), null);
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
        Set<String> claimed = new LinkedHashSet<>();
        List<DeviceClaim> open = needs.open();
        for (int i = 0; i < open.size(); i++) {
            assumed.put(open.get(i).uid(), new Assumed(given.get(i), new LinkedHashSet<>()));
            allocated.add(given.get(i));
        }
        for (DeviceClaim claim : needs.claims()) {
            claimed.add(claim.uid());
            Assumed had = assumed.get(claim.uid());
            if (had != null) {
                had.users.add(pod.uid());
            }
        }
        ExtendedClaim more = needs.extended(node);
        if (more != null) {
            DeviceClaim.Allocation its = given.getLast();
            assumed.put(more.claim().uid(), new Assumed(its, new LinkedHashSet<>(List.of(pod.uid()))));
            allocated.add(its);
            made.put(pod.uid(), more);
            claimed.add(more.claim().uid());
        }
        uses.put(pod.uid(), claimed);
        return true;
    }

    /** Nothing came of a pod's node, or it is seen there by now. */
    void release(String pod) {
        made.remove(pod);
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
        if (!uses.containsKey(pod.uid())) {
            return List.of();
        }
        List<Reservation> all = new ArrayList<>();
        for (DeviceClaim claim : wanted(pod, type).claims()) {
            Assumed had = assumed.get(claim.uid());
            if (had != null || !claim.users().contains(pod.uid())) {
                ObjectNode allocation = had == null ? null : had.allocation.json();
                all.add(new Reservation(claim.namespace(), claim.name(), claim.uid(), allocation, null));
            }
        }
        ExtendedClaim more = made.get(pod.uid());
        Assumed had = more == null ? null : assumed.get(more.claim().uid());
        if (more != null && had != null) {
            all.add(new Reservation(pod.namespace(), "", "", had.allocation.json(), more));
        }
        return all;
    }

    /**
     * How far devices are that a pod was given.
     *
     * @param problem why they will never be ready; null while they may be
     */
    public record Readiness(boolean ready, @Nullable String problem) {}

    /** Whether something has to become true of a pod's devices before it is bound. */
    public boolean areAwaited(ScheduledPod pod, PodClass type) {
        if (!uses.containsKey(pod.uid())) {
            return false;
        }
        List<DeviceClaim> all = new ArrayList<>(wanted(pod, type).claims());
        ExtendedClaim more = made.get(pod.uid());
        if (more != null) {
            all.add(more.claim());
        }
        return all.stream().map(this::allocation).anyMatch(has -> has != null && DeviceBinding.isAwaited(has.json()));
    }

    /** Whether a pod's devices can be used by now, as the API tells. */
    public Readiness readiness(ScheduledPod pod, PodClass type, Instant now) {
        List<DeviceClaim> all = new ArrayList<>();
        for (PodClaim each : type.devices) {
            DeviceClaim claim = claims.get(type.namespace + "/" + each.name());
            if (claim == null) {
                return new Readiness(
                        false, "claim " + type.namespace + "/" + each.name() + " got deleted in the meantime");
            }
            all.add(claim);
        }
        DeviceClaim more = made.containsKey(pod.uid()) ? extendedClaim(pod.uid()) : null;
        if (more != null) {
            all.add(more);
        }
        boolean ready = more != null || !made.containsKey(pod.uid());
        for (DeviceClaim claim : all) {
            boolean written = claim.allocation() != null && claim.users().contains(pod.uid());
            ready &= written && claim.binding().ready();
            String problem = claim.binding().problem(claim.name(), now);
            if (written && problem != null) {
                return new Readiness(false, problem);
            }
        }
        return new Readiness(ready, null);
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

    /** Changes whenever classes stand for other resources than before. */
    int backing() {
        return backed.changes();
    }

    boolean isBacked(String resource) {
        return backed.of(resource) != null;
    }

    @Nullable
    DeviceClass classOf(String resource) {
        return backed.of(resource);
    }

    /** Whether devices stand for something that pods of a class ask for. */
    boolean isBackingAny(PodClass type) {
        return !type.extended.isEmpty() && type.extended.stream().anyMatch(this::isBacked);
    }

    boolean areNeededBy(PodClass type) {
        return !type.devices.isEmpty() || isBackingAny(type);
    }

    /** How many devices there are behind each resource that containers can ask for. */
    public Map<String, Long> supply() {
        if (supplied != version || suppliedFor != backed.revision()) {
            supplied = version;
            suppliedFor = backed.revision();
            supply = backed.supply(slices.values(), selectors);
        }
        return supply;
    }

    /** Says what time it is for whoever asks whether devices are late. */
    public void at(Instant time) {
        now = time;
    }

    Instant now() {
        return now;
    }

    void noteLost(DeviceClaim claim) {
        lost.put(claim.uid(), claim);
    }

    /** Claims whose devices will never be ready, and that nobody uses but a pod that was looked at since the last call. */
    public List<DeviceClaim> takeLost() {
        List<DeviceClaim> all = List.copyOf(lost.values());
        lost.clear();
        return all;
    }

    void noteStale(DeviceClaim claim) {
        stale.put(claim.uid(), claim);
    }

    /** Claims that keep pods waiting which they were made for. */
    List<DeviceClaim> takeStale() {
        List<DeviceClaim> all = List.copyOf(stale.values());
        stale.clear();
        return all;
    }

    /** The claim that was made for what a pod's containers ask for; null if there is none. */
    @Nullable
    DeviceClaim extendedClaim(String pod) {
        String place = extended.get(pod);
        return place == null ? null : claims.get(place);
    }

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
