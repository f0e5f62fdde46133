package lavaflow.simulation;

import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

import lavaflow.batch.BatchControllers;
import lavaflow.controller.ControllerRunner;
import lavaflow.controller.Fanout;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Timing;
import lavaflow.flows.FlowControllers;
import lavaflow.flows.Probes;
import lavaflow.jobs.JobControllers;
import lavaflow.scheduler.GangSettings;
import lavaflow.training.Gang;
import lavaflow.training.Settings;
import lavaflow.training.TrainingControllers;

/** Controllers of Volcano's or Kubeflow's in a process of their own. */
final class BatchComponent implements Component {
    private static final Probes EVERYBODY_ANSWERS = new Probes() {
        @Override
        public boolean accepts(String host, int port) {
            return true;
        }

        @Override
        public boolean answers(String host, int port, String path, Map<String, String> headers) {
            return true;
        }
    };

    private final Followers followers;
    private final List<ControllerRunner<?>> runners;

    private BatchComponent(Followers followers, List<ControllerRunner<?>> runners) {
        this.followers = followers;
        this.runners = runners;
    }

    /** Those of queues and groups. */
    static BatchComponent ofQueues(KubeApi api, VirtualClock clock) {
        Followers followers = new Followers(api);
        return new BatchComponent(
                followers,
                new BatchControllers(api, followers, _ -> true, GangSettings.USUAL_NAMES, clock, clock::nanoTime)
                        .runners());
    }

    /** That of Jobs. */
    static BatchComponent ofJobs(KubeApi api, VirtualClock clock) {
        Followers followers = new Followers(api);
        Timing timing = new Timing(clock, clock::nanoTime, Fanout.SEQUENTIAL);
        return new BatchComponent(followers, new JobControllers(api, followers, _ -> true, timing).runners());
    }

    /** Those of flows, templates and cron jobs. */
    static BatchComponent ofFlows(KubeApi api, VirtualClock clock) {
        Followers followers = new Followers(api);
        return new BatchComponent(
                followers,
                new FlowControllers(api, followers, _ -> true, EVERYBODY_ANSWERS, clock, clock::nanoTime).runners());
    }

    /** That of training jobs. */
    static BatchComponent ofTraining(KubeApi api, VirtualClock clock) {
        Followers followers = new Followers(api);
        Timing timing = new Timing(clock, clock::nanoTime, Fanout.SEQUENTIAL);
        Settings settings = Settings.USUAL.with(Gang.VOLCANO);
        return new BatchComponent(
                followers, new TrainingControllers(api, followers, _ -> true, settings, timing).runners());
    }

    @Override
    public void step(RandomGenerator random) {
        if (random.nextBoolean()) {
            followers.pump();
        } else if (followers.areSynced()) {
            runners.get(random.nextInt(runners.size())).step();
        }
    }

    @Override
    public boolean catchUp() {
        followers.pump();
        boolean worked = false;
        for (ControllerRunner<?> runner : runners) {
            worked |= Component.exhaust(runner.name(), () -> followers.areSynced() && runner.step());
        }
        return worked;
    }
}
