package lavaflow.scheduler;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static lavaflow.scheduler.TestingCluster.requests;
import static org.assertj.core.api.Assertions.assertThat;

/** Pods that are resized in place, on a node of four processors. */
class ResizeTest {
    private final TestingCluster cluster = new TestingCluster().node("n");

    /** What the node says it has set aside for the container. */
    private static String granted(String cpu) {
        return "{\"status\":{\"containerStatuses\":[{\"name\":\"c\",\"allocatedResources\":{\"cpu\":\"" + cpu
                + "\"},\"resources\":{\"requests\":{\"cpu\":\"" + cpu + "\"}}}]}}";
    }

    private static final String THREE = requests("{\"cpu\":\"3\"}");
    private static final String TWO = requests("{\"cpu\":\"2\"}");
    private static final String ONE = requests("{\"cpu\":\"1\"}");

    @Test
    void oneThatShrinksHoldsItsRoomUntilTheNodeHasTakenIt() {
        cluster.running("r", "n", ONE, granted("3")).pod("p", TWO);
        assertThat(cluster.outcome()).startsWith("0/1 nodes are available: 1 Insufficient cpu.");

        cluster.running("r", "n", ONE, granted("1")).later(Duration.ofSeconds(2));
        assertThat(cluster.outcome()).isEqualTo("n");
    }

    @Test
    void oneThatGrowsHoldsTheRoomItWillNeed() {
        cluster.running("r", "n", THREE, granted("1")).pod("p", TWO);
        assertThat(cluster.outcome()).startsWith("0/1 nodes are available: 1 Insufficient cpu.");
    }

    @Test
    void whatTheNodeCanNeverGiveDoesNotCount() {
        cluster.running(
                        "r",
                        "n",
                        THREE,
                        granted("1"),
                        "{\"status\":{\"conditions\":[{\"type\":\"PodResizePending\",\"status\":\"True\",\"reason\":\"Infeasible\"}]}}")
                .pod("p", TWO);
        assertThat(cluster.outcome()).isEqualTo("n");
    }

    @Test
    void oneThatIsNotResizedStaysOfItsClass() {
        cluster.running("r", "n", ONE).running("s", "n", ONE, granted("1000m"));
        assertThat(cluster.core.state().classCount()).isEqualTo(1);
    }
}
