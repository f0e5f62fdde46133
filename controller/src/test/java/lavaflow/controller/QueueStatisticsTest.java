package lavaflow.controller;

import java.time.Duration;
import java.util.TreeMap;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class QueueStatisticsTest {
    private long now;
    private final WorkQueue<String> queue = new WorkQueue<>(() -> now);

    private String text() {
        TreeMap<String, QueueStatistics> queues = new TreeMap<>();
        queues.put("deployment", queue.statistics());
        return QueueStatistics.print(queues);
    }

    private void pass(Duration time) {
        now += time.toNanos();
    }

    @Test
    void countsWhatUpstreamCounts() {
        queue.add("a");
        queue.add("a");
        queue.add("b");
        pass(Duration.ofMillis(50));
        queue.poll();
        pass(Duration.ofSeconds(2));
        queue.retry("a");

        assertThat(text())
                .contains("workqueue_adds_total{name=\"deployment\"} 2\n")
                .contains("workqueue_depth{name=\"deployment\"} 1\n")
                .contains("workqueue_retries_total{name=\"deployment\"} 1\n")
                .contains("workqueue_unfinished_work_seconds{name=\"deployment\"} 2\n")
                .contains("workqueue_longest_running_processor_seconds{name=\"deployment\"} 2\n")
                .contains("workqueue_queue_duration_seconds_bucket{name=\"deployment\",le=\"0.01\"} 0\n")
                .contains("workqueue_queue_duration_seconds_bucket{name=\"deployment\",le=\"0.1\"} 1\n")
                .contains("workqueue_queue_duration_seconds_sum{name=\"deployment\"} 0.05\n")
                .contains("workqueue_work_duration_seconds_count{name=\"deployment\"} 0\n");
        queue.done("a");
        assertThat(text())
                .contains("workqueue_unfinished_work_seconds{name=\"deployment\"} 0\n")
                .contains("workqueue_work_duration_seconds_bucket{name=\"deployment\",le=\"1\"} 0\n")
                .contains("workqueue_work_duration_seconds_bucket{name=\"deployment\",le=\"10\"} 1\n")
                .contains("workqueue_work_duration_seconds_bucket{name=\"deployment\",le=\"+Inf\"} 1\n")
                .contains("# TYPE workqueue_work_duration_seconds histogram\n");
    }

    @Test
    void aKeyThatWaitsWhileItRunsIsNotInTheWayOfOthers() {
        queue.add("a");
        queue.poll();
        queue.add("a");

        assertThat(text()).contains("workqueue_depth{name=\"deployment\"} 0\n");
    }

    @Test
    void eachDurationFallsIntoOneRange() {
        DurationCounts counts = new DurationCounts();
        for (long nanos : new long[] {0, 10, 11, 100, 9_999_999_999L, 10_000_000_000L, 10_000_000_001L}) {
            counts.add(nanos);
        }
        StringBuilder out = new StringBuilder();
        counts.print(out, "x", "a=\"b\"");

        assertThat(out.toString())
                .startsWith("x_bucket{a=\"b\",le=\"1e-08\"} 2\nx_bucket{a=\"b\",le=\"1e-07\"} 4\n")
                .contains("le=\"1\"} 4\n", "le=\"10\"} 6\n", "le=\"+Inf\"} 7\n")
                .endsWith("x_count{a=\"b\"} 7\n");
    }
}
