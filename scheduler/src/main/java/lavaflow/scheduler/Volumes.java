package lavaflow.scheduler;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/** Claims, volumes and classes, as far as they say where a pod may go. */
final class Volumes {
    private final Map<String, VolumeClaim> claims = new HashMap<>();
    private final Map<String, Volume> volumes = new TreeMap<>();
    private final Map<String, VolumeClass> classes = new HashMap<>();

    void putClaim(String place, @Nullable VolumeClaim claim) {
        put(claims, place, claim);
    }

    void putVolume(String name, @Nullable Volume volume) {
        put(volumes, name, volume);
    }

    void putClass(String name, @Nullable VolumeClass type) {
        put(classes, name, type);
    }

    private static <T> void put(Map<String, T> all, String key, @Nullable T value) {
        if (value == null) {
            all.remove(key);
        } else {
            all.put(key, value);
        }
    }

    /** Whether all claims of a pod have their volume. */
    boolean areBound(String namespace, List<String> names) {
        return names.stream().allMatch(name -> {
            VolumeClaim claim = claims.get(namespace + "/" + name);
            return claim != null && claim.bound();
        });
    }

    /** Whether nobody has deleted a claim since, nor put another in its place. */
    boolean isStillThere(VolumeClaim claim) {
        VolumeClaim now = claims.get(claim.namespace() + "/" + claim.name());
        return now != null && now.uid().equals(claim.uid());
    }

    Wanted wanted(PodClass type) {
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
        return new Wanted(problem, bound, waiting);
    }

    /** Its volume is made or chosen once it is known where the pod goes. */
    private boolean waits(VolumeClaim claim) {
        VolumeClass type = classes.get(claim.className());
        return claim.volume().isEmpty() && type != null && type.waits();
    }

    /** What a pod needs. */
    final class Wanted {
        private final @Nullable String problem;
        private final List<VolumeClaim> bound;
        private final List<VolumeClaim> waiting;

        Wanted(@Nullable String problem, List<VolumeClaim> bound, List<VolumeClaim> waiting) {
            this.problem = problem;
            this.bound = bound;
            this.waiting = waiting;
        }

        @Nullable
        String problem() {
            return problem;
        }

        @Nullable
        Reason refusal(NodeTable.Node node) {
            for (VolumeClaim claim : bound) {
                Volume volume = volumes.get(claim.volume());
                if (volume == null) {
                    return Reason.LOST_VOLUME;
                }
                if (!volume.reachableFrom(node)) {
                    return Reason.VOLUME_CONFLICT;
                }
            }
            return waiting.isEmpty() || choices(node) != null ? null : Reason.NO_VOLUME;
        }

        /** A volume for every claim that waits, or word that one is to be made; null if the node has none to offer. */
        @Nullable
        List<Choice> choices(NodeTable.Node node) {
            List<Choice> choices = new ArrayList<>();
            List<String> taken = new ArrayList<>();
            for (VolumeClaim claim : waiting) {
                if (!claim.selectedNode().isEmpty() && !claim.selectedNode().equals(node.name())) {
                    return null;
                }
                Volume volume = claim.selectedNode().isEmpty() ? smallest(claim, node, taken) : null;
                if (volume != null) {
                    taken.add(volume.name());
                    choices.add(new Choice(claim, volume));
                } else if (canBeMade(claim, node)) {
                    choices.add(new Choice(claim, null));
                } else {
                    return null;
                }
            }
            return choices;
        }

        private @Nullable Volume smallest(VolumeClaim claim, NodeTable.Node node, List<String> taken) {
            Volume best = null;
            for (Volume volume : volumes.values()) {
                boolean fits = !taken.contains(volume.name()) && volume.suits(claim) && volume.reachableFrom(node);
                if (fits && (best == null || volume.size() < best.size())) {
                    best = volume;
                }
            }
            return best;
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
    record Choice(VolumeClaim claim, @Nullable Volume volume) {}
}
