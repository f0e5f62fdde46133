package lavaflow.simulation;

import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BiFunction;
import java.util.random.RandomGenerator;

import lavaflow.controller.KubeApi;

/**
 * One run: people and faults at work for a while, then peace until nothing moves any more. What must always be true is looked at
 * after every step, what must be true in the end, in the end. The same seed gives the same run.
 */
final class Simulation implements AutoCloseable {
    private static final Duration CALM_STEP = Duration.ofSeconds(2);
    /** Where nothing happens time passes faster, but not so fast that nodes would be taken for dead. */
    private static final Duration LONG_STEP = Duration.ofSeconds(30);
    /** Long enough for every back-off, grace and tolerance, one after the other. */
    private static final Duration PATIENCE = Duration.ofHours(3);
    /** So long nothing may happen before peace is believed in: failed pods of jobs are replaced after up to ten minutes. */
    private static final Duration SILENCE = Duration.ofMinutes(11);

    private final long seed;
    private final World world;
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
        this(seed, new WorkloadWorld());
    }

    Simulation(long seed, World world) throws IOException {
        this(seed, world, (_, api) -> api);
    }

    /**
     * @param view how processes, by their names, see the API and what they do with it: a way to break them
     */
    Simulation(long seed, World world, BiFunction<String, KubeApi, KubeApi> view) throws IOException {
        this.seed = seed;
        this.world = world;
        RandomGenerator random = new SplittableRandom(seed);
        VirtualClock clock = new VirtualClock();
        this.gentle = random.nextInt(3) == 0;
        this.faults = Faults.of(random);
        server = new SimulatedServer(clock, new SplittableRandom(seed));
        KubeApi api = server.api();
        world.prepare(server);
        stage = new Stage(
                api,
                clock,
                random,
                new Trace(clock),
                new FaultCounts(),
                new Observer(api, world.observed()),
                new Meter(api, clock),
                new Requests());
        World.Setting setting = new World.Setting(seed, stage, server, new Workspace(stage), faults, gentle, view);
        World.Cast cast = world.cast(setting);
        processes = cast.processes();
        user = new UserScript(setting.workspace(), cast.topics(), gentle);
        invariants = cast.invariants();
        stage.trace().add("simulation", "seed " + seed + ", " + faults + (gentle ? ", gentle" : ""));
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
            Violation told =
                    new Violation("seed " + seed + " at " + elapsed().toMillis() / 1000.0 + " s: " + e.getMessage()
                            + "\nsee it again: SEED=" + seed + " WORLD=" + world.name() + " ./verify simulation");
            told.initCause(e);
            throw told;
        }
    }

    private void turmoil() {
        int nextAction = 0;
        // Nodes that are not heard of for too long are taken for dead.
        int longest = gentle ? 3_000 : 30_000;
        for (int step = 0; step < world.steps(); step++) {
            if (step >= nextAction) {
                user.act();
                nextAction = step + stage.random().nextInt(2 * world.steps() / world.actions());
            }
            Actor process = processes.get(stage.random().nextInt(processes.size()));
            process.step();
            look();
            judge(process);
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
                    moved |= look();
                    judge(process);
                }
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
        Set<KubeApi.Kind> changed = new HashSet<>();
        stage.observer().poll(change -> {
            changed.add(change.kind());
            for (Invariant invariant : invariants) {
                invariant.after(change, stage.observer());
            }
        });
        changed.remove(Kinds.NODES);
        return !changed.isEmpty();
    }

    /** Judges what somebody has just done as a whole. */
    private void judge(Actor process) {
        for (Invariant invariant : invariants) {
            invariant.afterStep(process, stage.observer());
        }
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
