package lavaflow.plugins;

import java.util.ArrayList;
import java.util.List;

import lavaflow.gang.Amounts;
import lavaflow.gang.Callback;
import lavaflow.gang.Configuration;
import lavaflow.gang.Gang;
import lavaflow.gang.Member;
import lavaflow.gang.Plugin;
import lavaflow.gang.Queue;
import lavaflow.gang.Session;
import lavaflow.plugins.QueueTree.Node;

import org.jspecify.annotations.Nullable;

/** Queues have what they deserve by name of the resource, lend what they do not need, and may be below each other. */
final class CapacityPlugin
        implements Plugin,
                Plugin.QueueOrder,
                Plugin.VictimOrder,
                Plugin.Allowance,
                Plugin.Entrance,
                Plugin.Victims,
                Plugin.Account,
                Plugin.Limits,
                Plugin.Shares {
    private final Session session;
    private final boolean hierarchical;
    private final int pods;
    /** How many queues above one are asked, too, when it takes back what it deserves. */
    private final int ancestorReclaimLevel;

    private QueueTree tree;

    CapacityPlugin(Session session, Configuration.Entry entry) {
        this.session = session;
        this.hierarchical = entry.answers(Callback.HIERARCHY);
        this.pods = session.podsColumn();
        this.ancestorReclaimLevel = entry.arguments().integer("ancestorReclaimLevel", 0);
        this.tree = grown();
    }

    private QueueTree grown() {
        return hierarchical ? QueueTree.hierarchical(session) : QueueTree.flat(session);
    }

    @Override
    public void open(Session opened) {
        tree = grown();
    }

    @Override
    public @Nullable Share shareOf(Queue queue) {
        Node node = tree.find(queue);
        return node == null ? null : new Share(node.deserved, node.limit, node.limit, node.share());
    }

    // ---- who comes first ----

    @Override
    public int compareQueues(Queue one, Queue other) {
        int byPriority = Integer.compare(other.spec().priority(), one.spec().priority());
        Node first = tree.find(one);
        Node second = tree.find(other);
        if (byPriority != 0 || first == null || second == null || first == second) {
            return byPriority;
        }
        Node common = QueueTree.common(first, second);
        Node left = first.at(common.depth + 1);
        Node right = second.at(common.depth + 1);
        if (left == null || right == null) {
            // One is above the other, and takes no gangs itself.
            return Integer.compare(second.depth, first.depth);
        }
        int byShare = compareShares(left, right);
        // Those below stay together, lest equal shares put them in circles.
        return byShare != 0 || !hierarchical ? byShare : compareByAge(left, right);
    }

    private static int compareShares(Node one, Node other) {
        int byShare = Double.compare(one.share(), other.share());
        return byShare != 0 ? byShare : Boolean.compare(other.hasDeserved(), one.hasDeserved());
    }

    private static int compareByAge(Node one, Node other) {
        if (one.queue == null || other.queue == null) {
            return 0;
        }
        int byAge = one.queue.spec().created().compareTo(other.queue.spec().created());
        return byAge != 0
                ? byAge
                : one.queue.spec().uid().compareTo(other.queue.spec().uid());
    }

    /** Relatives give first. */
    @Override
    public int compareVictims(Queue one, Queue other, Queue by) {
        Node needy = tree.find(by);
        Node first = tree.find(one);
        Node second = tree.find(other);
        if (!hierarchical || needy == null || first == null || second == null) {
            return 0;
        }
        return Integer.compare(QueueTree.common(second, needy).depth, QueueTree.common(first, needy).depth);
    }

    // ---- who may have more ----

    @Override
    public int beyond(Queue queue, Member member) {
        return queue.spec().isOpen() && tree.takesGangs(queue) ? beyond(queue, member.request()) : CLOSED;
    }

    @Override
    public int allowed(Queue queue, Member member, int wanted) {
        if (!queue.spec().isOpen() || !tree.takesGangs(queue)) {
            return 0;
        }
        int times = wanted;
        for (Node node = tree.find(queue); node != null; node = node.parent) {
            if (node.isLimited()) {
                times = node.allocated.timesWithin(member.request(), node.limit, pods, times);
            }
            if (node.parent != null) {
                times = node.parent.timesFor(node, member.request(), pods, times);
            }
        }
        return times;
    }

    @Override
    public @Nullable Limit inTheWay(Queue queue, Amounts wanted, boolean entering) {
        Node node = tree.find(queue);
        return node == null || !tree.takesGangs(queue) ? null : node.inTheWay(wanted, entering, pods);
    }

    private int beyond(Queue queue, Amounts wanted) {
        for (Node node = tree.find(queue); node != null; node = node.parent) {
            int column = node.isLimited() ? node.allocated.firstBeyondWith(wanted, node.limit, pods) : -1;
            if (column < 0 && node.parent != null) {
                column = node.parent.beyondFor(node, wanted, pods);
            }
            if (column >= 0) {
                return column;
            }
        }
        return -1;
    }

    @Override
    public Vote mayEnter(Gang gang, Refusals refusals) {
        Queue queue = gang.queue();
        if (queue == null || !queue.spec().isOpen()) {
            return Vote.NO;
        }
        if (!tree.takesGangs(queue)) {
            String why = tree.find(queue) == null
                    ? " is not below the root queue: a parent is missing or the queues go in circles"
                    : " has queues below it and takes no jobs itself";
            refusals.refused(gang, "queue " + queue.spec().name() + why);
            return Vote.NO;
        }
        if (gang.spec().minResources() == null) {
            return Vote.YES;
        }
        Amounts least = gang.minResources();
        for (Node node = tree.find(queue); node != null; node = node.parent) {
            int beyond = node.has(true).firstBeyondWith(least, node.limit, pods);
            if (beyond >= 0) {
                refusals.refused(gang, "queue resource quota insufficient: insufficient " + session.resource(beyond));
                return Vote.NO;
            }
        }
        return Vote.YES;
    }

    @Override
    public void entered(Gang gang) {
        tree.letIn(gang.queue(), gang.minResources());
    }

    @Override
    public void roomTaken(Member member) {
        tree.change(member.gang().queue(), member.request(), 1);
    }

    @Override
    public void roomTaken(List<Member> alike) {
        Member one = alike.getFirst();
        tree.change(one.gang().queue(), one.request(), alike.size());
    }

    @Override
    public void roomGiven(List<Member> alike) {
        Member one = alike.getFirst();
        tree.change(one.gang().queue(), one.request(), -alike.size());
    }

    @Override
    public void roomGiven(Member member) {
        tree.change(member.gang().queue(), member.request(), -1);
    }

    @Override
    public void roomPromised(Member member) {
        roomTaken(member);
    }

    @Override
    public void promiseEnded(Member member) {
        roomGiven(member);
    }

    // ---- who has to give ----

    @Override
    public boolean mayReclaim(Queue queue, List<Member> members) {
        Amounts wanted = Amounts.none();
        members.forEach(member -> wanted.add(member.request()));
        Node node = tree.find(queue);
        if (node == null || !queue.spec().isOpen() || !tree.takesGangs(queue)) {
            return false;
        }
        if (node.allocated.firstBeyondWith(wanted, node.limit, pods) >= 0) {
            return false;
        }
        for (int level = 0; node != null && level <= ancestorReclaimLevel; level++) {
            if (deservesSome(node, wanted)) {
                return true;
            }
            node = node.parent;
        }
        return false;
    }

    /** Whether a queue deserves what it would have of at least one resource that is asked for. */
    private boolean deservesSome(Node node, Amounts wanted) {
        for (int column = 0; column < wanted.size(); column++) {
            boolean counts = column != pods && !wanted.lacks(column);
            double would = node.allocated.get(column) + wanted.get(column);
            if (counts && would <= node.deserved.get(column)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public List<Member> evictable(Member by, boolean reclaim, List<Member> candidates) {
        return reclaim ? reclaimable(by, candidates) : candidates;
    }

    @Override
    public boolean countsVictims() {
        return true;
    }

    @Override
    public List<Member> reclaimable(Member by, List<Member> candidates) {
        Node needy = tree.find(by.gang().queue());
        List<Member> victims = new ArrayList<>();
        for (Member each : candidates) {
            Node giving = tree.find(each.gang().queue());
            if (needy != null
                    && giving != null
                    && hasCommon(by.request(), each.request())
                    && mayGive(giving, needy, each)) {
                victims.add(each);
                tree.change(each.gang().queue(), each.request(), -1);
            }
        }
        victims.forEach(each -> tree.change(each.gang().queue(), each.request(), 1));
        return victims;
    }

    private boolean hasCommon(Amounts one, Amounts other) {
        for (int column = 0; column < one.size(); column++) {
            if (column != pods && !one.lacks(column) && !other.lacks(column)) {
                return true;
            }
        }
        return false;
    }

    private boolean mayGive(Node giving, Node needy, Member victim) {
        Node common = QueueTree.common(giving, needy);
        boolean immediate = isUndeserved(giving, victim.request());
        if (!immediate && !hasTooMuch(giving, victim.request())) {
            return false;
        }
        if (hierarchical && ancestorReclaimLevel > 0) {
            if (immediate && common.depth > 0 && !needy.hasDeserved()) {
                return false;
            }
            Node above = giving.parent;
            for (int level = 1; level <= ancestorReclaimLevel && above != null && above != common; level++) {
                if (!isUndeserved(above, victim.request()) && !hasTooMuch(above, victim.request())) {
                    return false;
                }
                above = above.parent;
            }
        }
        for (Node node = giving; node != null && node != common; node = node.parent) {
            if (!keepsGuarantee(node, victim.request())) {
                return false;
            }
        }
        return true;
    }

    /** Whether a queue deserves nothing of what a pod uses. */
    private boolean isUndeserved(Node node, Amounts used) {
        return !hasCommon(node.deserved, used);
    }

    private boolean hasTooMuch(Node node, Amounts used) {
        for (int column = 0; column < used.size(); column++) {
            boolean counts = column != pods && !used.lacks(column) && !node.deserved.lacks(column);
            if (counts && node.allocated.exceeds(node.deserved, column)) {
                return true;
            }
        }
        return false;
    }

    private static boolean keepsGuarantee(Node node, Amounts used) {
        for (int column = 0; column < used.size(); column++) {
            double left = node.allocated.get(column) - used.get(column);
            if (!used.lacks(column) && left < node.guarantee.get(column)) {
                return false;
            }
        }
        return true;
    }
}
