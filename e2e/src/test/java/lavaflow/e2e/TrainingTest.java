package lavaflow.e2e;

import java.io.IOException;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/** Training jobs beside those of Kubeflow's operators, the training one and MPI's. {@code e2e/training/compare} runs it. */
@Tag("training")
final class TrainingTest {
    private static TrainingComparison comparison;

    @BeforeAll
    static void begin() throws IOException {
        comparison = new TrainingComparison("training");
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
