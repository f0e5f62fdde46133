package lavaflow.simulation;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.random.RandomGenerator;

import lavaflow.controller.Fanout;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.node.SimNodes;
import lavaflow.node.SimShape;

/** The simulated nodes. */
final class NodesComponent implements Component {
    private static final Duration BEAT = Duration.ofSeconds(10);

    private final VirtualClock clock;
    private final Followers followers;
    private final SimNodes nodes;
    private boolean registered;
    private Instant nextBeat;

    NodesComponent(KubeApi api, VirtualClock clock, SimShape shape, long seed) {
        this.clock = clock;
        this.followers = new Followers(api);
        this.nodes = new SimNodes(List.of(shape), api, _ -> api, followers, clock, clock::nanoTime, seed);
        this.nextBeat = clock.instant();
    }

    private void beat() {
        if (!registered) {
            nodes.register(Fanout.SEQUENTIAL);
            registered = true;
        }
        if (!clock.instant().isBefore(nextBeat)) {
            nextBeat = clock.instant().plus(BEAT);
            nodes.beat();
        }
    }

    @Override
    public void step(RandomGenerator random) {
        beat();
        if (random.nextBoolean()) {
            followers.pump();
        } else if (followers.areSynced()) {
            nodes.step();
        }
    }

    @Override
    public boolean catchUp() {
        beat();
        followers.pump();
        return Component.exhaust("some node", () -> followers.areSynced() && nodes.step());
    }
}
