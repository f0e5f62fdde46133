package lavaflow.placement;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/** Claims, volumes and classes, as far as they say where a pod may go. */
public final class Volumes {
    private final Map<String, VolumeClaim> claims = new HashMap<>();
    private final Map<String, Volume> volumes = new TreeMap<>();
    private final Map<String, VolumeClass> classes = new HashMap<>();
    /** How many volumes of a driver a node can have, by node and driver. */
    private final Map<String, Map<String, Long>> limits = new HashMap<>();

    /** How much can be made, by namespace and name of who says so. */
    private final Map<String, StorageCapacity> capacities = new TreeMap<>();
    /** Drivers that say how much they can make. */
    private final Map<String, Boolean> measured = new HashMap<>();

    /** What was chosen and the API has not told yet: claims by the names of volumes. */
    private final Map<String, String> chosen = new HashMap<>();

    /** The same as of now, for somebody who only reads. */
    Volumes copy() {
        Volumes copy = new Volumes();
        copy.claims.putAll(claims);
        copy.volumes.putAll(volumes);
        copy.classes.putAll(classes);
        copy.limits.putAll(limits);
        copy.capacities.putAll(capacities);
        copy.measured.putAll(measured);
        copy.chosen.putAll(chosen);
        return copy;
    }

    public void putClaim(String place, @Nullable VolumeClaim claim) {
        put(claims, place, claim);
        if (claim == null || claim.bound()) {
            chosen.values().remove(place);
        }
    }

    /** Nobody else is offered what was chosen, until the API tells who has it. */
    public void choose(List<Choice> choices) {
        for (Choice each : choices) {
            chosen.values().remove(each.claim().place());
            if (each.volume() != null) {
                chosen.put(each.volume().name(), each.claim().place());
            }
        }
    }

    /** Nothing came of a choice, or the API has told. */
    public void release(List<VolumeClaim> choosers) {
        choosers.forEach(claim -> chosen.values().remove(claim.place()));
    }

    public void putVolume(String name, @Nullable Volume volume) {
        put(volumes, name, volume);
    }

    public void putClass(String name, @Nullable VolumeClass type) {
        put(classes, name, type);
    }

    /**
     * How many volumes a node can have.
     *
     * @param most by the name of the driver
     */
    public void putLimits(String node, @Nullable Map<String, Long> most) {
        put(limits, node, most);
    }

    public void putCapacity(String place, @Nullable StorageCapacity capacity) {
        put(capacities, place, capacity);
    }

    /**
     * A driver has come, changed or gone.
     *
     * @param tells whether it says how much it can make
     */
    public void putDriver(String name, @Nullable Boolean tells) {
        put(measured, name, tells);
    }

    private static <T> void put(Map<String, T> all, String key, @Nullable T value) {
        if (value == null) {
            all.remove(key);
        } else {
            all.put(key, value);
        }
    }

    /** Whether all claims of a pod have their volume. */
    public boolean areBound(String namespace, List<String> names) {
        return names.stream().allMatch(name -> {
            VolumeClaim claim = claims.get(namespace + "/" + name);
            return claim != null && claim.bound();
        });
    }

    /** Who makes volumes for a claim; empty if nobody does. */
    public String provisioner(VolumeClaim claim) {
        VolumeClass type = classes.get(claim.className());
        return type == null ? "" : type.provisioner();
    }

    /** Whether nobody has deleted a claim since, nor put another in its place. */
    public boolean isStillThere(VolumeClaim claim) {
        VolumeClaim now = claims.get(claim.namespace() + "/" + claim.name());
        return now != null && now.uid().equals(claim.uid());
    }

    /** @param users the nodes of pods that have a claim */
    Wanted wanted(PodClass type, Function<VolumeClaim, List<NodeTable.Node>> users) {
        List<VolumeClaim> bound = new ArrayList<>();
        List<VolumeClaim> waiting = new ArrayList<>();
        String problem = null;
        for (String name : type.claims) {
            VolumeClaim claim = claims.get(type.namespace + "/" + name);
            if (claim == null) {
                problem = type.ownClaims.contains(name)
                        ? "waiting for ephemeral volume controller to create the persistentvolumeclaim \"" + name + "\""
                        : "persistentvolumeclaim \"" + name + "\" not found";
            } else if (claim.deleting()) {
                problem = "persistentvolumeclaim \"" + name + "\" is being deleted";
            } else if (claim.lost()) {
                problem = "persistentvolumeclaim \"" + name + "\" bound to non-existent persistentvolume \""
                        + claim.volume() + "\"";
            } else if (claim.bound()) {
                bound.add(claim);
            } else if (waits(claim)) {
                waiting.add(claim);
            } else {
                problem = problem == null ? "pod has unbound immediate PersistentVolumeClaims" : problem;
            }
        }
        return new Wanted(type, users, problem, bound, waiting);
    }

    /** Volumes of drivers with a limit that pods of a class have, by driver; one that is still to be made goes by its claim. */
    private void addDriven(PodClass type, Map<String, Long> limited, Map<String, Set<String>> found) {
        for (String name : type.claims) {
            VolumeClaim claim = claims.get(type.namespace + "/" + name);
            if (claim == null) {
                continue;
            }
            Volume volume = volumes.get(claim.volume());
            VolumeClass made = classes.get(claim.className());
            String driver = volume != null ? volume.driver() : made != null ? made.provisioner() : "";
            if (limited.containsKey(driver)) {
                String id = volume != null ? volume.handle() : type.namespace + "/" + name;
                found.computeIfAbsent(driver, _ -> new HashSet<>()).add(id);
            }
        }
    }

    /** Its volume is made or chosen once it is known where the pod goes. */
    private boolean waits(VolumeClaim claim) {
        VolumeClass type = classes.get(claim.className());
        return claim.volume().isEmpty() && type != null && type.waits();
    }

    /** What a pod needs. */
    public final class Wanted {
        private final PodClass type;
        private final Function<VolumeClaim, List<NodeTable.Node>> users;
        private final @Nullable String problem;
        private final List<VolumeClaim> bound;
        private final List<VolumeClaim> waiting;

        Wanted(
                PodClass type,
                Function<VolumeClaim, List<NodeTable.Node>> users,
                @Nullable String problem,
                List<VolumeClaim> bound,
                List<VolumeClaim> waiting) {
            this.type = type;
            this.users = users;
            this.problem = problem;
            this.bound = bound;
            this.waiting = waiting;
        }

        @Nullable
        String problem() {
            return problem;
        }

        /** @param pods on the node */
        @Nullable
        Reason refusal(NodeTable.Node node, Collection<PlacedPod> pods, Rules rules) {
            if (Stream.concat(bound.stream(), waiting.stream())
                    .anyMatch(claim -> claim.modes().contains("ReadWriteOncePod")
                            && !users.apply(claim).isEmpty())) {
                return Reason.CLAIM_IN_USE;
            }
            if (rules.volumeLimits() && exceedsLimits(node, pods)) {
                return Reason.VOLUME_COUNT;
            }
            Reason byBinding = rules.volumeBinding() ? refusalOfBinding(node) : null;
            return byBinding != null || !rules.volumeZones() || isInZone(node) ? byBinding : Reason.VOLUME_ZONE;
        }

        private @Nullable Reason refusalOfBinding(NodeTable.Node node) {
            for (VolumeClaim claim : bound) {
                Volume volume = volumes.get(claim.volume());
                if (volume == null) {
                    return Reason.LOST_VOLUME;
                }
                if (!volume.reachableFrom(node)) {
                    return Reason.VOLUME_CONFLICT;
                }
            }
            if (!waiting.isEmpty()) {
                List<Choice> choices = choices(node);
                if (choices == null) {
                    return Reason.NO_VOLUME;
                }
                if (!choices.stream().allMatch(choice -> choice.volume() != null || isRoomFor(choice.claim(), node))) {
                    return Reason.STORAGE_FULL;
                }
            }
            return null;
        }

        private boolean isInZone(NodeTable.Node node) {
            return bound.stream()
                    .map(claim -> volumes.get(claim.volume()))
                    .allMatch(volume -> volume == null || volume.zone().reachableFrom(node.labels()));
        }

        private boolean exceedsLimits(NodeTable.Node node, Collection<PlacedPod> pods) {
            Map<String, Long> limited = limits.get(node.name());
            if (limited == null) {
                return false;
            }
            Map<String, Set<String>> more = new HashMap<>();
            addDriven(type, limited, more);
            Map<String, Set<String>> present = new HashMap<>();
            if (!more.isEmpty()) {
                pods.forEach(pod -> addDriven(pod.type(), limited, present));
            }
            return more.entrySet().stream().anyMatch(each -> {
                Set<String> there = present.getOrDefault(each.getKey(), Set.of());
                long added = each.getValue().stream()
                        .filter(volume -> !there.contains(volume))
                        .count();
                return added > 0 && there.size() + added > limited.getOrDefault(each.getKey(), Long.MAX_VALUE);
            });
        }

        /** A volume for every claim that waits, or word that one is to be made; null if the node has none to offer. */
        @Nullable
        public List<Choice> choices(NodeTable.Node node) {
            List<Choice> choices = new ArrayList<>();
            List<String> taken = new ArrayList<>();
            for (VolumeClaim claim : waiting) {
                boolean asked = !claim.selectedNode().isEmpty();
                NodeTable.Node first = asked ? node : first(claim, node);
                Volume volume = asked ? null : smallest(claim, first, taken);
                boolean atHome = asked
                        ? claim.selectedNode().equals(node.name())
                        : first.name().equals(node.name());
                if (volume != null && volume.reachableFrom(node)) {
                    taken.add(volume.name());
                    choices.add(new Choice(claim, volume));
                } else if (volume == null && atHome && canBeMade(claim, node)) {
                    choices.add(new Choice(claim, null));
                } else {
                    return null;
                }
            }
            return choices;
        }

        /** The node whose volume a claim gets: that of a pod with the same claim which was placed before, else the one that is looked at. */
        private NodeTable.Node first(VolumeClaim claim, NodeTable.Node node) {
            List<NodeTable.Node> others = users.apply(claim);
            boolean here = others.stream().anyMatch(other -> other.name().equals(node.name()));
            return others.isEmpty() || here ? node : others.getFirst();
        }

        private @Nullable Volume smallest(VolumeClaim claim, NodeTable.Node node, List<String> taken) {
            Volume best = null;
            for (Volume volume : volumes.values()) {
                boolean free = !taken.contains(volume.name())
                        && chosen.getOrDefault(volume.name(), claim.place()).equals(claim.place());
                boolean fits = free && volume.suits(claim) && volume.reachableFrom(node);
                if (fits && (best == null || volume.size() < best.size())) {
                    best = volume;
                }
            }
            return best;
        }

        private boolean isRoomFor(VolumeClaim claim, NodeTable.Node node) {
            VolumeClass made = classes.get(claim.className());
            return made == null
                    || !measured.getOrDefault(made.provisioner(), false)
                    || capacities.values().stream().anyMatch(each -> each.suffices(claim, node));
        }

        private boolean canBeMade(VolumeClaim claim, NodeTable.Node node) {
            VolumeClass type = classes.get(claim.className());
            return type != null && claim.selectsAny() && type.canMakeFor(node);
        }
    }

    /**
     * What a claim gets.
     *
     * @param volume null where one has to be made
     */
    public record Choice(VolumeClaim claim, @Nullable Volume volume) {}
}
