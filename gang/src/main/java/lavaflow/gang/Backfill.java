package lavaflow.gang;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;

/** Places pods that ask for nothing: they fit beside everything. */
final class Backfill {
    private final Session session;

    Backfill(Session session) {
        this.session = session;
    }

    List<Decision> run() {
        List<Decision> decisions = new ArrayList<>();
        PriorityQueue<Queue> queues = new PriorityQueue<>(session.votes.queueOrder());
        queues.addAll(session.queues());
        long pass = session.lines().pass();
        while (!queues.isEmpty()) {
            Turns turns = new Turns(session, queues.remove(), pass, Backfill::isAbout);
            for (Gang gang = turns.next(); gang != null; gang = turns.next()) {
                place(gang, decisions);
            }
        }
        return decisions;
    }

    private static boolean isAbout(Line line) {
        return !line.outside && line.gangs.first().tally().waitingBestEffort() > 0;
    }

    private void place(Gang gang, List<Decision> decisions) {
        PriorityQueue<Member> members = new PriorityQueue<>(session.votes.memberOrder());
        gang.members().stream()
                .filter(member -> member.waits() && member.spec.bestEffort())
                .forEach(members::add);
        List<Waiting> why = new ArrayList<>();
        while (!members.isEmpty() && session.votes.isReady(gang)) {
            Member member = members.remove();
            Search.Run run = session.search().run(member);
            Search.Found found = run.find();
            if (found == null) {
                why.add(session.search().why(member, run));
            }
            if (found != null && found.now()) {
                session.state.placements.allocate(member, found.slot());
                session.state.placements.bind(member);
                decisions.add(session.nodeVotes.bind(member));
            }
        }
        if (!why.isEmpty()) {
            gang.waiting = List.copyOf(why);
        }
    }
}
