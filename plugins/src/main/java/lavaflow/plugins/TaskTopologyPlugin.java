package lavaflow.plugins;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import lavaflow.gang.Amounts;
import lavaflow.gang.Arguments;
import lavaflow.gang.Gang;
import lavaflow.gang.Member;
import lavaflow.gang.Plugin;
import lavaflow.gang.Session;
import lavaflow.gang.Stage;

import org.jspecify.annotations.Nullable;

/** Puts roles of a gang together on nodes, or apart, as its annotations say: pods that belong together go into one bucket. */
final class TaskTopologyPlugin implements Plugin, Plugin.MemberOrder, Plugin.BatchScore {
    private static final double MOST = 100;

    private final int weight;
    private Session session;
    private final Map<Gang, Buckets> known = new HashMap<>();

    TaskTopologyPlugin(Session session, Arguments arguments) {
        this.session = session;
        this.weight = arguments.integer("task-topology.weight", 1);
    }

    @Override
    public void open(Session opened) {
        session = opened;
        known.clear();
    }

    /** Null for a gang that says nothing of the kind. */
    private @Nullable Buckets buckets(Gang gang) {
        RoleAffinity affinity = RoleAffinity.of(gang);
        return affinity == null ? null : known.computeIfAbsent(gang, _ -> new Buckets(gang, affinity));
    }

    // ---- pods ----

    @Override
    public int compareMembers(Member one, Member other) {
        Buckets buckets = one.gang() == other.gang() ? buckets(one.gang()) : null;
        if (buckets == null) {
            return 0;
        }
        Buckets.Bucket its = buckets.of(one);
        Buckets.Bucket others = buckets.of(other);
        if (its == null || others == null) {
            return Boolean.compare(its == null, others == null);
        }
        int bySize = Integer.compare(others.members().size(), its.members().size());
        if (bySize != 0) {
            return bySize;
        }
        int byIndex = Integer.compare(its.index(), others.index());
        return byIndex != 0
                ? byIndex
                : buckets.affinity().compare(one.spec().role(), other.spec().role());
    }

    // ---- nodes ----

    @Override
    public boolean concerns(Member member) {
        Buckets buckets = buckets(member.gang());
        return weight != 0 && buckets != null && buckets.of(member) != null;
    }

    @Override
    public void score(Member member, int[] slots, double[] scores) {
        Buckets buckets = buckets(member.gang());
        Buckets.Bucket bucket = buckets == null ? null : buckets.of(member);
        if (buckets == null || bucket == null) {
            return;
        }
        Map<Integer, Integer> together = new HashMap<>();
        Map<Integer, Map<String, Integer>> apart = new HashMap<>();
        for (Member each : member.gang().members()) {
            if (each.slot() < 0 || !(each.stage().holdsRoom() || each.stage() == Stage.PIPELINED)) {
                continue;
            }
            if (buckets.of(each) == bucket) {
                together.merge(each.slot(), 1, Integer::sum);
            } else {
                apart.computeIfAbsent(each.slot(), _ -> new TreeMap<>())
                        .merge(each.spec().role(), 1, Integer::sum);
            }
        }
        List<Amounts> waiting = new ArrayList<>();
        bucket.members().stream()
                .filter(each -> each.stage() == Stage.PENDING)
                .forEach(each -> waiting.add(each.request()));
        for (int i = 0; i < slots.length; i++) {
            int slot = slots[i];
            int others = buckets.affinity().net(member.spec().role(), apart.getOrDefault(slot, Map.of()), true);
            int sum = together.getOrDefault(slot, 0) + others + fitting(waiting, slot);
            scores[i] += sum * weight * MOST / buckets.largest();
        }
    }

    /** How many of those that wait have room on a node together. */
    private int fitting(List<Amounts> waiting, int slot) {
        Amounts room = session.room(slot, false);
        int count = 0;
        for (Amounts each : waiting) {
            if (each.within(room, each)) {
                room.subtract(each);
                count++;
            }
        }
        return count;
    }
}
