package lavaflow.gang;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/** Gangs of a queue that wait, in their order, in one pass over its lines. */
final class Turns {
    private final Session session;
    private final long pass;
    /** The first of each line. */
    private final PriorityQueue<Turn> turns;

    private @Nullable Line current;

    /** A gang, also if something else of it changes in the meantime. */
    private record Turn(Line line, Gang gang) {}

    /**
     * A pass over some lines.
     *
     * @param pass the same for all queues of a pass
     */
    Turns(Session session, Queue queue, long pass, Predicate<Line> wanted) {
        this.session = session;
        this.pass = pass;
        Comparator<Gang> order = session.lines().order();
        this.turns = new PriorityQueue<>((one, other) -> order.compare(one.gang, other.gang));
        for (Line line : queue.lines.values()) {
            if (!line.gangs.isEmpty() && wanted.test(line)) {
                turns.add(new Turn(line, line.gangs.first()));
            }
        }
    }

    boolean isEmpty() {
        return turns.isEmpty();
    }

    /** The next gang, which is in no line until all are settled again; null if there is none. */
    @Nullable
    Gang next() {
        while (!turns.isEmpty()) {
            Turn turn = turns.remove();
            Line line = turn.line;
            if (line.outOfPass == pass) {
                continue;
            }
            session.state.changes.disturb(turn.gang);
            if (!line.gangs.isEmpty()) {
                turns.add(new Turn(line, line.gangs.first()));
            }
            current = line;
            return turn.gang;
        }
        return null;
    }

    /** The line the last gang came from. */
    @Nullable
    Line line() {
        return current;
    }

    /** Nobody else of the last gang's line comes in this pass. */
    void end() {
        if (current != null) {
            current.outOfPass = pass;
        }
    }

    /** A gang that got something has another turn. */
    void again(Queue queue, Gang gang) {
        turns.add(new Turn(new Line(queue, gang, true, false, session.lines().order()), gang));
    }
}
