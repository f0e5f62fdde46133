package lavaflow.simulation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SimulationTest {
    /** The story of a run that went wrong lies beside the other results. */
    private static Simulation.Summary run(long seed) throws IOException {
        try (Simulation simulation = new Simulation(seed)) {
            try {
                return simulation.run();
            } catch (Violation e) {
                Path story = Path.of("target", "simulation", seed + ".txt");
                Files.createDirectories(story.getParent());
                Files.writeString(story, simulation.story());
                throw new AssertionError(e.getMessage() + "\nits story: " + story.toAbsolutePath(), e);
            }
        }
    }

    /** How often each thing went wrong. */
    private static Map<Fault, Long> runAll(LongStream seeds) throws IOException {
        Map<Fault, Long> faults = new EnumMap<>(Fault.class);
        for (long seed : seeds.toArray()) {
            run(seed).faults().forEach((fault, count) -> faults.merge(fault, count, Long::sum));
        }
        return faults;
    }

    @Test
    void nothingThatGoesWrongLeavesAClusterInDisorder() throws IOException {
        String one = System.getProperty("simulation.seed", "");
        if (!one.isEmpty()) {
            run(Long.parseLong(one));
            return;
        }
        assertThat(runAll(LongStream.rangeClosed(1, 200)))
                .as("everything that can go wrong has gone wrong")
                .containsOnlyKeys(Fault.values())
                .allSatisfy((_, count) -> assertThat(count).isGreaterThan(20));
    }

    @Test
    @Tag("simulation")
    void thousandsOfRunsEndInOrder() throws IOException {
        long count = Long.getLong("simulation.count", 10_000);
        long first = Long.getLong("simulation.first", 1_000);
        assertThat(runAll(LongStream.range(first, first + count))).isNotEmpty();
    }

    @Test
    void theSameSeedGivesTheSameRun() throws IOException {
        assertThat(run(7)).isEqualTo(run(7));
    }
}
