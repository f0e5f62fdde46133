package lavaflow.gang;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/** Lets gangs into their queues as long as there may be room for them, so that their pods are made. */
final class Enqueue {
    private final Session session;
    private final Lines lines;

    Enqueue(Session session) {
        this.session = session;
        this.lines = session.lines();
    }

    void run() {
        Map<Queue, Turns> turns = new HashMap<>();
        PriorityQueue<Queue> queues = new PriorityQueue<>(session.votes.queueOrder());
        long pass = lines.pass();
        for (Queue queue : session.queues()) {
            Turns its = new Turns(session, queue, pass, line -> line.outside && !lines.isParked(line));
            if (!its.isEmpty()) {
                turns.put(queue, its);
                queues.add(queue);
            }
        }
        while (!queues.isEmpty()) {
            Queue queue = queues.remove();
            Turns its = turns.get(queue);
            Gang gang = its == null ? null : its.next();
            if (its == null || gang == null) {
                continue;
            }
            Line line = its.line();
            if (!letIn(queue, gang) && line != null) {
                its.end();
                lines.park(line, gang.waiting);
            }
            queues.add(queue);
        }
    }

    private boolean letIn(Queue queue, Gang gang) {
        List<Waiting> why = new ArrayList<>();
        boolean may = gang.spec.minResources() == null || session.votes.mayEnter(gang, why);
        if (may) {
            session.votes.entered(gang);
            session.state.phase(gang, GroupPhase.INQUEUE);
            why.clear();
        } else if (!queue.spec.isOpen()) {
            why.addFirst(new Waiting.QueueNotOpen(queue.spec.name(), queue.spec.state()));
        }
        gang.waiting = List.copyOf(why);
        session.state.changes.touch(gang);
        return may;
    }
}
