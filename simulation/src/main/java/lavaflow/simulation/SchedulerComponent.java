package lavaflow.simulation;

import java.util.random.RandomGenerator;

import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.scheduler.Scheduler;

/** The scheduler in a process of its own. */
final class SchedulerComponent implements Component {
    private final Followers followers;
    private final Scheduler scheduler;

    SchedulerComponent(KubeApi api, VirtualClock clock) {
        followers = new Followers(api);
        scheduler = Scheduler.stepwise(api, followers, clock);
    }

    @Override
    public void step(RandomGenerator random) {
        if (random.nextBoolean()) {
            followers.pump();
        } else if (followers.areSynced()) {
            scheduler.step();
        }
    }

    @Override
    public boolean catchUp() {
        followers.pump();
        return Component.exhaust("the scheduler", () -> followers.areSynced() && scheduler.step());
    }
}
