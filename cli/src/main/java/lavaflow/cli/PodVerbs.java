package lavaflow.cli;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import lavaflow.controller.KubeApi;
import lavaflow.kinds.Tables;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** {@code vcctl pod}. */
final class PodVerbs {
    static final String JOB_NAME = "volcano.sh/job-name";
    private static final String QUEUE_LABEL = "volcano.sh/queue-name";
    private static final String QUEUE_ANNOTATION = "scheduling.volcano.sh/queue-name";
    private static final int GAP = 8;

    private PodVerbs() {}

    static Verb family() {
        return Verb.family(
                "pod",
                "vcctl command line operation pod",
                Verb.of(
                        "list",
                        "list pod information created by vcjob",
                        "Failed to list pod",
                        List.of(
                                Flag.text("queue", "q", "", "list pod with specified queue name"),
                                Flag.text("job", "j", "", "list pod with specified job name"),
                                Flag.text("namespace", "n", "default", "the namespace of job"),
                                Flag.flag("all-namespaces", "list jobs in all namespaces")),
                        PodVerbs::list));
    }

    private static void list(Call call) throws IOException {
        Flags flags = call.flags();
        List<ObjectNode> all =
                call.list(KubeApi.Kind.core("pods"), flags.isSet("all-namespaces") ? "" : flags.text("namespace"));
        List<ObjectNode> pods = chosen(all, flags.text("job"), flags.text("queue"));
        call.out()
                .print(
                        pods.isEmpty()
                                ? "No resources found\n"
                                : table(pods, call.surroundings().clock().instant()));
    }

    private static List<ObjectNode> chosen(List<ObjectNode> pods, String job, String queue) {
        if (!job.isEmpty()) {
            List<ObjectNode> ofJob = pods.stream()
                    .filter(pod -> label(pod, JOB_NAME).equals(job))
                    .toList();
            boolean elsewhere = ofJob.stream()
                    .map(pod -> label(pod, QUEUE_LABEL))
                    .anyMatch(is -> !is.isEmpty() && !is.equals(queue));
            if (!queue.isEmpty() && elsewhere) {
                throw new Verb.Refusal("the input vcjob " + job + " does not match the queue " + queue);
            }
            return ofJob;
        }
        if (queue.isEmpty()) {
            return pods.stream()
                    .filter(pod -> Json.at(pod, "metadata", "labels", JOB_NAME) != null)
                    .toList();
        }
        List<ObjectNode> chosen = new ArrayList<>(pods.stream()
                .filter(pod -> label(pod, QUEUE_LABEL).equals(queue))
                .toList());
        pods.stream()
                .filter(pod -> Json.textAt(pod, "metadata", "annotations", QUEUE_ANNOTATION)
                        .equals(queue))
                .filter(pod -> !chosen.contains(pod))
                .forEach(chosen::add);
        return chosen;
    }

    private static String label(ObjectNode pod, String key) {
        return Json.textAt(pod, "metadata", "labels", key);
    }

    static String table(List<ObjectNode> pods, Instant now) {
        Tables.Layout layout = Tables.layout("", "pods");
        List<List<String>> rows = new ArrayList<>();
        for (ObjectNode pod : pods) {
            List<String> row = new ArrayList<>();
            for (JsonNode cell : layout.cells(pod, now)) {
                row.add(cell.asText());
            }
            rows.add(List.copyOf(row.subList(0, 5)));
        }
        // As wide as what is below the heads, which may be wider themselves.
        List<Integer> widths = Columns.widths(List.of(), rows, GAP);
        StringBuilder text =
                new StringBuilder(Columns.line(widths, List.of("Name", "Ready", "Status", "Restart", "Age")));
        rows.forEach(row -> text.append(Columns.line(widths, row)));
        return text.toString();
    }
}
