package lavaflow.scheduler;

import java.util.concurrent.atomic.AtomicLong;

import lavaflow.gang.Onlooker;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class GangMetricsTest {
    private final AtomicLong nanos = new AtomicLong();
    private final GangMetrics metrics = new GangMetrics(nanos::get);

    private void takes(Onlooker.Part part, String name, double milliseconds) {
        metrics.during(part, name, () -> nanos.addAndGet((long) (milliseconds * 1e6)));
    }

    @Test
    void partsOfRoundsAreMeasuredUnderVolcanosNames() {
        takes(Onlooker.Part.OPEN, "", 1.5);
        takes(Onlooker.Part.ACTION, "allocate", 3);
        takes(Onlooker.Part.ACTION, "allocate", 30);
        takes(Onlooker.Part.PLUGIN_OPEN, "drf", 0.25);
        takes(Onlooker.Part.PLUGIN_CLOSE, "drf", 1_000_000);

        assertThat(metrics.counted())
                .contains("# TYPE volcano_action_scheduling_latency_milliseconds histogram\n")
                .contains("volcano_action_scheduling_latency_milliseconds_bucket{action=\"allocate\",le=\"2\"} 0\n")
                .contains("volcano_action_scheduling_latency_milliseconds_bucket{action=\"allocate\",le=\"5\"} 1\n")
                .contains("volcano_action_scheduling_latency_milliseconds_bucket{action=\"allocate\",le=\"+Inf\"} 2\n")
                .contains("volcano_action_scheduling_latency_milliseconds_sum{action=\"allocate\"} 33\n")
                .contains("volcano_action_scheduling_latency_milliseconds_count{action=\"allocate\"} 2\n")
                .contains("volcano_open_session_duration_milliseconds_bucket{le=\"2\"} 1\n")
                .contains("volcano_open_session_duration_milliseconds_sum 1.5\n")
                .contains("_latency_milliseconds_bucket{plugin=\"drf\",OnSession=\"OnSessionOpen\",le=\"0.5\"} 1\n")
                .contains("_latency_milliseconds_bucket{plugin=\"drf\",OnSession=\"OnSessionClose\",le=\"163840\"} 0\n")
                .contains("_latency_milliseconds_bucket{plugin=\"drf\",OnSession=\"OnSessionClose\",le=\"+Inf\"} 1\n");
    }

    @Test
    void whatHasNotHappenedYetIsZero() {
        assertThat(metrics.counted())
                .contains("volcano_total_preemption_attempts 0\n")
                .contains("volcano_pod_preemption_victims 0\n");
    }
}
