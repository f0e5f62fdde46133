package lavaflow.gang;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/** Places gangs: the queue whose turn it is, the gang whose turn it is there, all of it or nothing. */
final class Allocate {
    private final Session session;
    private final Lines lines;
    private final Map<Queue, Turns> turns = new HashMap<>();
    private final Map<Gang, Deque<Member>> pending = new HashMap<>();
    private final List<Decision> decisions = new ArrayList<>();

    Allocate(Session session) {
        this.session = session;
        this.lines = session.lines();
    }

    List<Decision> run() {
        PriorityQueue<Queue> queues = new PriorityQueue<>(session.votes.queueOrder());
        long pass = lines.pass();
        for (Queue queue : session.queues()) {
            queue.overused = false;
            Turns its = new Turns(session, queue, pass, line -> !line.outside && !lines.isParked(line));
            if (!its.isEmpty()) {
                turns.put(queue, its);
                queues.add(queue);
            }
        }
        while (!queues.isEmpty()) {
            Queue queue = queues.remove();
            if (session.votes.isOverused(queue)) {
                queue.overused = true;
                continue;
            }
            Turns its = turns.get(queue);
            Gang gang = its == null ? null : its.next();
            if (its == null || gang == null) {
                continue;
            }
            if (!awaitsOthers(gang)
                    && session.state.withKeptPlaces(gang, () -> place(queue, gang, its))
                    && !pending(gang).isEmpty()) {
                its.again(queue, gang);
            }
            queues.add(queue);
        }
        if (decisions.isEmpty() && isStandstill()) {
            lend();
        }
        return decisions;
    }

    /** Whether a gang has what it needs, and others that are coming may need the rest. */
    private boolean awaitsOthers(Gang gang) {
        return session.votes.isReady(gang)
                && gang.isReady()
                && !pending(gang).isEmpty()
                && session.state.surplus.holds(gang);
    }

    /** Whether no gang has anything, so that nothing will ever become free. */
    private boolean isStandstill() {
        return session.state.outlook.isEmpty()
                && session.queues().stream().allMatch(queue -> queue.allocated().isEmpty());
    }

    /**
     * Where shares are too small for every gang, all would wait for each other for ever, on an empty cluster. The first that fits takes
     * more than its queue's share then; the next has a turn when that is done.
     */
    private void lend() {
        lines.settle();
        pending.clear();
        long pass = lines.pass();
        PriorityQueue<Queue> queues = new PriorityQueue<>(session.votes.queueOrder());
        queues.addAll(session.queues());
        session.lend(true);
        while (decisions.isEmpty() && !queues.isEmpty()) {
            Queue queue = queues.remove();
            Turns its =
                    new Turns(session, queue, pass, line -> !line.outside && couldHaveMore(queue, line.gangs.first()));
            Gang gang = its.next();
            while (decisions.isEmpty() && gang != null) {
                place(queue, gang, its);
                gang = its.next();
            }
        }
        session.lend(false);
    }

    /** Whether it is the share of its queue that a gang is too large for, and not all that the queue may have. */
    private boolean couldHaveMore(Queue queue, Gang gang) {
        Plugin.Share share = session.votes.share(queue);
        if (share == null) {
            return false;
        }
        for (Waiting each : gang.waiting) {
            if (each instanceof Waiting.BeyondAllowance beyond) {
                int column = session.columns().place(beyond.resource());
                if (share.capacity().get(column) > share.limit().get(column)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Pods that wait and were not tried in this round. */
    private Deque<Member> pending(Gang gang) {
        return pending.computeIfAbsent(gang, _ -> {
            List<Member> members = new ArrayList<>(gang.members().size());
            for (Member member : gang.members()) {
                if (member.waits() && !member.spec.bestEffort()) {
                    members.add(member);
                }
            }
            members.sort(session.votes.memberOrder());
            return new ArrayDeque<>(members);
        });
    }

    /** Whether pods of the gang got their nodes. */
    private boolean place(Queue queue, Gang gang, Turns turn) {
        Deque<Member> members = pending(gang);
        if (members.isEmpty()) {
            return false;
        }
        Trial trial = new Trial(session, queue, gang);
        boolean ready = SubGangs.matterTo(gang) ? trial.placeInNetwork(members) : trial.place(members);
        session.state.changes.touch(gang);
        gang.waiting = trial.waiting();
        if (ready) {
            commit(trial.plan);
            if (trial.plan.isEmpty()) {
                giveUp(trial, turn);
            }
            return !trial.plan.isEmpty();
        }
        if (session.votes.isPipelined(gang)) {
            gang.waiting = List.of(new Waiting.OthersToGo(gang.tally().of(Stage.PIPELINED)));
            trial.plan.settle();
            trial.plan.allocated().forEach(session.state.placements::reserve);
        } else {
            trial.plan.undo();
            giveUp(trial, turn);
        }
        return false;
    }

    /** What one gang did not get, others that are alike do not get either. */
    private void giveUp(Trial trial, Turns turn) {
        Line line = turn.line();
        if (line == null || !trial.failsLikeOthers()) {
            return;
        }
        turn.end();
        line.why = trial.waiting();
        if (trial.needsRoom()) {
            lines.park(line, trial.waiting());
        }
    }

    private void commit(Plan plan) {
        plan.settle();
        for (Plan.Step step : plan.steps()) {
            switch (step) {
                case Plan.Step.AllocateAlike(List<Member> members) -> {
                    session.state.placements.bind(members);
                    members.forEach(member -> decisions.add(session.nodeVotes.bind(member)));
                }
                case Plan.Step.Allocate(Member member) -> {
                    session.state.placements.bind(member);
                    decisions.add(session.nodeVotes.bind(member));
                }
                case Plan.Step.Pipeline _ -> {}
                case Plan.Step.Evict(Member member, Stage _, String why) ->
                    decisions.add(new Decision.Evict(member, why));
            }
        }
    }
}
