package lavaflow.gang;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.placement.ClusterState;
import lavaflow.placement.PlacedPod;

/** Pods whose PodGroup nobody has told of. */
final class Orphans {
    private final ClusterState cluster;
    /** By the key of their group and their uid. */
    private final Map<String, Map<String, MemberSpec>> waiting = new HashMap<>();
    /** Those of groups that are gone which were being bound: they keep their place until it is known what became of that. */
    private final Set<String> given = new HashSet<>();

    Orphans(ClusterState cluster) {
        this.cluster = cluster;
    }

    void put(MemberSpec spec) {
        waiting.computeIfAbsent(spec.groupKey(), _ -> new LinkedHashMap<>())
                .put(spec.pod().uid(), spec);
    }

    /** Those of a group that is there now. */
    Collection<MemberSpec> take(String group) {
        Map<String, MemberSpec> taken = waiting.remove(group);
        return taken == null ? List.of() : taken.values();
    }

    void remove(MemberSpec spec) {
        Map<String, MemberSpec> peers = waiting.get(spec.groupKey());
        if (peers != null && peers.remove(spec.pod().uid()) != null && peers.isEmpty()) {
            waiting.remove(spec.groupKey());
        }
    }

    void remove(String uid) {
        waiting.values().forEach(peers -> peers.remove(uid));
        waiting.values().removeIf(Map::isEmpty);
    }

    /** All of them, where they are as far as it was decided. */
    List<MemberSpec> all() {
        List<MemberSpec> all = new ArrayList<>();
        waiting.values()
                .forEach(peers -> peers.values().forEach(spec -> {
                    PlacedPod placed = isGiven(spec.pod().uid())
                            ? cluster.findPlaced(spec.pod().uid())
                            : null;
                    all.add(
                            placed == null
                                    ? spec
                                    : spec.with(spec.pod().on(placed.pod().node())));
                }));
        return all;
    }

    /** One is being bound. */
    void give(String uid) {
        given.add(uid);
    }

    boolean isGiven(String uid) {
        return given.contains(uid);
    }

    /** It is known what became of one that was being bound; false if it was not. */
    boolean takeGiven(String uid) {
        return given.remove(uid);
    }

    /** Those that are being bound. */
    Set<String> given() {
        return given;
    }
}
