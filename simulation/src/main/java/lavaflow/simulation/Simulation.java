package lavaflow.simulation;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.random.RandomGenerator;

import lavaflow.controller.KubeApi;

/**
 * One run: people and faults at work for a while, then peace until nothing moves any more. What must always be true is looked at
 * after every step, what must be true in the end, in the end. The same seed gives the same run.
 */
public final class Simulation implements AutoCloseable {
    private static final int NODES = 4;
    private static final int STEPS = 1_500;
    private static final int ACTIONS = 25;
    private static final Duration CALM_STEP = Duration.ofSeconds(2);
    /** Long enough for every back-off, grace and tolerance. */
    private static final Duration PATIENCE = Duration.ofMinutes(60);
    /** So long nothing may happen before peace is believed in. */
    private static final Duration SILENCE = Duration.ofMinutes(2);

    private final long seed;
    private final VirtualClock clock = new VirtualClock();
    private final Trace trace = new Trace(clock);
    private final RandomGenerator random;
    private final boolean gentle;
    private final Faults faults;
    private final SimulatedServer server;
    private final List<Actor> processes;
    private final UserScript user;
    private final Observer observer;
    private final List<Invariant> invariants;

    /** What a run was like. */
    public record Summary(long seed, Duration time, long writes, int restarts, int fingerprint) {}

    public Simulation(long seed) throws IOException {
        this.seed = seed;
        this.random = new SplittableRandom(seed);
        this.gentle = random.nextInt(3) == 0;
        Faults faults = Faults.of(random);
        server = new SimulatedServer(clock, new SplittableRandom(seed));
        KubeApi api = server.api();
        processes = List.of(
                process("controllers", faulty -> new ControllersComponent(faulty, server, clock)),
                process("scheduler", faulty -> new SchedulerComponent(faulty, clock)),
                process("nodes", faulty -> new NodesComponent(faulty, clock, NODES, seed)));
        user = new UserScript(api, random, trace, gentle);
        observer = new Observer(api);
        invariants = invariants(faults);
        trace.add("simulation", "seed " + seed + ", " + faults + (gentle ? ", gentle" : ""));
        this.faults = faults;
    }

    private Actor process(String name, Function<KubeApi, Component> program) {
        return new Actor(name, server.api(), program, random, trace);
    }

    private List<Invariant> invariants(Faults faults) {
        List<Invariant> all =
                new ArrayList<>(List.of(new Settled(), new QuotaHeld(), new OrderlySets(), new ExactJobs()));
        if (faults.lostAnswer() == 0) {
            // Nobody can know of a pod whose creation was not answered before it is seen.
            all.add(new NeverTooMany(clock));
        }
        if (gentle) {
            all.add(new SteadyRollouts());
        }
        return all;
    }

    /** Runs it all; fails with a {@link Violation} that says how to see it again. */
    public Summary run() {
        try {
            user.begin();
            // Pods of namespaces without accounts would be kept waiting by the server, in real time.
            processes.forEach(Actor::catchUp);
            processes.forEach(process -> process.meet(faults));
            turmoil();
            processes.forEach(process -> process.meet(Faults.NONE));
            user.makeAmends();
            peace();
            invariants.forEach(invariant -> invariant.atRest(observer));
            return summary();
        } catch (Violation | AssertionError | IllegalStateException e) {
            Violation told =
                    new Violation("seed " + seed + " at " + clock.elapsed().toMillis() / 1000.0 + " s: "
                            + e.getMessage() + "\nsee it again: SEED=" + seed + " ./verify simulation");
            told.initCause(e);
            throw told;
        }
    }

    private void turmoil() {
        int nextAction = 0;
        // Nodes that are not heard of for too long are taken for dead.
        int longest = gentle ? 3_000 : 30_000;
        for (int step = 0; step < STEPS; step++) {
            if (step >= nextAction) {
                user.act();
                nextAction = step + random.nextInt(2 * STEPS / ACTIONS);
            }
            processes.get(random.nextInt(processes.size())).step();
            look();
            if (random.nextInt(3) == 0) {
                clock.pass(Duration.ofMillis(random.nextInt(random.nextInt(50) == 0 ? longest : 300)));
            }
        }
    }

    private void peace() {
        Duration quietSince = clock.elapsed();
        Duration end = clock.elapsed().plus(PATIENCE);
        while (clock.elapsed().minus(SILENCE).compareTo(quietSince) < 0) {
            boolean moved = false;
            boolean worked = true;
            for (int i = 0; worked; i++) {
                Violation.unless(i < 1_000, () -> "somebody works and works without a pause");
                worked = false;
                for (Actor process : processes) {
                    worked |= process.catchUp();
                }
                moved |= look();
            }
            if (moved) {
                quietSince = clock.elapsed();
            }
            Violation.unless(clock.elapsed().compareTo(end) < 0, () -> "it does not come to rest");
            clock.pass(CALM_STEP);
        }
    }

    /** Judges what has happened; false if nothing has. Nodes tell every now and then that they live, which does not count. */
    private boolean look() {
        boolean moved = false;
        for (Observer.Change change : observer.poll()) {
            moved |= !change.kind().equals(Kinds.NODES);
            for (Invariant invariant : invariants) {
                invariant.after(change, observer);
            }
        }
        return moved;
    }

    private Summary summary() {
        return new Summary(
                seed,
                clock.elapsed(),
                processes.stream().mapToLong(Actor::writes).sum(),
                processes.stream().mapToInt(Actor::restarts).sum(),
                trace.fingerprint());
    }

    /** What happened, for a person to read. */
    public String story() {
        return trace.toString();
    }

    @Override
    public void close() throws IOException {
        observer.close();
        server.close();
    }
}
