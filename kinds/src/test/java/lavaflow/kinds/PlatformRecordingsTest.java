package lavaflow.kinds;

import java.util.stream.Stream;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Every answer of the real server to the cases in {@code src/test/record} is also ours. */
class PlatformRecordingsTest {
    @TestFactory
    Stream<DynamicTest> namespaces() {
        return RecordedAnswers.replay("namespace.jsonl", "/namespaces");
    }

    @TestFactory
    Stream<DynamicTest> configMaps() {
        return RecordedAnswers.replay("configmap.jsonl", "/configmaps");
    }

    @TestFactory
    Stream<DynamicTest> secrets() {
        return RecordedAnswers.replay("secret.jsonl", "/secrets");
    }

    @TestFactory
    Stream<DynamicTest> serviceAccounts() {
        return RecordedAnswers.replay("serviceaccount.jsonl", "/serviceaccounts");
    }

    @TestFactory
    Stream<DynamicTest> limitRanges() {
        return RecordedAnswers.replay("limitrange.jsonl", "/limitranges");
    }

    @TestFactory
    Stream<DynamicTest> resourceQuotas() {
        return RecordedAnswers.replay("resourcequota.jsonl", "/resourcequotas");
    }

    @TestFactory
    Stream<DynamicTest> endpoints() {
        return RecordedAnswers.replay("endpoints.jsonl", "/endpoints");
    }

    @TestFactory
    Stream<DynamicTest> services() {
        return RecordedAnswers.replay("service.jsonl", "/services");
    }
}
