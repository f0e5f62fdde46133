package lavaflow.cluster;

import java.time.Duration;
import java.time.Instant;

import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.GoTime;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static lavaflow.cluster.TestingCluster.EVENTS;
import static lavaflow.cluster.TestingCluster.named;
import static org.assertj.core.api.Assertions.assertThat;

class EventExpiryTest {
    private final TestingCluster cluster = new TestingCluster();
    private final TestingKubeApi api = cluster.api;

    @BeforeEach
    void start() {
        cluster.run(new EventExpiry(api, cluster.followers, cluster.clock(), cluster.nanoTime()).controller());
        cluster.namespace("team");
        cluster.settle();
    }

    /** An event created now; clients may write whatever times they like into it. */
    private void event(String name) {
        api.create(EVENTS, "team", named(name).put("lastTimestamp", "2099-01-01T00:00:00Z"));
    }

    private void touch(String name, Instant time) {
        api.edit(EVENTS, "team", name, event -> {
            ObjectNode entry = Json.ensureObject(event, "metadata")
                    .withArray("managedFields")
                    .addObject();
            entry.put("manager", "kubelet").put("time", GoTime.seconds(time));
            return event;
        });
    }

    private boolean has(String name) {
        return api.has(EVENTS, "team", name);
    }

    @Test
    void anEventLivesForAnHour() {
        event("a");
        cluster.pass(EventExpiry.LIFE);
        assertThat(has("a")).isTrue();

        cluster.pass(EventExpiry.SWEEP);
        assertThat(has("a")).isFalse();
    }

    @Test
    void anEventThatIsWrittenAgainLivesForAnotherHour() {
        event("a");
        cluster.pass(Duration.ofMinutes(30));
        touch("a", cluster.clock().instant());
        cluster.pass(Duration.ofMinutes(50));
        assertThat(has("a")).isTrue();

        cluster.pass(Duration.ofMinutes(11));
        cluster.pass(EventExpiry.SWEEP);
        assertThat(has("a")).isFalse();
    }

    @Test
    void anEventWrittenAgainWhileItWasJudgedLivesOnAndOthersGo() {
        event("a");
        event("b");
        api.fail("delete events team/a", ApiException.conflict("", "events", "a", "changed"));
        cluster.pass(Duration.ofMinutes(61));

        assertThat(has("a")).isTrue();
        assertThat(has("b")).isFalse();
    }

    @Test
    void looksAgainWhenTheOldestMayBeOver() {
        event("a");
        api.takeWrites();
        for (int i = 0; i < 59; i++) {
            cluster.pass(EventExpiry.SWEEP);
        }
        assertThat(api.requestCount()).isZero();

        cluster.pass(EventExpiry.SWEEP.multipliedBy(2));
        assertThat(has("a")).isFalse();
    }

    @Test
    void timesNobodyCanReadDoNotProlongALife() {
        ObjectNode event = named("a");
        Json.ensureObject(event, "metadata").put("creationTimestamp", "yesterday");

        assertThat(EventExpiry.isExpired(event, Instant.parse("2030-01-01T00:00:00Z")))
                .isTrue();
    }
}
