package lavaflow.simulation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SimulationTest {
    private static final int GANGS = 200;
    private static final int JOBS = 5;

    /** The story of a run that went wrong lies beside the other results. */
    private static Simulation.Summary run(long seed, World world) throws IOException {
        try (Simulation simulation = new Simulation(seed, world)) {
            try {
                return simulation.run();
            } catch (Violation e) {
                Path story = Path.of("target", "simulation", world.name() + "-" + seed + ".txt");
                Files.createDirectories(story.getParent());
                Files.writeString(story, simulation.story());
                throw new AssertionError(e.getMessage() + "\nits story: " + story.toAbsolutePath(), e);
            }
        }
    }

    /** How often each thing went wrong. */
    private static Map<Fault, Long> runAll(LongStream seeds, Supplier<World> world) throws IOException {
        Map<Fault, Long> faults = new EnumMap<>(Fault.class);
        for (long seed : seeds.toArray()) {
            run(seed, world.get()).faults().forEach((fault, count) -> faults.merge(fault, count, Long::sum));
        }
        return faults;
    }

    @Test
    void nothingThatGoesWrongLeavesAClusterInDisorder() throws IOException {
        String one = System.getProperty("simulation.seed", "");
        if (!one.isEmpty()) {
            String name = System.getProperty("simulation.world", "");
            run(
                    Long.parseLong(one),
                    switch (name) {
                        case "gangs" -> GangWorld.usual();
                        case "small-gangs" -> GangWorld.small();
                        case "gang-jobs" -> new GangJobWorld();
                        case "flows" -> new FlowWorld();
                        case "training" -> new TrainingWorld();
                        default -> new WorkloadWorld();
                    });
            return;
        }
        assertThat(runAll(LongStream.rangeClosed(1, 200), WorkloadWorld::new))
                .as("everything that can go wrong has gone wrong")
                .containsOnlyKeys(Fault.values())
                .allSatisfy((_, count) -> assertThat(count).isGreaterThan(20));
    }

    @Test
    void gangsAndQueuesComeThroughAsWell() throws IOException {
        assertThat(runAll(LongStream.rangeClosed(1, GANGS), GangWorld::small))
                .as("everything that can go wrong has gone wrong")
                .containsOnlyKeys(Fault.values());
    }

    /** A busy server refused to evict a pod of a queue that had all it may have. */
    @Test
    void aPodWhoseEvictionIsRefusedCountsForItsQueue() throws IOException {
        assertThat(run(551, GangWorld.usual()).faults()).isNotEmpty();
    }

    /** A busy server refused to bind a pod of a gang, which then seemed to have one to spare. */
    @Test
    void aPodWhoseBindingIsRefusedDoesNotCountForItsGang() throws IOException {
        assertThat(run(195, GangWorld.small()).faults()).isNotEmpty();
    }

    /** A plain pod took pods of a gang; late news of that let others begin without them (60154), and more be taken (62478). */
    @Test
    void podsThatGoForPlainOnesDoNotCountForTheirGang() throws IOException {
        assertThat(run(60_154, GangWorld.usual()).faults()).isNotEmpty();
        assertThat(run(62_478, GangWorld.usual()).faults()).isNotEmpty();
    }

    /** Room was reserved for a pod of a gang, and the server too busy to delete it for a plain one, which was no reason to. */
    @Test
    void podsWithReservationsNeedNotGo() throws IOException {
        assertThat(run(68_560, GangWorld.usual()).faults()).isNotEmpty();
    }

    /** One pod of a gang was gone and the server too busy to bind the other, beside which a third began. */
    @Test
    void nobodyBeginsBesideOneWhoseBindingWasRefused() throws IOException {
        assertThat(run(61_451, GangWorld.usual()).faults()).isNotEmpty();
    }

    @Test
    void jobsOfGangsComeThroughAsWell() throws IOException {
        assertThat(runAll(LongStream.rangeClosed(1, JOBS), GangJobWorld::new)).isNotEmpty();
    }

    /** It was written that they had failed, but nobody heard of it. */
    @Test
    void jobsThatMayHaveEndedGetNoPods() throws IOException {
        assertThat(run(100_385, new GangJobWorld()).faults()).isNotEmpty();
        assertThat(run(106_250, new GangJobWorld()).faults()).isNotEmpty();
    }

    @Test
    void flowsAndJobsByTheClockComeThroughAsWell() throws IOException {
        assertThat(runAll(LongStream.rangeClosed(1, JOBS), FlowWorld::new)).isNotEmpty();
    }

    @Test
    void trainingJobsComeThroughAsWell() throws IOException {
        assertThat(runAll(LongStream.rangeClosed(1, JOBS), TrainingWorld::new)).isNotEmpty();
    }

    @Test
    @Tag("simulation")
    void thousandsOfRunsWithTrainingJobsEndInOrder() throws IOException {
        assertThat(failures(TrainingWorld::new)).isEmpty();
    }

    @Test
    @Tag("simulation")
    void thousandsOfRunsWithFlowsEndInOrder() throws IOException {
        long count = Long.getLong("simulation.count", 10_000);
        long first = Long.getLong("simulation.first", 1_000);
        assertThat(runAll(LongStream.range(first, first + count), FlowWorld::new))
                .isNotEmpty();
    }

    @Test
    @Tag("simulation")
    void thousandsOfRunsWithJobsOfGangsEndInOrder() throws IOException {
        assertThat(failures(GangJobWorld::new)).isEmpty();
    }

    @Test
    @Tag("simulation")
    void thousandsOfRunsWithGangsEndInOrder() throws IOException {
        assertThat(failures(GangWorld::usual)).isEmpty();
    }

    @Test
    @Tag("simulation")
    void thousandsOfRunsEndInOrder() throws IOException {
        assertThat(failures(WorkloadWorld::new)).isEmpty();
    }

    /** What went wrong in thousands of runs; one that fails does not keep the others from being made. */
    private static List<String> failures(Supplier<World> world) throws IOException {
        long count = Long.getLong("simulation.count", 10_000);
        long first = Long.getLong("simulation.first", 1_000);
        List<String> failures = new ArrayList<>();
        for (long seed = first; seed < first + count; seed++) {
            try {
                run(seed, world.get());
            } catch (AssertionError e) {
                failures.add(e.getMessage());
            }
        }
        return failures;
    }

    @Test
    void theSameSeedGivesTheSameRun() throws IOException {
        assertThat(run(7, new WorkloadWorld())).isEqualTo(run(7, new WorkloadWorld()));
        assertThat(run(7, GangWorld.usual())).isEqualTo(run(7, GangWorld.usual()));
        assertThat(run(4, new GangJobWorld())).isEqualTo(run(4, new GangJobWorld()));
    }
}
