package lavaflow.plugins;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import lavaflow.gang.Amounts;
import lavaflow.gang.Gang;
import lavaflow.gang.Member;
import lavaflow.gang.Plugin;
import lavaflow.gang.Queue;
import lavaflow.gang.Session;
import lavaflow.kube.Json;

import org.jspecify.annotations.Nullable;

/**
 * Dominant resource fairness down a tree: queues say in annotations where they are and what each step of the way weighs; the branch comes
 * first that has least of what it has most of. A branch that cannot use more does not hold the others back.
 */
final class HierarchicalDrfPlugin
        implements Plugin, Plugin.GangOrder, Plugin.QueueOrder, Plugin.Victims, Plugin.Account {
    private static final String HIERARCHY = "volcano.sh/hierarchy";
    private static final String WEIGHTS = "volcano.sh/hierarchy-weights";

    /** A step of the way, or a gang at its end. */
    private static final class Branch {
        private final double weight;
        private final @Nullable Gang gang;
        private final Map<String, Branch> children = new LinkedHashMap<>();
        private Amounts allocated = Amounts.none();
        private double share;
        private boolean saturated;

        private Branch(double weight, @Nullable Gang gang) {
            this.weight = weight;
            this.gang = gang;
        }

        private double weighed() {
            return share / weight;
        }
    }

    private final DrfPlugin shares = new DrfPlugin();
    private final Session session;
    /** What is tried out: how much gangs have more, or less. */
    private final Map<Gang, Amounts> changes = new HashMap<>();

    private Branch root = new Branch(1, null);
    private final Map<Queue, List<Branch>> ways = new HashMap<>();
    private boolean stale = true;

    HierarchicalDrfPlugin(Session session) {
        this.session = session;
    }

    // ---- the tree ----

    @Override
    public void open(Session opened) {
        shares.open(opened);
        root = new Branch(1, null);
        ways.clear();
        session.queues().forEach(this::grow);
        stale = true;
    }

    private void grow(Queue queue) {
        String[] names = Json.textAt(queue.spec().annotations(), HIERARCHY).split("/", -1);
        String[] weights = Json.textAt(queue.spec().annotations(), WEIGHTS).split("/", -1);
        List<Branch> way = new ArrayList<>(List.of(root));
        for (int step = 1; step < names.length; step++) {
            double weight = weight(weights, step);
            way.add(way.getLast().children.computeIfAbsent(names[step], _ -> new Branch(weight, null)));
        }
        ways.put(queue, way);
        for (Gang gang : queue.gangs()) {
            way.getLast().children.put("gang " + gang.spec().key(), new Branch(1, gang));
        }
    }

    private static double weight(String[] weights, int step) {
        try {
            return step < weights.length ? Math.max(1, Double.parseDouble(weights[step])) : 1;
        } catch (NumberFormatException e) {
            return 1;
        }
    }

    private void refresh() {
        Amounts used = session.used().copy();
        changes.values().forEach(used::add);
        update(root, used);
        stale = false;
    }

    private void update(Branch branch, Amounts used) {
        Gang gang = branch.gang;
        if (gang != null) {
            branch.allocated = gang.claimed().copy();
            Amounts change = changes.get(gang);
            if (change != null) {
                branch.allocated.add(change);
            }
            branch.saturated = isSaturated(branch.allocated, gang.request(), used);
        } else {
            branch.children.values().forEach(child -> update(child, used));
            branch.allocated = allocated(branch);
            branch.saturated = branch.children.values().stream().allMatch(child -> child.saturated);
        }
        branch.share = branch.allocated.shareOf(session.total());
    }

    /** Those that could use more count as if they had no more than the one of them that has least. */
    private static Amounts allocated(Branch branch) {
        double least = 1;
        for (Branch child : branch.children.values()) {
            if (child.share != 0 && !child.saturated) {
                least = Math.min(least, child.share);
            }
        }
        Amounts sum = Amounts.none();
        for (Branch child : branch.children.values()) {
            if (child.share != 0) {
                sum.add(child.allocated, child.saturated ? 1 : least / child.share);
            }
        }
        return sum;
    }

    /** Whether a gang has all it wants of something, or there is no more of something it wants. */
    private boolean isSaturated(Amounts allocated, Amounts request, Amounts used) {
        for (int column = 0; column < request.size(); column++) {
            boolean wanted = !request.lacks(column);
            boolean exhausted = used.get(column) >= session.total().get(column);
            if (wanted && (exhausted || allocated.get(column) >= request.get(column))) {
                return true;
            }
        }
        return false;
    }

    // ---- what it is asked ----

    @Override
    public int compareGangs(Gang one, Gang other) {
        return shares.compareGangs(one, other);
    }

    @Override
    public int compareQueues(Queue one, Queue other) {
        if (stale) {
            refresh();
        }
        List<Branch> left = ways.getOrDefault(one, List.of());
        List<Branch> right = ways.getOrDefault(other, List.of());
        for (int step = 0; step < Math.min(left.size(), right.size()); step++) {
            Branch its = left.get(step);
            Branch others = right.get(step);
            int order = Boolean.compare(its.saturated, others.saturated);
            if (order == 0) {
                order = Double.compare(its.weighed(), others.weighed());
            }
            if (order != 0) {
                return order;
            }
        }
        return Integer.compare(left.size(), right.size());
    }

    @Override
    public boolean countsVictims() {
        return true;
    }

    @Override
    public List<Member> preemptable(Member by, List<Member> candidates) {
        return shares.preemptable(by, candidates);
    }

    @Override
    public @Nullable List<Member> evictable(Member by, boolean reclaim, List<Member> candidates) {
        return reclaim ? reclaimable(by, candidates) : null;
    }

    /** Those whose queue would still come after that of the pod that takes their place. */
    @Override
    public List<Member> reclaimable(Member by, List<Member> candidates) {
        List<Member> victims = new ArrayList<>();
        Queue needy = by.gang().queue();
        change(by, 1);
        for (Member each : candidates) {
            Queue giving = each.gang().queue();
            change(each, -1);
            refresh();
            if (needy != null && giving != null && compareQueues(needy, giving) < 0) {
                victims.add(each);
            } else {
                change(each, 1);
            }
        }
        changes.clear();
        stale = true;
        return victims;
    }

    private void change(Member member, int sign) {
        changes.computeIfAbsent(member.gang(), _ -> Amounts.none()).add(member.request(), sign);
    }

    @Override
    public void roomTaken(Member member) {
        stale = true;
    }

    @Override
    public void roomGiven(Member member) {
        stale = true;
    }

    @Override
    public void roomPromised(Member member) {
        stale = true;
    }

    @Override
    public void promiseEnded(Member member) {
        stale = true;
    }
}
