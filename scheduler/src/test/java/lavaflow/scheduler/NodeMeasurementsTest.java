package lavaflow.scheduler;

import java.time.Duration;
import java.time.Instant;

import lavaflow.controller.TestingKubeApi;
import lavaflow.gang.Configuration;
import lavaflow.gang.Surroundings;
import lavaflow.placement.ClusterState;
import lavaflow.placement.NodeTable;

import org.junit.jupiter.api.Test;

import static lavaflow.scheduler.TestingCluster.json;
import static org.assertj.core.api.Assertions.assertThat;

class NodeMeasurementsTest {
    private static final String PATH = "/apis/metrics.k8s.io/v1beta1/nodes";

    private final TestingKubeApi api = new TestingKubeApi();
    private final Inbox inbox = new Inbox();
    private final ClusterState cluster = new ClusterState();
    private final Surroundings known = new Surroundings();
    private final NodeMeasurements measurements =
            new NodeMeasurements(api, inbox, Writer.Threads.callers(), cluster.nodes());
    private Instant now = Instant.parse("2026-11-15T12:00:00Z");

    private void node(String name) {
        cluster.putNode(NodeTable.Node.of(json("""
                {"metadata":{"name":"%s"},"status":{"allocatable":{"cpu":"4","memory":"1000","pods":"10"}}}""".formatted(name))));
    }

    private void configure(String rest) {
        measurements.configure(
                Configuration.parse("actions: \"allocate\"\ntiers:\n- plugins:\n  - name: usage\n" + rest), now);
    }

    private void measuring() {
        configure("");
        now = now.plusSeconds(30);
    }

    private void tells(String node, String processors, String memory) {
        api.answer(PATH, json("""
                {"items":[{"metadata":{"name":"%s"},"timestamp":"%s","usage":{"cpu":"%s","memory":"%s"}},
                          {"metadata":{"name":"strange"},"timestamp":"never","usage":{"cpu":"%s"}}]}""".formatted(node, now, processors, memory, processors)));
        ask();
    }

    private void ask() {
        measurements.ask(now, () -> measurements.tell(known));
        for (Inbox.Change change = inbox.poll(); change != null; change = inbox.poll()) {
            change.apply(now);
        }
    }

    @Test
    void nobodyIsAskedUnlessAPluginLooksAtIt() {
        measurements.configure(Configuration.usual(), now);
        assertThat(measurements.nextDue()).isNull();
        configure("");
        assertThat(measurements.nextDue()).isEqualTo(now.plusSeconds(30));
        configure("metrics: {interval: 10s}\n");
        assertThat(measurements.nextDue()).isEqualTo(now.plusSeconds(10));
        now = now.plusSeconds(10);
        ask();
        assertThat(measurements.nextDue()).isEqualTo(now.plusSeconds(10));
    }

    @Test
    void theAverageOfTenMinutesCounts() {
        node("n");
        measuring();
        tells("n", "1", "100");
        assertThat(known.usage("n")).isEqualTo(new Surroundings.Usage(now, 25, 10));
        now = now.plus(Duration.ofMinutes(9));
        tells("n", "3", "300");
        assertThat(known.usage("n")).isEqualTo(new Surroundings.Usage(now, 50, 20));
        now = now.plus(Duration.ofMinutes(9));
        tells("n", "2", "500");
        assertThat(known.usage("n"))
                .as("the first one is too old by now")
                .isEqualTo(new Surroundings.Usage(now, 62.5, 40));
    }

    @Test
    void nodesThatAreGoneAreForgotten() {
        node("n");
        measuring();
        tells("n", "1", "100");
        cluster.removeNode("n");
        now = now.plusSeconds(30);
        tells("n", "1", "100");
        assertThat(known.usage("n")).isNull();
    }

    @Test
    void whereNobodyMeasuresNothingIsKnown() {
        node("n");
        measuring();
        ask();
        assertThat(known.usage("n")).isNull();
    }
}
