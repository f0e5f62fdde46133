package lavaflow.simulation;

import java.util.random.RandomGenerator;

import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.gang.Configuration;
import lavaflow.scheduler.GangSettings;
import lavaflow.scheduler.Scheduler;

import org.jspecify.annotations.Nullable;

/** The scheduler in a process of its own. */
final class SchedulerComponent implements Component {
    private final Followers followers;
    private final Scheduler scheduler;

    /** @param gangs how gangs are scheduled; null to leave them to somebody else */
    SchedulerComponent(KubeApi api, VirtualClock clock, @Nullable Configuration gangs) {
        followers = new Followers(api);
        scheduler = Scheduler.stepwise(api, followers, clock, gangs == null ? null : GangSettings.usual(api));
        if (gangs != null) {
            scheduler.configure(gangs);
        }
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
