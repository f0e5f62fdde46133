package lavaflow.kinds;

import java.util.stream.Stream;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** Autoscalers as a real kube-apiserver showed them in both versions. */
class AutoscalerBridgeTest {
    private final VersionBridge bridge = new AutoscalerBridge();

    private static ObjectNode part(Recording recording, String name) {
        ObjectNode part = ((ObjectNode) recording.line().get(name)).deepCopy();
        Json.ensureObject(part, "metadata").remove("uid");
        return part;
    }

    @TestFactory
    Stream<DynamicTest> readAsVersion1() {
        return Stream.concat(
                Recording.read("autoscaler-v2.jsonl").map(recording -> reading(recording, "result", "other")),
                Recording.read("autoscaler-v1.jsonl").map(recording -> reading(recording, "other", "result")));
    }

    private DynamicTest reading(Recording recording, String second, String first) {
        return DynamicTest.dynamicTest(
                recording.name(),
                () -> assertThat(Json.pretty(bridge.fromStored(part(recording, second))))
                        .isEqualTo(Json.pretty(part(recording, first))));
    }

    @TestFactory
    Stream<DynamicTest> readAndWrittenBackAsVersion1() {
        return Recording.read("autoscaler-v2.jsonl")
                // Version 1 forgets a second target, and puts processors last.
                .filter(recording -> !recording.name().startsWith("two targets")
                        && !recording.name().equals("all metrics"))
                .map(recording -> DynamicTest.dynamicTest(recording.name(), () -> {
                    ObjectNode stored = bridge.toStored(part(recording, "other"));
                    WorkloadRecordingsTest.assertSame("", stored, part(recording, "result"));
                }));
    }

    @TestFactory
    Stream<DynamicTest> createdAsVersion1() {
        return Recording.read("autoscaler-v1.jsonl")
                .filter(recording -> !recording.name().equals("status"))
                .map(recording -> DynamicTest.dynamicTest(recording.name(), () -> {
                    ObjectNode object = recording.object();
                    new OldAutoscalerRules().applyDefaults(object);
                    ObjectNode stored = bridge.toStored(object);
                    new HorizontalPodAutoscalerRules().prepareForCreate(stored);
                    ObjectNode expected = part(recording, "other");
                    Json.ensureObject(expected, "metadata").remove("namespace");
                    WorkloadRecordingsTest.assertSame("", stored, expected);
                }));
    }
}
