package lavaflow.e2e;

import java.io.IOException;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/** TrainJobs and JobSets beside those of Kubeflow's Trainer and of JobSet's own controller. {@code e2e/trainer/compare} runs it. */
@Tag("trainer")
final class TrainerTest {
    private static TrainingComparison comparison;

    @BeforeAll
    static void begin() throws IOException {
        comparison = new TrainingComparison("trainer");
    }

    @AfterAll
    static void end() {
        if (comparison != null) { // where no servers were started
            comparison.close();
        }
    }

    @TestFactory
    Stream<DynamicNode> doesWhatUpstreamDoes() throws IOException {
        return comparison.tests();
    }
}
