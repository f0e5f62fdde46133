package lavaflow.kinds;

import java.util.stream.Stream;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class PodDefaultsTest {
    @TestFactory
    Stream<DynamicTest> podsAreFilledInAsUpstreamDoes() {
        return Recording.replay("pod-defaults.jsonl", new PodRules());
    }
}
