package lavaflow.scheduler;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import lavaflow.controller.KubeApi;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static lavaflow.scheduler.TestingCluster.json;
import static org.assertj.core.api.Assertions.assertThat;

/** Events as kube-scheduler writes them. */
class SchedulerEventsTest {
    private final TestingKubeApi api = new TestingKubeApi().serve(SchedulerEvents.EVENTS, "Event");
    private Instant now = Instant.parse("2026-11-15T12:00:00.123456Z");
    private final SchedulerEvents events = new SchedulerEvents(api, () -> now);

    private static ObjectNode pod(String revision) {
        return json("""
                {"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"team","name":"web","uid":"u1","resourceVersion":"%s"}}""".formatted(revision));
    }

    private List<ObjectNode> told() {
        return api.list(SchedulerEvents.EVENTS, "team", KubeApi.View.WHOLE).items();
    }

    @Test
    void anEventSaysWhoDidWhatExactlyWhen() {
        events.record(pod("7"), false, "Scheduled", "Successfully assigned team/web to n");
        ObjectNode event = told().getFirst();
        assertThat(Json.textAt(event, "metadata", "name")).startsWith("web.18");
        assertThat(Json.textAt(event, "eventTime")).isEqualTo("2026-11-15T12:00:00.123456Z");
        assertThat(Json.textAt(event, "reportingController")).isEqualTo("default-scheduler");
        assertThat(Json.textAt(event, "reportingInstance")).startsWith("default-scheduler-");
        assertThat(Json.textAt(event, "action")).isEqualTo("Binding");
        assertThat(Json.textAt(event, "type")).isEqualTo("Normal");
        assertThat(Json.textAt(event, "note")).isEqualTo("Successfully assigned team/web to n");
        assertThat(Json.string(event.get("regarding")))
                .isEqualTo(
                        "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"namespace\":\"team\",\"name\":\"web\",\"uid\":\"u1\",\"resourceVersion\":\"7\"}");
        assertThat(event.has("deprecatedSource") || event.has("deprecatedCount"))
                .isFalse();
    }

    @Test
    void whatIsDoneFollowsFromTheReason() {
        events.record(pod("7"), true, "FailedScheduling", "no");
        now = now.plusSeconds(1);
        events.record(pod("7"), false, "Preempted", "gone");
        assertThat(told())
                .extracting(event -> Json.textAt(event, "action"))
                .containsExactlyInAnyOrder("Scheduling", "Preempting");
    }

    @Test
    void theSameAgainIsASeriesAndIsNotToldOfEachTime() {
        for (int i = 0; i < 5; i++) {
            events.record(pod("7"), true, "FailedScheduling", "no");
            now = now.plusSeconds(1);
        }
        assertThat(told()).hasSize(1);
        assertThat(told().getFirst().at("/series/count").asLong()).isEqualTo(2);
        assertThat(told().getFirst().at("/series/lastObservedTime").asText()).isEqualTo("2026-11-15T12:00:01.123456Z");

        now = now.plus(Duration.ofMinutes(6));
        events.record(pod("7"), true, "FailedScheduling", "no");
        assertThat(told().getFirst().at("/series/count").asLong()).isEqualTo(6);
    }

    @Test
    void whatIsSaidOfAPodThatChangedIsAnotherEvent() {
        events.record(pod("7"), true, "FailedScheduling", "no");
        now = now.plusSeconds(1);
        events.record(pod("8"), true, "FailedScheduling", "no");
        assertThat(told()).hasSize(2).noneMatch(event -> event.has("series"));
    }

    @Test
    void aSeriesWhoseEventIsGoneBeginsAnew() {
        events.record(pod("7"), true, "FailedScheduling", "no");
        api.delete(
                SchedulerEvents.EVENTS,
                "team",
                Json.textAt(told().getFirst(), "metadata", "name"),
                KubeApi.Deletion.PLAIN);
        now = now.plusSeconds(1);
        events.record(pod("7"), true, "FailedScheduling", "no");
        assertThat(told()).hasSize(1).noneMatch(event -> event.has("series"));
    }

    @Test
    void aLongMessageIsCut() {
        events.record(pod("7"), true, "FailedScheduling", "x".repeat(2000));
        assertThat(Json.textAt(told().getFirst(), "note")).hasSize(1024).endsWith("x ...");
    }
}
