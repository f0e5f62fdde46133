package lavaflow.gang;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

import lavaflow.placement.Attempt;
import lavaflow.placement.NodeTable;
import lavaflow.placement.PlacedPod;
import lavaflow.placement.Reason;

import org.jspecify.annotations.Nullable;

/** Makes room for a pod on a node by having others go: those that count least first, and no more than needed. */
final class Displacement {
    private final Session session;
    private final GangState state;
    private final NodeTable nodes;
    private boolean beyond;

    Displacement(Session session) {
        this.session = session;
        this.state = session.state;
        this.nodes = session.nodes();
    }

    /** Pods of gangs on a node that might go, in the order in which they would. */
    List<Member> candidates(Member by, int slot, Predicate<Member> wanted) {
        List<Member> members = new ArrayList<>();
        for (PlacedPod placed : nodes.pods(slot)) {
            Member member = state.member(placed.pod().uid());
            if (member != null && wanted.test(member)) {
                members.add(member);
            }
        }
        members.sort(victimOrder(by.gang.queue));
        return members;
    }

    /** Whether a node might take a pod once others are gone. */
    boolean isHopeful(Member by, @Nullable Attempt attempt, int slot) {
        if (!nodes.isKnown(slot) || !nodes.couldHaveRoom(by.type, slot)) {
            return false;
        }
        Reason reason = attempt == null ? null : attempt.refusalBesidesRoom(slot);
        Plugin.Refusal refusal = session.nodeVotes.refusal(by, slot);
        return (reason == null || reason.preemptionHelps()) && (refusal == null || refusal.preemptionHelps());
    }

    private boolean nobodyRefuses(Member by, int slot) {
        Attempt attempt = session.nodeVotes.attempt(by);
        return (attempt == null || attempt.refusalBesidesRoom(slot) == null)
                && session.nodeVotes.refusal(by, slot) == null;
    }

    /** Who goes first: pods of the gang and the queue that come last. */
    private Comparator<Member> victimOrder(@Nullable Queue by) {
        Comparator<Gang> gangs = session.votes.gangOrder();
        Comparator<Queue> queues =
                by == null ? session.votes.queueOrder().reversed() : session.votes.victimQueueOrder(by);
        Comparator<Member> members = session.votes.memberOrder();
        return (one, other) -> {
            if (one.gang == other.gang) {
                return members.compare(other, one);
            }
            Queue its = one.gang.queue;
            Queue others = other.gang.queue;
            if (its != null && others != null && its != others) {
                return queues.compare(its, others);
            }
            return gangs.compare(other.gang, one.gang);
        };
    }

    /**
     * Gives a pod a place where there is room, or will be without anybody more having to go; false if there is none. Upstream takes the first
     * node in its order on which it can make room, also while others have some.
     *
     * @param run looks for nodes for such pods
     * @param queue whose allowance has to suffice; null if that does not matter
     */
    boolean makeDo(Plan plan, Member by, Search.Run run, @Nullable Queue queue) {
        Search.Found found = queue == null || session.votes.beyond(queue, by) < 0 ? run.find() : null;
        if (found == null) {
            return false;
        }
        plan.pipeline(by, found.slot());
        return true;
    }

    /** Who has to go for a plan, for good. Each of its pods is to have the place it was given: with another the room that is made may not do. */
    static List<Decision> evictions(Plan plan) {
        List<Decision> evictions = plan.evictions();
        for (Plan.Step step : plan.steps()) {
            if (step instanceof Plan.Step.Pipeline(Member member)) {
                member.made = !evictions.isEmpty();
            }
        }
        return evictions;
    }

    /**
     * Gives a pod a place on a node, evicting as many as it takes; changes nothing if that does not help.
     *
     * @param victims those who may go, in this order
     * @param queue whose allowance has to suffice in the end; null if that does not matter
     */
    boolean make(Plan plan, Member by, int slot, List<Member> victims, @Nullable Queue queue, String why) {
        beyond = false;
        int before = plan.mark();
        List<Member> gone = new ArrayList<>();
        while (!suffices(by, slot, gone, queue)) {
            if (gone.size() == victims.size()) {
                plan.undoTo(before);
                return false;
            }
            Member victim = victims.get(gone.size());
            plan.evict(victim, why);
            gone.add(victim);
        }
        spare(plan, before, by, slot, gone, queue, why);
        plan.pipeline(by, slot);
        return true;
    }

    /** Whether the last pod found no place because its queue may not have more. */
    boolean wasBeyond() {
        return beyond;
    }

    private boolean suffices(Member by, int slot, List<Member> gone, @Nullable Queue queue) {
        if (!fits(by, slot, gone)) {
            return false;
        }
        boolean may = queue == null || session.votes.beyond(queue, by) < 0;
        beyond |= !may;
        return may;
    }

    /** Lets those stay who are not needed after all, because one that had to go later gave enough: the most important first. */
    private void spare(
            Plan plan, int before, Member by, int slot, List<Member> gone, @Nullable Queue queue, String why) {
        List<Member> needed = gone;
        for (int i = gone.size() - 2; i >= 0; i--) {
            List<Member> fewer = new ArrayList<>(needed);
            fewer.remove(gone.get(i));
            plan.undoTo(before);
            fewer.forEach(each -> plan.evict(each, why));
            if (suffices(by, slot, fewer, queue)) {
                needed = fewer;
            }
        }
        if (gone.size() > 1) {
            plan.undoTo(before);
            needed.forEach(each -> plan.evict(each, why));
        }
    }

    private boolean fits(Member by, int slot, List<Member> gone) {
        if (!state.outlook.willHaveRoom(by.type, slot)) {
            return false;
        }
        List<PlacedPod> placed = new ArrayList<>();
        for (Member each : gone) {
            PlacedPod pod = state.cluster.findPlaced(each.uid());
            if (pod != null) {
                placed.add(pod);
            }
        }
        // Ports and neighbours count without those that go.
        placed.forEach(each -> state.cluster.takeFrom(each, slot));
        try {
            return nobodyRefuses(by, slot);
        } finally {
            placed.forEach(each -> state.cluster.putOn(each, slot));
        }
    }
}
