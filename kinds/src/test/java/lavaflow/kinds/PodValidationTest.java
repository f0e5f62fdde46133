package lavaflow.kinds;

import java.util.stream.Stream;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class PodValidationTest {
    @TestFactory
    Stream<DynamicTest> containersAreRefusedAsUpstreamDoes() {
        return Recording.replay("pod-containers.jsonl", new PodRules());
    }

    @TestFactory
    Stream<DynamicTest> volumesAreRefusedAsUpstreamDoes() {
        return Recording.replay("pod-volumes.jsonl", new PodRules());
    }

    @TestFactory
    Stream<DynamicTest> specsAreRefusedAsUpstreamDoes() {
        return Recording.replay("pod-specs.jsonl", new PodRules());
    }

    @TestFactory
    Stream<DynamicTest> updatesAreRefusedAsUpstreamDoes() {
        return Recording.replay("pod-updates.jsonl", new PodRules());
    }

    @TestFactory
    Stream<DynamicTest> statusesAreRefusedAsUpstreamDoes() {
        return Recording.replay("pod-statuses.jsonl", new PodRules());
    }

    @TestFactory
    Stream<DynamicTest> subresourcesAreRefusedAsUpstreamDoes() {
        return Recording.replay("pod-subresources.jsonl", new PodRules());
    }
}
