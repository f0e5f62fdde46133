package lavaflow.placement;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import lavaflow.kube.Quantity;
import lavaflow.placement.DeviceRequest.Wish;

import org.jspecify.annotations.Nullable;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * Looks for devices for all requests of some claims on one node: request by request and device by device, going back where that leads
 * nowhere. The first solution counts, so the order of pools, slices and devices decides. Used once.
 */
final class DeviceSearch {
    /** So many devices fit into one claim. */
    static final int MOST_DEVICES = 32;

    /** Upstream gives up after some seconds instead. */
    private static final int MOST_STEPS = 100_000;

    /** What there is to choose from. */
    record Stock(Map<String, DeviceClass> classes, AllocatedDevices allocated, DeviceSelectors selectors) {}

    /** A device that was chosen. */
    record Taken(Wish wish, DevicePool.Offer offer, DeviceClaim.Given given) {}

    private final NodeTable.Node node;
    private final List<DevicePool> pools;
    private final List<DeviceClaim> claims;
    private final Stock stock;
    private final List<DevicePool.Offer> offers = new ArrayList<>();
    private final List<List<DeviceConstraint>> constraints = new ArrayList<>();
    /** What was chosen, by claim. */
    private final List<List<Taken>> taken = new ArrayList<>();
    /** Which alternative, by claim and request. */
    private final List<List<Wish>> picked = new ArrayList<>();
    /** The devices of those who want all. */
    private final IdentityHashMap<Wish, List<DevicePool.Offer>> wanted = new IdentityHashMap<>();
    /** Which claims, by their number, are to have a device. */
    private final Map<Device.Id, Set<Integer>> holders = new HashMap<>();

    private final AllocatedDevices parts = new AllocatedDevices();
    private final DeviceCounters counters;
    private int steps;

    DeviceSearch(NodeTable.Node node, List<DevicePool> pools, List<DeviceClaim> claims, Stock stock) {
        this.node = node;
        this.pools = pools;
        this.claims = claims;
        this.stock = stock;
        this.counters = new DeviceCounters(pools, stock.allocated);
    }

    /** What each claim gets; null if not all can get what they ask for. */
    @Nullable
    List<DeviceClaim.Allocation> find() throws DeviceTrouble {
        for (DevicePool pool : pools) {
            if (pool.usable()) {
                offers.addAll(pool.devices());
            }
        }
        for (DeviceClaim claim : claims) {
            check(claim);
        }
        if (!next(0, 0)) {
            return null;
        }
        List<DeviceClaim.Allocation> found = new ArrayList<>();
        for (int i = 0; i < claims.size(); i++) {
            found.add(DeviceResult.of(claims.get(i), taken.get(i), picked.get(i), stock.classes, node));
        }
        return found;
    }

    // ---- what is asked ----

    private void check(DeviceClaim claim) throws DeviceTrouble {
        long least = 0;
        for (DeviceRequest request : claim.requests()) {
            long fewest = Long.MAX_VALUE;
            for (Wish wish : request.wishes()) {
                fewest = Math.min(fewest, count(claim, wish));
            }
            least += request.wishes().isEmpty() ? 0 : fewest;
        }
        if (least > MOST_DEVICES) {
            throw new DeviceTrouble("claim " + claim.place() + ": number of requested devices " + least
                    + " exceeds the claim limit of " + MOST_DEVICES);
        }
        constraints.add(DeviceConstraint.of(claim));
        taken.add(new ArrayList<>());
        picked.add(new ArrayList<>());
    }

    private long count(DeviceClaim claim, Wish wish) throws DeviceTrouble {
        String where = "claim " + claim.place() + ", request " + wish.ownName() + ": ";
        if (!stock.classes.containsKey(wish.className())) {
            throw new DeviceTrouble(where + "could not retrieve device class " + wish.className());
        }
        if (!wish.all()) {
            if (!wish.mode().equals("ExactCount")) {
                throw new DeviceTrouble(where + "unsupported count mode " + wish.mode());
            }
            return wish.count();
        }
        List<DevicePool.Offer> all = new ArrayList<>();
        for (DevicePool pool : pools) {
            if (!pool.usable()) {
                String how = pool.incomplete() ? "being updated" : "invalid";
                throw new DeviceTrouble(
                        where + "asks for all devices, but resource pool " + pool.name() + " is currently " + how);
            }
            for (DevicePool.Offer offer : pool.devices()) {
                if (isSelected(claim, wish, offer) && portions(wish, offer.device()) != null) {
                    all.add(offer);
                }
            }
        }
        wanted.put(wish, all);
        return all.size();
    }

    // ---- the search ----

    /** Goes on with a request of a claim; whether all from here on are met. */
    private boolean next(int claim, int request) throws DeviceTrouble {
        if (claim == claims.size()) {
            return true;
        }
        List<DeviceRequest> requests = claims.get(claim).requests();
        if (request == requests.size()) {
            return next(claim + 1, 0);
        }
        for (Wish wish : requests.get(request).wishes()) {
            picked.get(claim).add(wish);
            if (fill(claim, request, wish, 0, 0)) {
                return true;
            }
            picked.get(claim).removeLast();
        }
        return false;
    }

    /**
     * Chooses one more device of a request.
     *
     * @param number how many it has until now
     * @param from the first device that may be chosen; those before were tried, and the order does not matter
     */
    private boolean fill(int claim, int request, Wish wish, int number, int from) throws DeviceTrouble {
        if (++steps > MOST_STEPS) {
            throw new DeviceTrouble("node " + node.name() + ": timed out trying to allocate devices");
        }
        List<DevicePool.Offer> all = wanted.get(wish);
        long count = all == null ? wish.count() : all.size();
        if (count == 0) {
            return false;
        }
        if (number == count) {
            return next(claim, request + 1);
        }
        if (taken.get(claim).size() + count - number > MOST_DEVICES) {
            return false;
        }
        if (all != null) {
            return isFree(claim, wish, all.get(number).device())
                    && take(claim, wish, all.get(number), true)
                    && (fill(claim, request, wish, number + 1, 0) || giveBack(claim));
        }
        for (int i = from; i < offers.size(); i++) {
            DevicePool.Offer offer = offers.get(i);
            boolean suits = isFree(claim, wish, offer.device())
                    && isSelected(claims.get(claim), wish, offer)
                    && take(claim, wish, offer, false);
            if (suits && (fill(claim, request, wish, number + 1, i + 1) || giveBack(claim))) {
                return true;
            }
        }
        return false;
    }

    private boolean isFree(int claim, Wish wish, Device device) {
        Set<Integer> its = holders.getOrDefault(device.id, Set.of());
        if (wish.admin()) {
            return !its.contains(claim);
        }
        return its.isEmpty() && !stock.allocated.isTaken(device.id);
    }

    private boolean isSelected(DeviceClaim claim, Wish wish, DevicePool.Offer offer) throws DeviceTrouble {
        Device device = offer.device();
        DeviceClass type = stock.classes.get(wish.className());
        if (type == null) {
            return false;
        }
        return stock.selectors.select(type.selectors(), device, "class " + type.name())
                && stock.selectors.select(wish.selectors(), device, "claim " + claim.place())
                && (!offer.source().slice().perDevice() || device.nodes.include(node));
    }

    /** How much of a device is given for a request; null if it has not so much. */
    private @Nullable Map<String, Quantity> portions(Wish wish, Device device) {
        if (!device.capacity.keySet().containsAll(wish.amounts().keySet())) {
            return null;
        }
        Map<String, Quantity> portions = new LinkedHashMap<>();
        for (Map.Entry<String, DeviceCapacity> each : device.capacity.entrySet()) {
            Quantity portion = each.getValue().portion(wish.amounts().get(each.getKey()));
            if (portion == null) {
                return null;
            }
            Quantity used = portion;
            for (AllocatedDevices others : List.of(stock.allocated, parts)) {
                Quantity more = others.used(device.id, each.getKey());
                used = more == null ? used : used.plus(more);
            }
            if (used.compareTo(each.getValue().value()) > 0) {
                return null;
            }
            portions.put(each.getKey(), portion);
        }
        return portions;
    }

    /**
     * Chooses a device that is free and selected, if nothing else is against it.
     *
     * @param must whether there is no other way
     */
    private boolean take(int claim, Wish wish, DevicePool.Offer offer, boolean must) throws DeviceTrouble {
        Device device = offer.device();
        Map<String, Quantity> portions = portions(wish, device);
        if (portions == null || !wish.tolerates(device)) {
            return false;
        }
        boolean first = isFirst(device);
        if (first && !counters.take(offer)) {
            return false;
        }
        if (!constrain(claim, wish, device)) {
            if (first) {
                counters.giveBack(offer);
            }
            if (must) {
                throw new DeviceTrouble("claim " + claims.get(claim).place() + ", request " + wish.ownName()
                        + ": cannot add device " + device.id + " because a claim constraint would not be satisfied");
            }
            return false;
        }
        List<Taken> its = taken.get(claim);
        String share = device.shared ? share(claims.get(claim), its.size(), device) : "";
        DeviceClaim.Given given = new DeviceClaim.Given(
                wish.fullName(), device.id, wish.admin(), share, device.shared ? portions : Map.of());
        if (device.shared) {
            parts.count(given, 1);
        } else {
            holders.computeIfAbsent(device.id, _ -> new HashSet<>()).add(claim);
        }
        its.add(new Taken(wish, offer, given));
        return true;
    }

    /** A name of its own for each part; made of what it belongs to, so that the same is chosen the same way again. */
    private static String share(DeviceClaim claim, int number, Device device) {
        return UUID.nameUUIDFromBytes((claim.uid() + "/" + number + "/" + device.id).getBytes(UTF_8))
                .toString();
    }

    private boolean constrain(int claim, Wish wish, Device device) {
        List<DeviceConstraint> all = constraints.get(claim);
        for (int i = 0; i < all.size(); i++) {
            if (!all.get(i).add(wish, device)) {
                all.subList(0, i).forEach(each -> each.removeLast(wish));
                return false;
            }
        }
        return true;
    }

    /** Whether nobody has a part of it, so that what it needs of counters is still to be taken. */
    private boolean isFirst(Device device) {
        return !device.shared || (!stock.allocated.isShared(device.id) && !parts.isShared(device.id));
    }

    /** Takes back what was chosen last for a claim; false, for who goes on looking. */
    private boolean giveBack(int claim) {
        Taken last = taken.get(claim).removeLast();
        Device device = last.offer.device();
        if (device.shared) {
            parts.count(last.given, -1);
        } else {
            Set<Integer> its = holders.get(device.id);
            if (its != null) {
                its.remove(claim);
            }
        }
        constraints.get(claim).forEach(each -> each.removeLast(last.wish));
        if (isFirst(device)) {
            counters.giveBack(last.offer);
        }
        return false;
    }
}
