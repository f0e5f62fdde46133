package lavaflow.simulation;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

import lavaflow.controller.KubeApi;

/**
 * One run: people and faults at work for a while, then peace until nothing moves any more. What must always be true is looked at
 * after every step, what must be true in the end, in the end. The same seed gives the same run.
 */
final class Simulation implements AutoCloseable {
    private static final int NODES = 4;
    private static final int STEPS = 1_200;
    private static final int ACTIONS = 40;
    private static final Duration CALM_STEP = Duration.ofSeconds(2);
    /** Where nothing happens time passes faster, but not so fast that nodes would be taken for dead. */
    private static final Duration LONG_STEP = Duration.ofSeconds(30);
    /** Long enough for every back-off, grace and tolerance, one after the other. */
    private static final Duration PATIENCE = Duration.ofHours(3);
    /** So long nothing may happen before peace is believed in: failed pods of jobs are replaced after up to ten minutes. */
    private static final Duration SILENCE = Duration.ofMinutes(11);

    private final long seed;
    private final Stage stage;
    private final boolean gentle;
    private final Faults faults;
    private final SimulatedServer server;
    private final List<Actor> processes;
    private final UserScript user;
    private final List<Invariant> invariants;

    /**
     * What a run was like.
     *
     * @param faults how often what went wrong
     */
    record Summary(long seed, Duration time, long writes, int restarts, Map<Fault, Long> faults, int fingerprint) {}

    Simulation(long seed) throws IOException {
        this.seed = seed;
        RandomGenerator random = new SplittableRandom(seed);
        VirtualClock clock = new VirtualClock();
        this.gentle = random.nextInt(3) == 0;
        this.faults = Faults.of(random);
        server = new SimulatedServer(clock, new SplittableRandom(seed));
        KubeApi api = server.api();
        stage = new Stage(
                api, clock, random, new Trace(clock), new FaultCounts(), new Observer(api), new Meter(api, clock));
        processes = List.of(
                new Actor("controllers", stage, faulty -> new ControllersComponent(faulty, server, clock)),
                new Actor("scheduler", stage, faulty -> new SchedulerComponent(faulty, clock)),
                new Actor("nodes", stage, faulty -> new NodesComponent(faulty, clock, NODES, seed)));
        Workspace workspace = new Workspace(stage);
        user = new UserScript(workspace, gentle);
        invariants = invariants(workspace);
        stage.trace().add("simulation", "seed " + seed + ", " + faults + (gentle ? ", gentle" : ""));
    }

    private List<Invariant> invariants(Workspace workspace) {
        // Nobody can know of a pod whose creation was not answered before it is seen.
        boolean answersArrive = faults.lostAnswer() == 0;
        List<Invariant> all = new ArrayList<>(List.of(
                new Settled(),
                new QuotaHeld(),
                new OrderlySets(),
                new ExactJobs(),
                new OnePerNode(answersArrive),
                new OneJobAtATime(),
                new BudgetsKept(),
                new WithinBounds(stage.meter()),
                new SafeData(workspace, server.directories()),
                new CleanDepartures(workspace)));
        if (answersArrive) {
            all.add(new NeverTooMany(stage.clock()));
        }
        if (gentle) {
            all.add(new SteadyRollouts());
        }
        return all;
    }

    /** Runs it all; fails with a {@link Violation} that says how to see it again. */
    Summary run() {
        try {
            user.begin();
            // Pods of namespaces without accounts would be kept waiting by the server, in real time.
            processes.forEach(Actor::catchUp);
            processes.forEach(process -> process.meet(faults));
            turmoil();
            processes.forEach(process -> process.meet(Faults.NONE));
            user.makeAmends();
            peace();
            invariants.forEach(invariant -> invariant.atRest(stage.observer()));
            return summary();
        } catch (Violation | AssertionError | IllegalStateException e) {
            stage.trace().add("simulation", "went wrong: " + e.getMessage());
            stage.observer()
                    .concerned(String.valueOf(e.getMessage()))
                    .forEach(each -> stage.trace().add("simulation", "there is " + each));
            Violation told = new Violation("seed " + seed + " at " + elapsed().toMillis() / 1000.0 + " s: "
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
                nextAction = step + stage.random().nextInt(2 * STEPS / ACTIONS);
            }
            processes.get(stage.random().nextInt(processes.size())).step();
            look();
            if (stage.random().nextInt(3) == 0) {
                stage.clock()
                        .pass(Duration.ofMillis(
                                stage.random().nextInt(stage.random().nextInt(50) == 0 ? longest : 300)));
            }
        }
    }

    private void peace() {
        Duration quietSince = elapsed();
        Duration end = elapsed().plus(PATIENCE);
        Duration step = CALM_STEP;
        while (elapsed().minus(SILENCE).compareTo(quietSince) < 0) {
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
                quietSince = elapsed();
            }
            Violation.unless(elapsed().compareTo(end) < 0, () -> "it does not come to rest");
            step = moved ? CALM_STEP : Collections.min(List.of(step.multipliedBy(2), LONG_STEP));
            stage.clock().pass(step);
        }
    }

    private Duration elapsed() {
        return stage.clock().elapsed();
    }

    /** Judges what has happened; false if nothing has. Nodes tell every now and then that they live, which does not count. */
    private boolean look() {
        boolean moved = false;
        for (Observer.Change change : stage.observer().poll()) {
            moved |= !change.kind().equals(Kinds.NODES);
            for (Invariant invariant : invariants) {
                invariant.after(change, stage.observer());
            }
        }
        return moved;
    }

    private Summary summary() {
        return new Summary(
                seed,
                elapsed(),
                processes.stream().mapToLong(Actor::writes).sum(),
                processes.stream().mapToInt(Actor::restarts).sum(),
                stage.faults().asMap(),
                stage.trace().fingerprint());
    }

    /** What happened, for a person to read. */
    String story() {
        return stage.trace().toString() + "\nfaults: " + stage.faults();
    }

    @Override
    public void close() throws IOException {
        stage.observer().close();
        server.close();
    }
}
