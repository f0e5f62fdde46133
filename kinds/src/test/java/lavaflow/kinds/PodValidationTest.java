package lavaflow.kinds;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import lavaflow.kube.Json;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

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

    /** Longer runs against recordings made elsewhere: -Dlavaflow.recordings.pods=FILE. */
    @TestFactory
    @EnabledIfSystemProperty(named = "lavaflow.recordings.pods", matches = ".+")
    Stream<DynamicTest> recordingsFromElsewhere() throws IOException {
        return Files.readAllLines(Path.of(System.getProperty("lavaflow.recordings.pods"))).stream()
                .map(Json::parse)
                .map(line -> new Recording(Json.textAt(line, "name"), line))
                .map(recording -> DynamicTest.dynamicTest(recording.name(), () -> recording.replay(new PodRules())));
    }
}
