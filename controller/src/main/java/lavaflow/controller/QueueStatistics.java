package lavaflow.controller;

import java.util.SortedMap;
import java.util.function.ToDoubleFunction;

/**
 * What happened in a queue so far. Printed under the names that upstream's queues have, so that the dashboards and alerts
 * written for those work.
 *
 * @param depth keys that could have a turn if a worker were free
 * @param waits how long keys waited for their turn
 * @param turns how long their turns took
 * @param unfinishedNanos how long all turns under way have taken together
 * @param longestNanos how long the longest of them has taken
 */
public record QueueStatistics(
        int depth,
        long adds,
        long retries,
        DurationCounts waits,
        DurationCounts turns,
        long unfinishedNanos,
        long longestNanos) {
    /** Prints the statistics of queues by name, in Prometheus' text format. */
    public static String print(SortedMap<String, QueueStatistics> queues) {
        StringBuilder out = new StringBuilder();
        number(out, queues, "workqueue_adds_total", "counter", QueueStatistics::adds);
        number(out, queues, "workqueue_depth", "gauge", QueueStatistics::depth);
        number(
                out,
                queues,
                "workqueue_longest_running_processor_seconds",
                "gauge",
                queue -> queue.longestNanos() / 1e9);
        out.append("# TYPE workqueue_queue_duration_seconds histogram\n");
        queues.forEach((name, queue) -> queue.waits().print(out, "workqueue_queue_duration_seconds", label(name)));
        number(out, queues, "workqueue_retries_total", "counter", QueueStatistics::retries);
        number(out, queues, "workqueue_unfinished_work_seconds", "gauge", queue -> queue.unfinishedNanos() / 1e9);
        out.append("# TYPE workqueue_work_duration_seconds histogram\n");
        queues.forEach((name, queue) -> queue.turns().print(out, "workqueue_work_duration_seconds", label(name)));
        return out.toString();
    }

    private static String label(String name) {
        return "name=\"" + name + "\"";
    }

    private static void number(
            StringBuilder out,
            SortedMap<String, QueueStatistics> queues,
            String metric,
            String type,
            ToDoubleFunction<QueueStatistics> value) {
        out.append("# TYPE ").append(metric).append(' ').append(type).append('\n');
        queues.forEach((name, queue) -> {
            double number = value.applyAsDouble(queue);
            String shown = number == Math.rint(number) ? String.valueOf((long) number) : String.valueOf(number);
            out.append(metric)
                    .append('{')
                    .append(label(name))
                    .append("} ")
                    .append(shown)
                    .append('\n');
        });
    }
}
