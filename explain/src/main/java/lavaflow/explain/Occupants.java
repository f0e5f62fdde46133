package lavaflow.explain;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import lavaflow.gang.Gang;
import lavaflow.gang.GangCore;
import lavaflow.gang.GroupPhase;
import lavaflow.gang.GroupSpec;
import lavaflow.gang.Inquiry;
import lavaflow.gang.Member;
import lavaflow.gang.MemberSpec;
import lavaflow.gang.Snapshot;
import lavaflow.kube.PodRequests;
import lavaflow.placement.ScheduledPod;

/** Those who have what a gang waits for: which of them have to end. */
final class Occupants {
    /** How many jobs are named of which each alone would do. */
    private static final int ALTERNATIVES = 3;
    /** How many are tried for that. */
    private static final int SINGLES = 24;

    private final Laboratory laboratory;
    private final List<Change> all;

    Occupants(Laboratory laboratory, GangCore core, Gang gang) {
        this.laboratory = laboratory;
        this.all = inOrder(core, gang, laboratory.cluster().now());
    }

    /** Sets of jobs of which each would do; none of a set can stay. */
    List<List<Change>> remedies(List<Change> fixed) {
        List<List<Change>> found = new ArrayList<>();
        if (all.isEmpty() || !laboratory.goesOn() || !laboratory.frees(Laboratory.joined(fixed, all))) {
            return found;
        }
        for (Change each : all.subList(0, Math.min(SINGLES, all.size()))) {
            List<Change> alone = Laboratory.joined(fixed, List.of(each));
            if (found.size() < ALTERNATIVES && laboratory.goesOn() && laboratory.frees(alone)) {
                found.add(alone);
            }
        }
        if (found.isEmpty() && laboratory.goesOn()) {
            found.add(Laboratory.joined(fixed, laboratory.fewest(fixed, enough(fixed))));
        }
        return found;
    }

    /** As many of the first as it takes, roughly. */
    private List<Change> enough(List<Change> fixed) {
        for (int count = 2; count < all.size() && laboratory.goesOn(); count *= 2) {
            if (laboratory.frees(Laboratory.joined(fixed, all.subList(0, count)))) {
                return all.subList(0, count);
            }
        }
        return all;
    }

    // ---- who there is ----

    /** Somebody who might have to end. */
    private record Candidate(Change change, boolean useful, int priority, int pods, Instant created, String name) {}

    private static List<Change> inOrder(GangCore core, Gang gang, Instant now) {
        Snapshot after = core.snapshot(now);
        Set<String> useful = core.inquire(now, inquiry -> useful(inquiry, gang, after));
        Map<String, List<ScheduledPod>> byGroup = new LinkedHashMap<>();
        after.groups().forEach(group -> byGroup.put(group.key(), new ArrayList<>()));
        for (MemberSpec member : after.members()) {
            List<ScheduledPod> its = byGroup.get(member.pod().namespace() + "/" + member.group());
            if (its != null && member.pod().occupies()) {
                its.add(member.pod());
            }
        }
        List<Candidate> candidates = new ArrayList<>();
        for (GroupSpec group : after.groups()) {
            Gang its = core.findGang(group.key());
            boolean ended = group.phase().equals("Completed");
            if (its == null || its == gang || ended || isIdle(its)) {
                continue;
            }
            List<ScheduledPod> pods = byGroup.getOrDefault(group.key(), List.of());
            Change change = new Change.EndJob(group.key(), group.queue(), pods.size(), frees(core, its, now));
            boolean helps = pods.stream().anyMatch(pod -> useful.contains(pod.node()));
            candidates.add(new Candidate(change, helps, its.priority(), pods.size(), group.created(), group.key()));
        }
        for (ScheduledPod pod : after.others()) {
            if (!pod.namespace().equals("kube-system")) {
                Change change = new Change.EndPod(pod.place(), pod.uid(), requests(pod));
                boolean helps = useful.contains(pod.node());
                candidates.add(new Candidate(change, helps, pod.priority(), 1, pod.created(), pod.place()));
            }
        }
        return candidates.stream()
                .sorted(Comparator.comparing((Candidate each) -> !each.useful)
                        .thenComparing(each -> each.pods == 0)
                        .thenComparingInt(Candidate::priority)
                        .thenComparingInt(Candidate::pods)
                        .thenComparing(Candidate::created, Comparator.reverseOrder())
                        .thenComparing(Candidate::name))
                .map(Candidate::change)
                .toList();
    }

    /** Whether it neither has room nor was promised any. */
    private static boolean isIdle(Gang gang) {
        boolean promised =
                gang.phase() == GroupPhase.INQUEUE && !gang.minResources().isEmpty();
        return gang.allocated().isEmpty()
                && !promised
                && gang.members().stream().noneMatch(Occupants::isGoing);
    }

    private static boolean isGoing(Member member) {
        return member.stage().isLeaving();
    }

    private static Set<String> useful(Inquiry inquiry, Gang gang, Snapshot after) {
        Set<String> useful = new HashSet<>();
        for (Inquiry.Fitting each : inquiry.fitting(gang)) {
            if (each.fitting() < each.kind().pods()) {
                after.nodes().forEach(node -> {
                    if (inquiry.wouldTake(gang, each.kind().first(), node.name())) {
                        useful.add(node.name());
                    }
                });
            }
        }
        return useful;
    }

    private static Map<String, Long> frees(GangCore core, Gang gang, Instant now) {
        Map<String, Long> frees = core.inquire(now, inquiry -> inquiry.amounts(gang.allocated()));
        frees.remove("pods");
        return frees;
    }

    private static Map<String, Long> requests(ScheduledPod pod) {
        return new TreeMap<>(PodRequests.of(pod.key()));
    }
}
