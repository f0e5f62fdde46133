package lavaflow.explain;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import lavaflow.explain.Change.LowerMinimum;
import lavaflow.explain.Change.MakePods;
import lavaflow.gang.Gang;
import lavaflow.gang.Member;
import lavaflow.gang.Stage;

import org.jspecify.annotations.Nullable;

/** What a gang lacks that has fewer pods than it must have: those pods, or smaller minima. */
final class TooFewPods {
    private final Gang gang;
    /** Of roles that have fewer than they must: how many. */
    private final Map<String, Integer> ofRoles = new TreeMap<>();

    TooFewPods(Gang gang) {
        this.gang = gang;
        if (!gang.areRolesValid()) {
            gang.spec().minTaskMember().forEach((role, least) -> {
                int valid = valid(role);
                if (valid < least) {
                    ofRoles.put(role, valid);
                }
            });
        }
    }

    private int valid(String role) {
        return gang.tally(role).valid();
    }

    /** As many more as it must have, like those there are; empty where nobody knows what they are like. */
    List<Change> made() {
        List<Change> made = new ArrayList<>();
        int missing = gang.spec().minMember() - gang.valid();
        for (Map.Entry<String, Integer> each : ofRoles.entrySet()) {
            int count = gang.spec().minTaskMember().getOrDefault(each.getKey(), 0) - each.getValue();
            Optional<Member> like = like(each.getKey());
            if (like.isEmpty()) {
                return List.of();
            }
            made.add(new MakePods(gang.spec().key(), count, like.get().spec()));
            missing -= count;
        }
        Optional<Member> like = like(null);
        if (missing > 0 && like.isPresent()) {
            made.add(new MakePods(gang.spec().key(), missing, like.get().spec()));
        }
        return made;
    }

    /** The first that waits without a scheduling gate, or else the first there is; of any role if none is told. */
    private Optional<Member> like(@Nullable String role) {
        return gang.members().stream()
                .filter(each -> role == null || each.spec().role().equals(role))
                .min(Comparator.comparing((Member each) -> each.stage() != Stage.PENDING)
                        .thenComparing(each -> each.spec().gated())
                        .thenComparing(each -> each.spec().pod().name()));
    }

    /** Minima that the pods there are meet; empty if there are none. */
    List<Change> lowered() {
        List<Change> lowered = new ArrayList<>();
        if (gang.valid() == 0) {
            return lowered;
        }
        String key = gang.spec().key();
        ofRoles.forEach((role, valid) -> lowered.add(
                new LowerMinimum(key, role, gang.spec().minTaskMember().getOrDefault(role, 0), valid)));
        if (gang.valid() < gang.spec().minMember()) {
            lowered.add(new LowerMinimum(key, "", gang.spec().minMember(), gang.valid()));
        }
        return lowered;
    }
}
