package lavaflow.placement;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/** The devices a pod needs, as its claims say. Answers hold as long as nothing else is given devices. */
public final class DeviceNeeds {
    private static final int MOST_ALTERNATIVES = 8;

    private final Devices devices;
    private final @Nullable String problem;
    private final ScheduledPod pod;
    private final PodClass type;
    /** A claim that was made for resources of the pod's containers before, and came to nothing. */
    private final @Nullable DeviceClaim stale;

    private final List<DeviceClaim> claims = new ArrayList<>();
    /** Of these, the ones that have no devices yet. */
    private final List<DeviceClaim> open = new ArrayList<>();

    private final Map<String, @Nullable List<DeviceClaim.Allocation>> found = new HashMap<>();
    /** By the resources of which a node has none itself. */
    private final Map<Set<String>, ExtendedClaim> extended = new HashMap<>();
    /** Something is wrong with a claim or a class. */
    private @Nullable String trouble;

    DeviceNeeds(Devices devices, ScheduledPod pod, PodClass type) {
        this.devices = devices;
        this.pod = pod;
        this.type = type;
        this.stale = devices.isBackingAny(type) ? devices.extendedClaim(pod.uid()) : null;
        this.problem = gather();
    }

    private @Nullable String gather() {
        for (PodClaim each : type.devices) {
            if (!each.problem().isEmpty()) {
                return each.problem();
            }
            String place = type.namespace + "/" + each.name();
            DeviceClaim claim = devices.claim(place);
            if (claim == null) {
                return "could not find ResourceClaim \"" + place + "\"";
            }
            if (claim.deleting()) {
                return "resourceclaim \"" + claim.name() + "\" is being deleted";
            }
            if (!each.user().isEmpty() && !claim.owner().equals(each.user())) {
                return "ResourceClaim " + place + " was not created for Pod " + pod.place() + " (Pod is not owner)";
            }
            if (!claims.contains(claim)) {
                claims.add(claim);
            }
        }
        for (DeviceClaim claim : claims) {
            if (devices.allocation(claim) == null) {
                open.add(claim);
                String wrong = problemOf(claim);
                if (wrong != null) {
                    return wrong;
                }
            }
        }
        return null;
    }

    private @Nullable String problemOf(DeviceClaim claim) {
        for (DeviceRequest request : claim.requests()) {
            if (request.wishes().isEmpty()) {
                return "resource claim " + claim.place() + ", request " + request.name() + ": unknown request type";
            }
            for (DeviceRequest.Wish wish : request.wishes()) {
                if (!devices.hasClass(wish.className())) {
                    return "request " + wish.fullName() + ": device class " + wish.className() + " does not exist";
                }
            }
        }
        return null;
    }

    /** Something no node can help with; null if there is nothing such. */
    public @Nullable String problem() {
        return problem;
    }

    /** What went wrong while nodes were looked at, so that no other is of any use; null if nothing. */
    public @Nullable String trouble() {
        return trouble;
    }

    List<DeviceClaim> claims() {
        return claims;
    }

    List<DeviceClaim> open() {
        return open;
    }

    /** A claim that has to go before the pod can be given anything; null if there is none. */
    public @Nullable DeviceClaim stale() {
        return stale;
    }

    /** The claim for what containers ask for, where a node has that as devices only; null if it has all of it itself. */
    @Nullable
    ExtendedClaim extended(NodeTable.Node node) {
        Map<String, DeviceClass> classes = new LinkedHashMap<>();
        for (String resource : type.extended) {
            DeviceClass behind = devices.classOf(resource);
            if (behind != null && node.allocatable().getOrDefault(resource, 0L) == 0) {
                classes.put(resource, behind);
            }
        }
        return classes.isEmpty()
                ? null
                : extended.computeIfAbsent(classes.keySet(), _ -> ExtendedClaim.of(pod, type, classes));
    }

    /** What the claims without devices would get on a node, that of its containers last; null if they cannot get all they need. */
    @Nullable
    List<DeviceClaim.Allocation> allocations(NodeTable.Node node) {
        ExtendedClaim more = extended(node);
        if (open.isEmpty() && more == null) {
            return List.of();
        }
        if (!found.containsKey(node.name())) {
            List<DeviceClaim.Allocation> answer = null;
            try {
                List<DeviceClaim> all = new ArrayList<>(open);
                if (more != null) {
                    all.add(more.claim());
                }
                answer = devices.search(node, all);
            } catch (DeviceTrouble wrong) {
                trouble = trouble == null ? wrong.text() : trouble;
            }
            found.put(node.name(), answer);
        }
        return found.get(node.name());
    }

    /** Whether the devices of a claim will never be ready. */
    private boolean isLost(DeviceClaim claim) {
        boolean lost = claim.binding().problem(claim.name(), devices.now()) != null;
        if (lost && !devices.hasOtherUsers(claim, pod.uid())) {
            devices.noteLost(claim);
        }
        return lost;
    }

    /** Null if the node will do. */
    @Nullable
    Reason refusal(NodeTable.Node node) {
        if (stale != null) {
            devices.noteStale(stale);
            return Reason.STALE_CLAIM;
        }
        boolean reachable = true;
        for (DeviceClaim claim : claims) {
            DeviceClaim.Allocation has = devices.allocation(claim);
            reachable &= has == null || (has.reachableFrom(node) && !isLost(claim));
        }
        if (allocations(node) == null) {
            return devices.pools(node).stream().anyMatch(DevicePool::invalid) ? Reason.DEVICE_POOLS : Reason.DEVICES;
        }
        return reachable ? null : Reason.DEVICES_ELSEWHERE;
    }

    /** How good what a node offers is: earlier alternatives are better. */
    long score(NodeTable.Node node) {
        long score = 0;
        List<DeviceClaim.Allocation> given = allocations(node);
        for (DeviceClaim claim : claims) {
            int number = open.indexOf(claim);
            DeviceClaim.Allocation has =
                    number < 0 ? devices.allocation(claim) : given == null ? null : given.get(number);
            if (has != null) {
                score += score(claim, has.requests());
            }
        }
        return score;
    }

    private static long score(DeviceClaim claim, List<String> met) {
        long score = 0;
        for (DeviceRequest request : claim.requests()) {
            for (int i = 0; i < request.wishes().size(); i++) {
                DeviceRequest.Wish wish = request.wishes().get(i);
                if (!wish.alternative().isEmpty() && met.contains(wish.fullName())) {
                    score += MOST_ALTERNATIVES - i;
                }
            }
        }
        return score;
    }

    boolean hasAlternatives() {
        return claims.stream()
                .flatMap(claim -> claim.requests().stream())
                .anyMatch(request -> request.wishes().size() > 1);
    }

    /**
     * A claim whose devices cannot be reached from some node and that nobody but this pod needs: without them it may get others. Null if
     * there is none.
     *
     * @param nodes those that were looked at
     */
    public @Nullable DeviceClaim dispensable(List<NodeTable.Node> nodes) {
        for (DeviceClaim claim : claims) {
            DeviceClaim.Allocation has = claim.allocation();
            if (has != null
                    && (isLost(claim) || nodes.stream().anyMatch(node -> !has.reachableFrom(node)))
                    && !devices.hasOtherUsers(claim, pod.uid())) {
                return claim;
            }
        }
        return null;
    }
}
