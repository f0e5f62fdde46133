package lavaflow;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import lavaflow.cli.JobSummary;
import lavaflow.cli.Outcome;
import lavaflow.cli.VolcanoObjects;
import lavaflow.controller.KubeApi;
import lavaflow.kube.HumanDuration;
import lavaflow.kube.Json;

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
            String namespace = everywhere ? "" : ClusterClient.namespace(arguments);
            List<KubeApi.Kind> kinds = kinds(cluster);
            List<JobSummary> jobs = kinds.stream()
                    .flatMap(kind -> cluster.api().list(kind, namespace, KubeApi.View.WHOLE).items().stream())
                    .map(JobSummary::of)
                    .filter(job -> queue == null || job.queue().equals(queue))
                    .filter(job -> phase == null || job.phase().equalsIgnoreCase(phase))
                    .toList();
            if (!format.equals("text") && !format.equals("wide")) {
                print(arguments, format, console, kinds, jobs);
            } else if (jobs.isEmpty()) {
                boolean all = queue == null && phase == null;
                console.line("There are no " + (all ? "jobs" : "such jobs")
                        + (everywhere ? "" : " in namespace " + namespace)
                        + (all ? ". Make one with: lava job run" : ". See all with: lava job ls -A"));
            } else {
                table(jobs, everywhere, format.equals("wide"), console);
            }
        }
        return Lava.DONE;
    }

    /** Those kinds of jobs that a cluster knows. */
    private static List<KubeApi.Kind> kinds(ClusterClient cluster) {
        List<KubeApi.Kind> served = cluster.api().kinds();
        List<KubeApi.Kind> known =
                JobSummary.KINDS.stream().filter(served::contains).toList();
        if (known.isEmpty()) {
            cluster.requireJobs();
        }
        return known;
    }

    private static void print(
            Arguments arguments, String format, Console console, List<KubeApi.Kind> kinds, List<JobSummary> jobs) {
        List<ObjectNode> objects = jobs.stream().map(JobSummary::object).toList();
        if (!format.equals("name")) {
            ClusterClient.printList(arguments, console, VolcanoObjects.JOBS, objects);
            return;
        }
        for (KubeApi.Kind kind : kinds) {
            List<ObjectNode> ofKind =
                    objects.stream().filter(object -> isOf(kind, object)).toList();
            ClusterClient.printList(arguments, console, kind, ofKind);
        }
    }

    private static boolean isOf(KubeApi.Kind kind, ObjectNode object) {
        String name = Json.textAt(object, "kind").toLowerCase(Locale.ROOT) + "s";
        return kind.resource().equals(name) && Json.textAt(object, "apiVersion").startsWith(kind.group() + "/");
    }

    private static void table(List<JobSummary> jobs, boolean namespaces, boolean wide, Console console) {
        List<String> heads = new ArrayList<>(namespaces ? List.of("NAMESPACE") : List.of());
        heads.addAll(List.of("NAME", "KIND", "PHASE", "QUEUE", "PODS", "MIN", "RETRIES", "RUNS", "AGE"));
        if (wide) {
            heads.addAll(List.of("PRIORITY", "TASKS", "IMAGES"));
        }
        Instant now = Instant.now();
        List<List<String>> rows = new ArrayList<>();
        for (JobSummary job : jobs) {
            ObjectNode object = job.object();
            List<String> row =
                    new ArrayList<>(namespaces ? List.of(Json.textAt(object, "metadata", "namespace")) : List.of());
            row.addAll(List.of(
                    Json.textAt(object, "metadata", "name"),
                    job.kind(),
                    painted(object, console),
                    said(job.queue()),
                    job.good() + "/" + job.all(),
                    Long.toString(job.min()),
                    retries(job, console),
                    duration(job, now),
                    HumanDuration.since(Json.textAt(object, "metadata", "creationTimestamp"), now)));
            if (wide) {
                row.addAll(List.of(
                        said(job.priority()),
                        said(String.join(",", job.parts())),
                        said(String.join(",", job.images()))));
            }
            rows.add(row);
        }
        console.table(heads, rows);
    }

    private static String said(String text) {
        return text.isEmpty() ? "-" : text;
    }

    static String painted(ObjectNode job, Console console) {
        String phase = Outcome.phase(job);
        return switch (Outcome.of(job)) {
            case SUCCEEDED -> console.green(phase);
            case FAILED -> console.red(phase);
            case RUNNING -> phase.equals("Running") ? console.green(phase) : console.yellow(phase);
        };
    }

    private static String retries(JobSummary job, Console console) {
        return job.retries() == 0 ? "0" : console.yellow(job.retries() + "/" + job.mostRetries());
    }

    /** How long it ran, or has been running. */
    static String duration(JobSummary job, Instant now) {
        if (job.began().isEmpty()) {
            return "-";
        }
        boolean over = Outcome.of(job.object()).isEnd() && !job.ended().isEmpty();
        return HumanDuration.format(
                Duration.between(Instant.parse(job.began()), over ? Instant.parse(job.ended()) : now));
    }
}
