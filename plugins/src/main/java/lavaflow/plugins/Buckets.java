package lavaflow.plugins;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import lavaflow.gang.Amounts;
import lavaflow.gang.Gang;
import lavaflow.gang.Member;

import org.jspecify.annotations.Nullable;

/** The pods of a gang, sorted into buckets whose pods are to be on one node. */
final class Buckets {
    /** Pods that belong together. */
    static final class Bucket {
        private final int index;
        private final List<Member> members = new ArrayList<>();
        private final Map<String, Integer> roles = new TreeMap<>();
        private final Amounts request = Amounts.none();

        private Bucket(int index) {
            this.index = index;
        }

        int index() {
            return index;
        }

        List<Member> members() {
            return Collections.unmodifiableList(members);
        }

        private void add(Member member) {
            members.add(member);
            roles.merge(member.spec().role(), 1, Integer::sum);
            request.add(member.request());
        }
    }

    private final RoleAffinity affinity;
    private final List<Bucket> buckets = new ArrayList<>();
    private final Map<Member, Bucket> places = new HashMap<>();

    Buckets(Gang gang, RoleAffinity affinity) {
        this.affinity = affinity;
        List<Member> members = new ArrayList<>();
        gang.members().stream()
                .filter(each -> affinity.concerns(each.spec().role()))
                .forEach(members::add);
        members.sort(
                (one, other) -> affinity.compare(one.spec().role(), other.spec().role()));
        Map<Integer, Bucket> byNode = new HashMap<>();
        for (Member each : members) {
            if (each.slot() >= 0) {
                put(each, byNode.computeIfAbsent(each.slot(), _ -> made()));
            }
        }
        for (Member each : members) {
            if (each.slot() < 0) {
                Bucket best = best(each);
                put(each, best == null ? made() : best);
            }
        }
    }

    private Bucket made() {
        Bucket bucket = new Bucket(buckets.size());
        buckets.add(bucket);
        return bucket;
    }

    private void put(Member member, Bucket bucket) {
        bucket.add(member);
        places.put(member, bucket);
    }

    /** The bucket a pod wants to be in most, of equal ones the smallest; null if it does not want to be in any. */
    private @Nullable Bucket best(Member member) {
        Bucket best = null;
        int most = -1;
        for (Bucket each : buckets) {
            int net = affinity.net(member.spec().role(), each.roles, false);
            boolean smaller = best != null && net == most && each.request.within(best.request);
            if (net > most || (net >= 0 && smaller)) {
                best = each;
                most = net;
            }
        }
        return best;
    }

    RoleAffinity affinity() {
        return affinity;
    }

    @Nullable
    Bucket of(Member member) {
        return places.get(member);
    }

    /** How many pods the largest has; at least one. */
    int largest() {
        return Math.max(
                1, buckets.stream().mapToInt(each -> each.members.size()).max().orElse(1));
    }
}
