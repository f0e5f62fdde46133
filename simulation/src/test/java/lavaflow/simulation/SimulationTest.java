package lavaflow.simulation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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

    private static void runAll(LongStream seeds) throws IOException {
        for (long seed : seeds.toArray()) {
            run(seed);
        }
    }

    @Test
    void nothingThatGoesWrongLeavesAClusterInDisorder() throws IOException {
        String one = System.getProperty("simulation.seed", "");
        runAll(one.isEmpty() ? LongStream.rangeClosed(1, 200) : LongStream.of(Long.parseLong(one)));
    }

    @Test
    @Tag("simulation")
    void thousandsOfRunsEndInOrder() throws IOException {
        long count = Long.getLong("simulation.count", 10_000);
        long first = Long.getLong("simulation.first", 1_000);
        runAll(LongStream.range(first, first + count));
    }

    @Test
    void theSameSeedGivesTheSameRun() throws IOException {
        assertThat(run(7)).isEqualTo(run(7));
    }
}
