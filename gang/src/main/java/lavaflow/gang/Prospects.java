package lavaflow.gang;

import java.util.Arrays;

import lavaflow.placement.Attempt;

import org.jspecify.annotations.Nullable;

/**
 * Nodes that might have room for pods of one kind if others went, in the order in which they are asked. Within one plan room only becomes
 * scarcer: a node that had nothing to give to one pod has nothing for the next.
 */
final class Prospects {
    private final Member first;
    private final Search.Run run;
    private final int[] slots;
    private int start;

    private Prospects(Member first, Search.Run run, int[] slots) {
        this.first = first;
        this.run = run;
        this.slots = slots;
    }

    /** In the order of their slots. */
    static Prospects inOrder(Session session, Displacement displacement, Member first) {
        Attempt attempt = session.nodeVotes.attempt(first);
        int[] slots = new int[session.nodes().slots()];
        int count = 0;
        for (int slot = 0; slot < slots.length; slot++) {
            if (displacement.isHopeful(first, attempt, slot)) {
                slots[count++] = slot;
            }
        }
        return new Prospects(first, session.search().run(first), Arrays.copyOf(slots, count));
    }

    /** The same with some of the first nodes asked last. */
    static Prospects inOrder(Session session, Displacement displacement, Member first, int last) {
        Prospects all = inOrder(session, displacement, first);
        int count = all.slots.length;
        int[] turned = new int[count];
        Arrays.setAll(turned, i -> all.slots[(i + last) % count]);
        return new Prospects(first, all.run, turned);
    }

    /** The best first. */
    static Prospects byScore(Session session, Displacement displacement, Member first) {
        Prospects all = inOrder(session, displacement, first);
        double[] scores = session.nodeVotes.scores(first, all.slots);
        Integer[] order = new Integer[scores.length];
        Arrays.setAll(order, i -> i);
        Arrays.sort(order, (one, other) -> {
            int better = Double.compare(scores[other], scores[one]);
            return better != 0
                    ? better
                    : session.nodes()
                            .node(all.slots[one])
                            .name()
                            .compareTo(session.nodes().node(all.slots[other]).name());
        });
        int[] sorted = new int[order.length];
        Arrays.setAll(sorted, i -> all.slots[order[i]]);
        return new Prospects(first, all.run, sorted);
    }

    /** Whether another pod would be given the same answers. */
    static boolean serve(@Nullable Prospects prospects, Member member) {
        return prospects != null
                && prospects.run.serves(member)
                && member.spec.priority() == prospects.first.spec.priority()
                && member.spec.bestEffort() == prospects.first.spec.bestEffort();
    }

    int start() {
        return start;
    }

    int size() {
        return slots.length;
    }

    int slot(int place) {
        return slots[place];
    }

    /** A node has nothing to give to any pod of the kind. */
    void exhausted(int place) {
        if (place == start) {
            start++;
        }
    }
}
