package lavaflow;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import lavaflow.cli.Outcome;
import lavaflow.cli.VolcanoObjects;
import lavaflow.controller.KubeApi;
import lavaflow.kube.HumanDuration;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Shows jobs: how they are and what is left of them to do. */
final class JobListCommand implements Command {
    private static final Option QUEUE = new Option("--queue", "-q", "NAME", null, "Only those of a queue.", false);
    private static final Option PHASE = Option.of("--phase", "PHASE", null, "Only those in a phase, such as Running.");

    @Override
    public String name() {
        return "job ls";
    }

    @Override
    public String summary() {
        return "Show jobs, their phases and pods.";
    }

    @Override
    public List<Option> options() {
        return ClusterClient.listingOptions(QUEUE, PHASE, ClusterClient.NAMESPACE, ClusterClient.ALL_NAMESPACES);
    }

    @Override
    public int run(Arguments arguments, Console console) throws IOException {
        String format = ClusterClient.listFormat(this, arguments);
        boolean everywhere = arguments.has(ClusterClient.ALL_NAMESPACES);
        String queue = arguments.find(QUEUE);
        String phase = arguments.find(PHASE);
        try (ClusterClient cluster = ClusterClient.connect(arguments)) {
            cluster.requireJobs();
            String namespace = everywhere ? "" : arguments.value(ClusterClient.NAMESPACE);
            List<ObjectNode> jobs =
                    cluster.api().list(VolcanoObjects.JOBS, namespace, KubeApi.View.WHOLE).items().stream()
                            .filter(job -> queue == null
                                    || Json.textAt(job, "spec", "queue").equals(queue))
                            .filter(job -> phase == null || phase(job).equalsIgnoreCase(phase))
                            .toList();
            if (!format.equals("text") && !format.equals("wide")) {
                ClusterClient.printList(arguments, console, VolcanoObjects.JOBS, jobs);
            } else if (jobs.isEmpty()) {
                console.line("There are no jobs" + (everywhere ? "" : " in namespace " + namespace)
                        + ". Make one with: lava job run");
            } else {
                table(jobs, everywhere, format.equals("wide"), console);
            }
        }
        return Lava.DONE;
    }

    private static void table(List<ObjectNode> jobs, boolean namespaces, boolean wide, Console console) {
        List<String> heads = new ArrayList<>(namespaces ? List.of("NAMESPACE") : List.of());
        heads.addAll(List.of("NAME", "PHASE", "QUEUE", "PODS", "MIN", "RETRIES", "RUNS", "AGE"));
        if (wide) {
            heads.addAll(List.of("PRIORITY", "TASKS", "IMAGES"));
        }
        Instant now = Instant.now();
        List<List<String>> rows = new ArrayList<>();
        for (ObjectNode job : jobs) {
            List<String> row =
                    new ArrayList<>(namespaces ? List.of(Json.textAt(job, "metadata", "namespace")) : List.of());
            row.addAll(List.of(
                    Json.textAt(job, "metadata", "name"),
                    painted(job, console),
                    Json.textAt(job, "spec", "queue"),
                    pods(job),
                    Long.toString(Json.longAt(job, 0, "spec", "minAvailable")),
                    retries(job, console),
                    duration(job, now),
                    HumanDuration.since(Json.textAt(job, "metadata", "creationTimestamp"), now)));
            if (wide) {
                String priority = Json.textAt(job, "spec", "priorityClassName");
                row.addAll(List.of(priority.isEmpty() ? "-" : priority, tasks(job), images(job)));
            }
            rows.add(row);
        }
        console.table(heads, rows);
    }

    static String phase(ObjectNode job) {
        String phase = Json.textAt(job, "status", "state", "phase");
        return phase.isEmpty() ? "Pending" : phase;
    }

    static String painted(ObjectNode job, Console console) {
        String phase = phase(job);
        return switch (Outcome.of(job)) {
            case SUCCEEDED -> console.green(phase);
            case FAILED -> console.red(phase);
            case RUNNING -> phase.equals("Running") ? console.green(phase) : console.yellow(phase);
        };
    }

    /** How many of its pods run or have succeeded. */
    private static String pods(ObjectNode job) {
        long all = 0;
        for (JsonNode task : Json.listAt(job, "spec", "tasks")) {
            all += Json.longAt(task, 0, "replicas");
        }
        long good = Json.longAt(job, 0, "status", "running") + Json.longAt(job, 0, "status", "succeeded");
        return good + "/" + all;
    }

    private static String retries(ObjectNode job, Console console) {
        long retries = Json.longAt(job, 0, "status", "retryCount");
        return retries == 0 ? "0" : console.yellow(retries + "/" + Json.longAt(job, 3, "spec", "maxRetry"));
    }

    /** How long it ran, or has been running: from its condition to now or its end. */
    static String duration(ObjectNode job, Instant now) {
        String began = "";
        for (JsonNode condition : Json.listAt(job, "status", "conditions")) {
            if (Json.textAt(condition, "status").equals("Running")) {
                began = Json.textAt(condition, "lastTransitionTime");
            }
        }
        if (began.isEmpty()) {
            return "-";
        }
        String ended = Json.textAt(job, "status", "state", "lastTransitionTime");
        boolean over = Outcome.of(job).isEnd() && !ended.isEmpty();
        return HumanDuration.format(Duration.between(Instant.parse(began), over ? Instant.parse(ended) : now));
    }

    private static String tasks(ObjectNode job) {
        List<String> tasks = new ArrayList<>();
        for (JsonNode task : Json.listAt(job, "spec", "tasks")) {
            tasks.add(Json.textAt(task, "name") + ":" + Json.longAt(task, 0, "replicas"));
        }
        return String.join(",", tasks);
    }

    private static String images(ObjectNode job) {
        return String.join(
                ",",
                Json.listAt(job, "spec", "tasks")
                        .valueStream()
                        .flatMap(task -> Json.listAt(task, "template", "spec", "containers")
                                .valueStream())
                        .map(container -> Json.textAt(container, "image"))
                        .distinct()
                        .toList());
    }
}
