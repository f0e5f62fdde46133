package lavaflow.gang;

import java.util.ArrayList;
import java.util.List;

/** Has pods go that plugins want away from where they are, so that they are placed better or later. */
final class Shuffle {
    private static final String WHY = "shuffle";

    private final Session session;

    Shuffle(Session session) {
        this.session = session;
    }

    List<Decision> run() {
        List<Member> running = new ArrayList<>();
        for (Gang gang : session.state.gangs()) {
            gang.members().stream()
                    .filter(member -> member.stage == Stage.RUNNING)
                    .forEach(running::add);
        }
        Plan plan = new Plan(session.state);
        for (Member victim : session.votes.toShuffle(running)) {
            if (victim.stage == Stage.RUNNING) {
                plan.evict(victim, WHY);
            }
        }
        return plan.evictions();
    }
}
