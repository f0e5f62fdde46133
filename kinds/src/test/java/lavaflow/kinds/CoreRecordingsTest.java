package lavaflow.kinds;

import java.util.stream.Stream;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class CoreRecordingsTest {
    @TestFactory
    Stream<DynamicTest> nodes() {
        return Recording.replay("nodes.jsonl", BuiltinKinds.rules("", "v1", "nodes"));
    }

    @TestFactory
    Stream<DynamicTest> replicationControllers() {
        return Recording.replay("replicationcontrollers.jsonl", BuiltinKinds.rules("", "v1", "replicationcontrollers"));
    }

    @TestFactory
    Stream<DynamicTest> podTemplates() {
        return Recording.replay("podtemplates.jsonl", BuiltinKinds.rules("", "v1", "podtemplates"));
    }
}
