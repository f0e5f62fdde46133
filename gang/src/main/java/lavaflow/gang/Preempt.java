package lavaflow.gang;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/** Lets starving gangs take the place of others of their own queue. */
final class Preempt {
    private static final String WHY = "preempt";

    private final Session session;
    private final Displacement displacement;
    private final List<Decision> decisions = new ArrayList<>();

    Preempt(Session session) {
        this.session = session;
        this.displacement = new Displacement(session);
    }

    List<Decision> run() {
        PriorityQueue<Queue> queues = new PriorityQueue<>(session.votes.queueOrder());
        queues.addAll(session.queues());
        long pass = session.lines().pass();
        while (!queues.isEmpty()) {
            Queue queue = queues.remove();
            Map<Gang, PriorityQueue<Member>> starving = new LinkedHashMap<>();
            Turns turns = new Turns(session, queue, pass, line -> isAbout(line.gangs.first()));
            for (Gang gang = turns.next(); gang != null; gang = turns.next()) {
                PriorityQueue<Member> members = new PriorityQueue<>(session.votes.memberOrder());
                gang.members().stream().filter(Member::waits).forEach(members::add);
                if (!members.isEmpty() && session.mayDisplace(gang)) {
                    starving.put(gang, members);
                    boolean plain = session.search().run(members.element()).isPlain();
                    Gang starved = gang;
                    if (!session.state.withKeptPlaces(starved, () -> amongGangs(queue, starved, members)) && plain) {
                        turns.end();
                    }
                }
            }
            starving.forEach((gang, members) -> within(queue, gang, members));
        }
        return decisions;
    }

    private static boolean isAbout(Gang first) {
        return first.phase != GroupPhase.PENDING && first.spec.topology() == null;
    }

    /** Whether it found room. */
    private boolean amongGangs(Queue queue, Gang gang, PriorityQueue<Member> members) {
        Plan plan = new Plan(session.state);
        Search.Run run = null;
        Prospects prospects = null;
        while (!members.isEmpty() && session.mayDisplace(gang)) {
            Member by = members.remove();
            run = run != null && run.serves(by) ? run : session.search().run(by);
            if (!by.spec.pod().preempts() || displacement.makeDo(plan, by, run, queue)) {
                continue;
            }
            if (!Prospects.serve(prospects, by)) {
                prospects = Prospects.byScore(session, displacement, by);
            }
            preempt(plan, queue, by, prospects, other -> other.gang != gang && other.gang.queue == queue);
        }
        session.state.changes.touch(gang);
        if (session.votes.isPipelined(gang)) {
            decisions.addAll(Displacement.evictions(plan));
            return true;
        }
        plan.undo();
        return false;
    }

    /** More important pods of a gang take the place of its less important ones. */
    private void within(Queue queue, Gang gang, PriorityQueue<Member> members) {
        while (!members.isEmpty()) {
            Plan plan = new Plan(session.state);
            Member by = members.remove();
            Prospects prospects = Prospects.byScore(session, displacement, by);
            if (!preempt(plan, queue, by, prospects, other -> other.gang == gang)) {
                return;
            }
            decisions.addAll(Displacement.evictions(plan));
        }
    }

    private boolean preempt(Plan plan, Queue queue, Member by, @Nullable Prospects prospects, Predicate<Member> among) {
        if (prospects == null || !by.spec.pod().preempts()) {
            return false;
        }
        for (int place = prospects.start(); place < prospects.size(); place++) {
            int slot = prospects.slot(place);
            List<Member> candidates = displacement.candidates(
                    by,
                    slot,
                    other -> other.stage.canBeEvicted()
                            && other.spec.preemptable()
                            && (!by.spec.bestEffort() || other.spec.bestEffort())
                            && among.test(other));
            List<Member> victims = session.votes.preemptable(by, candidates);
            if (displacement.make(plan, by, slot, victims, queue, WHY)) {
                return true;
            }
            if (!displacement.wasBeyond()) {
                prospects.exhausted(place);
            }
        }
        return false;
    }
}
