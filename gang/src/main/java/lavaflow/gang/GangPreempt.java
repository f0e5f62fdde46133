package lavaflow.gang;

import java.util.List;

/** Lets starving gangs take the place of less important ones of their queue, in one step for the whole gang. */
final class GangPreempt {
    private final GangDisplacement displacement;

    GangPreempt(Session session) {
        this.displacement = new GangDisplacement(
                session,
                new GangDisplacement.Rules(
                        "gangpreempt",
                        false,
                        (by, victim) -> victim.stage.canBeEvicted()
                                && victim.gang.queue == by.queue
                                && victim.gang.priority < by.priority
                                && !victim.gang
                                        .spec
                                        .mark(MemberSpec.PREEMPTABLE)
                                        .equals("false")));
    }

    List<Decision> run() {
        return displacement.run();
    }
}
