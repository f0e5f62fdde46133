package lavaflow.gang;

import java.util.List;

/** Lets starving gangs take back what other queues have beyond their share, in one step for the whole gang. */
final class GangReclaim {
    private final GangDisplacement displacement;

    GangReclaim(Session session) {
        this.displacement =
                new GangDisplacement(session, new GangDisplacement.Rules("gangreclaim", true, (by, victim) -> {
                    Queue queue = victim.gang.queue;
                    return victim.stage == Stage.RUNNING
                            && queue != null
                            && queue != by.queue
                            && queue.spec.reclaimable();
                }));
    }

    List<Decision> run() {
        return displacement.run();
    }
}
