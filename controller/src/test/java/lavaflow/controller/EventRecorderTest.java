package lavaflow.controller;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class EventRecorderTest {
    private static final KubeApi.Kind EVENTS = KubeApi.Kind.core("events");

    private final TestingKubeApi api = new TestingKubeApi().serve(EVENTS, "Event");
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private final EventRecorder recorder = new EventRecorder(api, "test-controller", () -> now);
    private final ObjectNode about = (ObjectNode) Json.parse("""
            {"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"team","uid":"u","resourceVersion":"1"}}""");

    private List<String> told() {
        return api.list(EVENTS, "team", KubeApi.View.WHOLE).items().stream()
                .map(event -> Json.longAt(event, 0, "count") + " " + Json.textAt(event, "message"))
                .toList();
    }

    @Test
    void theSameAgainIsCounted() {
        recorder.normal(about, "Made", "made it");
        recorder.normal(about, "Made", "made it");
        recorder.normal(about, "Made", "made another");

        assertThat(told()).containsExactly("2 made it", "1 made another");
    }

    @Test
    void manyDifferentThingsForOneReasonShareAnEvent() {
        for (int i = 0; i < 15; i++) {
            recorder.normal(about, "Made", "made " + i);
        }
        recorder.normal(about, "Other", "something else");

        assertThat(told())
                .hasSize(11)
                .contains("1 made 8", "6 (combined from similar events): made 14", "1 something else");
    }

    @Test
    void afterAWhileTheyAreToldOneByOneAgain() {
        for (int i = 0; i < 12; i++) {
            recorder.normal(about, "Made", "made " + i);
        }
        now = now.plus(Duration.ofMinutes(11));
        recorder.normal(about, "Made", "made late");

        assertThat(told()).contains("1 made late");
    }

    @Test
    void anEventThatIsGoneIsToldAnew() {
        recorder.normal(about, "Made", "made it");
        ObjectNode event = api.list(EVENTS, "team", KubeApi.View.WHOLE).items().getFirst();
        api.delete(EVENTS, "team", Json.textAt(event, "metadata", "name"), KubeApi.Deletion.PLAIN);
        recorder.normal(about, "Made", "made it");

        assertThat(told()).containsExactly("1 made it");
    }

    @Test
    void oneObjectCannotFloodTheApi() {
        for (int i = 0; i < 100; i++) {
            recorder.warning(about, "Reason" + i, "no");
        }

        assertThat(told()).hasSize(25);
    }
}
