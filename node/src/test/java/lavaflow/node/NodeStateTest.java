package lavaflow.node;

import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class NodeStateTest {
    /** The order decides what happens first when a node comes back; a simulated run must be the same in every process. */
    @Test
    void podsComeInTheOrderInWhichTheyCame() {
        NodeState state = new NodeState(SimNode.all(List.of(SimShape.usual(1))).getFirst());
        List<PodKey> keys = IntStream.range(0, 50)
                .mapToObj(i -> new PodKey("team", "pod-" + i, "sim-0"))
                .toList();
        keys.forEach(state::add);
        assertThat(state.pods()).containsExactlyElementsOf(keys);
    }
}
