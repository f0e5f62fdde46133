package lavaflow.gang;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;

/** Lets starving gangs take back what other queues have beyond their share. */
final class Reclaim {
    private static final String WHY = "reclaim";
    /** In how many orders nodes are asked for one gang. */
    private static final int ORDERS = 4;

    private static final int NOWHERE = -1;

    private final Session session;
    private final Displacement displacement;
    private final List<Decision> decisions = new ArrayList<>();
    /** How many nodes might have room if others went. */
    private int asked;
    /** Where among them somebody had to go first. */
    private int firstUsed = NOWHERE;

    Reclaim(Session session) {
        this.session = session;
        this.displacement = new Displacement(session);
    }

    List<Decision> run() {
        PriorityQueue<Queue> queues = new PriorityQueue<>(session.votes.queueOrder());
        queues.addAll(session.queues());
        long pass = session.lines().pass();
        while (!queues.isEmpty()) {
            Queue queue = queues.remove();
            Turns turns = new Turns(session, queue, pass, line -> !line.outside);
            while (!session.votes.isOverused(queue)) {
                Gang gang = turns.next();
                if (gang == null) {
                    break;
                }
                if (!session.state.withKeptPlaces(gang, () -> reclaim(queue, gang)) && isPlain(gang)) {
                    turns.end();
                }
            }
        }
        return decisions;
    }

    /** Whether gangs that are alike would fail for the same. */
    private boolean isPlain(Gang gang) {
        for (Member member : gang.members()) {
            if (member.waits()) {
                return session.search().run(member).isPlain();
            }
        }
        return true;
    }

    /**
     * Whether it found room. Those who go on the first nodes may be those whose gangs and queues can give no more on the others: while room is found for some of
     * its pods only, other nodes come first.
     */
    private boolean reclaim(Queue queue, Gang gang) {
        int last = 0;
        asked = 0;
        for (int order = 0; order < ORDERS; order++) {
            Plan plan = new Plan(session.state);
            firstUsed = NOWHERE;
            reclaim(plan, queue, gang, last);
            session.state.changes.touch(gang);
            if (session.votes.isPipelined(gang)) {
                decisions.addAll(Displacement.evictions(plan));
                return true;
            }
            plan.undo();
            last += firstUsed + 1;
            if (firstUsed == NOWHERE || last >= asked) {
                return false;
            }
        }
        return false;
    }

    /** @param last how many of the first nodes are asked last */
    private void reclaim(Plan plan, Queue queue, Gang gang, int last) {
        PriorityQueue<Member> members = new PriorityQueue<>(session.votes.memberOrder());
        gang.members().stream().filter(Member::waits).forEach(members::add);
        Search.Run run = null;
        Prospects prospects = null;
        while (!members.isEmpty() && session.mayDisplace(gang)) {
            Member by = members.remove();
            if (!by.spec.pod().preempts() || !session.votes.mayReclaim(queue, List.of(by))) {
                continue;
            }
            run = run != null && run.serves(by) ? run : session.search().run(by);
            if (displacement.makeDo(plan, by, run, null)) {
                continue;
            }
            if (prospects == null || !Prospects.serve(prospects, by)) {
                prospects = Prospects.inOrder(session, displacement, by, last);
                asked = Math.max(asked, prospects.size());
            }
            reclaim(plan, queue, by, prospects);
        }
    }

    private void reclaim(Plan plan, Queue queue, Member by, Prospects prospects) {
        for (int place = prospects.start(); place < prospects.size(); place++) {
            int slot = prospects.slot(place);
            List<Member> candidates = displacement.candidates(
                    by,
                    slot,
                    other -> other.stage == Stage.RUNNING
                            && other.spec.preemptable()
                            && other.gang.queue != null
                            && other.gang.queue != queue
                            && other.gang.queue.spec.reclaimable());
            List<Member> victims = session.votes.reclaimable(by, candidates);
            if (displacement.make(plan, by, slot, victims, null, WHY)) {
                firstUsed = firstUsed == NOWHERE ? place : firstUsed;
                return;
            }
            prospects.exhausted(place);
        }
    }
}
