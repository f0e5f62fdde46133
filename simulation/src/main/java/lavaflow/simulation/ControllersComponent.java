package lavaflow.simulation;

import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

import lavaflow.cluster.CoreControllers;
import lavaflow.cluster.Identities;
import lavaflow.controller.ControllerRunner;
import lavaflow.controller.Fanout;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Timing;

/** The core controllers in one process. */
final class ControllersComponent implements Component {
    private final CoreControllers controllers;

    /** @param wanted which controllers there are, by their names */
    ControllersComponent(KubeApi api, SimulatedServer server, VirtualClock clock, Predicate<String> wanted) {
        Identities everybody = new Identities() {
            @Override
            public KubeApi reader() {
                return api;
            }

            @Override
            public KubeApi as(Function<KubeApi.Kind, String> account) {
                return api;
            }
        };
        controllers = new CoreControllers(
                everybody, server.judges(), wanted, new Timing(clock, clock::nanoTime, Fanout.SEQUENTIAL));
    }

    @Override
    public void step(RandomGenerator random) {
        if (random.nextInt(3) == 0) {
            controllers.pump();
            return;
        }
        if (!controllers.areSynced()) {
            return; // their workers, too, wait until everything was shown to them once
        }
        List<ControllerRunner<?>> runners = controllers.runners();
        int first = random.nextInt(runners.size());
        for (int i = 0; i < runners.size(); i++) {
            if (runners.get((first + i) % runners.size()).step()) {
                return;
            }
        }
    }

    @Override
    public boolean catchUp() {
        controllers.pump();
        boolean worked = false;
        for (ControllerRunner<?> runner : controllers.runners()) {
            worked |= Component.exhaust(runner.name(), () -> controllers.areSynced() && runner.step());
        }
        return worked;
    }
}
