package lavaflow.jobs;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Counts how Jobs ended, for Prometheus under upstream's names; what is gone is not told any more. Safe for concurrent use. */
final class EndedJobs {
    private static final String COMPLETED = "volcano_job_completed_phase_count";
    private static final String FAILED = "volcano_job_failed_phase_count";

    /** By metric and the labels of the Job. */
    private final Map<String, Map<String, Long>> counts = new ConcurrentSkipListMap<>();

    /** Hears of the status that was written instead of another. */
    void told(ObjectNode job, ObjectNode before) {
        String phase = Json.textAt(job, "status", "state", "phase");
        if (phase.equals(Json.textAt(before, "state", "phase"))) {
            return;
        }
        switch (phase) {
            case "Completed" -> count(COMPLETED, job);
            case "Failed" -> count(FAILED, job);
            default -> {}
        }
    }

    private void count(String metric, ObjectNode job) {
        String labels =
                label(new JobKey(Json.textAt(job, "metadata", "namespace"), Json.textAt(job, "metadata", "name")))
                        + ",queue_name=\"" + Json.textAt(job, "spec", "queue") + "\"";
        counts.computeIfAbsent(metric, _ -> new ConcurrentSkipListMap<>()).merge(labels, 1L, Long::sum);
    }

    private static String label(JobKey key) {
        return "job_name=\"" + key.namespace() + "/" + key.name() + "\"";
    }

    void forget(JobKey key) {
        counts.values().forEach(each -> each.keySet().removeIf(labels -> labels.startsWith(label(key) + ",")));
    }

    String metrics() {
        StringBuilder text = new StringBuilder();
        counts.forEach((metric, byLabels) -> {
            if (!byLabels.isEmpty()) {
                text.append("# TYPE ").append(metric).append(" counter\n");
                byLabels.forEach((labels, count) -> text.append(metric)
                        .append('{')
                        .append(labels)
                        .append("} ")
                        .append(count)
                        .append('\n'));
            }
        });
        return text.toString();
    }
}
