package lavaflow.gang;

import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;

/**
 * Gangs of a queue that wait and differ only in their turn: what the first of them does not get the others do not get either. The turns
 * of gangs that have nothing yet do not change, so that they stay sorted.
 */
final class Line {
    final Queue queue;
    final Object key;
    /** Whether no other gang will ever join. */
    final boolean single;
    /** Whether its gangs wait to be let in; else for room. */
    final boolean outside;

    final TreeSet<Gang> gangs;
    /** As of which change nothing could be done for it; see {@link Changes#helps}. */
    long failedAt = -1;
    /** What stopped its first. */
    List<Waiting> why = List.of();
    /** The last pass in which its first failed. */
    long outOfPass = -1;

    Line(Queue queue, Object key, boolean single, boolean outside, Comparator<Gang> order) {
        this.queue = queue;
        this.key = key;
        this.single = single;
        this.outside = outside;
        this.gangs = new TreeSet<>(order);
    }
}
