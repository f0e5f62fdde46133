package lavaflow.controller;

import java.time.Instant;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Events for those who cannot wait. */
class QueuedEventsTest {
    private static final KubeApi.Kind EVENTS = KubeApi.Kind.core("events");

    private final TestingKubeApi api = new TestingKubeApi().serve(EVENTS, "Event");
    private final QueuedEvents events = new QueuedEvents(api, "tester", () -> Instant.parse("2026-11-15T12:00:00Z"));

    private static ObjectNode about(String name) {
        ObjectNode about = Json.object().put("kind", "Pod").put("apiVersion", "v1");
        about.putObject("metadata").put("name", name).put("namespace", "ns").put("uid", "uid-" + name);
        return about;
    }

    private List<String> told() {
        return api.list(EVENTS, "", KubeApi.View.WHOLE).items().stream()
                .map(event -> Json.textAt(event, "type") + " " + Json.textAt(event, "involvedObject", "name") + " "
                        + Json.textAt(event, "reason"))
                .toList();
    }

    @Test
    void eventsAreWrittenBehindTheCallersBack() {
        events.normal(about("a"), "Started", "it did");
        events.warning(about("b"), "Failed", "it did not");
        await().atMost(120, SECONDS)
                .untilAsserted(() -> assertThat(told()).containsExactly("Normal a Started", "Warning b Failed"));
    }

    @Test
    void afterTheEndNothingIsWritten() {
        events.close();
        events.normal(about("a"), "Started", "it did");
        assertThat(told()).isEmpty();
    }
}
