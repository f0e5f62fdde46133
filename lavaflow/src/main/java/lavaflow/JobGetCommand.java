package lavaflow;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import lavaflow.cli.GangPod;
import lavaflow.cli.JobFailure;
import lavaflow.cli.JobSummary;
import lavaflow.cli.Outcome;
import lavaflow.cli.Target;
import lavaflow.cli.TaskWait;
import lavaflow.cli.VolcanoObjects;
import lavaflow.controller.KubeApi;
import lavaflow.kube.HumanDuration;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Shows one job: its tasks, its pods and what happened to it. */
final class JobGetCommand implements Command {
    private static final int EVENTS = 8;
    private static final int TROUBLES = 5;

    @Override
    public String name() {
        return "job get";
    }

    @Override
    public String summary() {
        return "Show one job: tasks, pods, and what happened to it.";
    }

    @Override
    public List<Option> options() {
        return ClusterClient.printingOptions(ClusterClient.NAMESPACE);
    }

    @Override
    public List<String> parameters() {
        return List.of("NAME");
    }

    @Override
    public int run(Arguments arguments, Console console) throws IOException {
        boolean text = ClusterClient.isText(this, arguments);
        String namespace = ClusterClient.namespace(arguments);
        try (ClusterClient cluster = ClusterClient.connect(arguments)) {
            ObjectNode job = cluster.job(namespace, arguments.parameter(0));
            if (!text) {
                ClusterClient.print(arguments, console, ClusterClient.shown(job));
                return Lava.DONE;
            }
            String uid = Json.textAt(job, "metadata", "uid");
            List<GangPod> pods = pods(cluster, job);
            head(job, console);
            tasks(job, pods, console);
            troubles(pods, console);
            events(
                    cluster.api().list(KubeApi.Kind.core("events"), namespace, KubeApi.View.WHOLE).items().stream()
                            .filter(event ->
                                    Json.textAt(event, "involvedObject", "uid").equals(uid))
                            .toList(),
                    console);
        }
        return Lava.DONE;
    }

    private static void head(ObjectNode job, Console console) {
        Instant now = Instant.now();
        console.status("Name", Json.textAt(job, "metadata", "name"));
        console.status("Namespace", Json.textAt(job, "metadata", "namespace"));
        String said = Json.textAt(job, "status", "state", "message");
        String message = said.isEmpty() ? JobFailure.of(job) : said;
        console.status("Phase", JobListCommand.painted(job, console) + (message.isEmpty() ? "" : ": " + message));
        console.status("Queue", Json.textAt(job, "spec", "queue"));
        console.status(
                "Gang",
                "min " + Json.longAt(job, 0, "spec", "minAvailable") + ", retries "
                        + Json.longAt(job, 0, "status", "retryCount") + " of "
                        + Json.longAt(job, 3, "spec", "maxRetry"));
        console.status(
                "Age",
                HumanDuration.since(Json.textAt(job, "metadata", "creationTimestamp"), now) + ", ran "
                        + JobListCommand.duration(JobSummary.of(job), now));
        List<String> plugins = new ArrayList<>();
        ObjectNode named = Json.objectAt(job, "spec", "plugins");
        if (named != null) {
            named.properties().forEach(plugin -> plugins.add(plugin.getKey()));
        }
        console.status("Plugins", plugins.isEmpty() ? "none" : String.join(", ", plugins));
        String name = Json.textAt(job, "metadata", "name");
        String waits = Outcome.of(job).isEnd() ? "" : ", lava explain job/" + name;
        waits += Outcome.phase(job).equals("Aborted") ? ", lava job resume " + name : "";
        console.status("More", console.dim("lava watch job/" + name + ", lava logs job/" + name + waits));
    }

    private static void tasks(ObjectNode job, List<GangPod> pods, Console console) {
        List<List<String>> rows = new ArrayList<>();
        for (JsonNode task : Json.listAt(job, "spec", "tasks")) {
            String name = Json.textAt(task, "name");
            JsonNode counts = Json.at(job, "status", "taskStatusCount", name, "phase");
            List<String> row = new ArrayList<>(List.of(name, Long.toString(Json.longAt(task, 0, "replicas"))));
            for (String phase : List.of("Pending", "Running", "Succeeded", "Failed")) {
                long count = Json.longAt(counts, 0, phase);
                row.add(phase.equals("Failed") && count > 0 ? console.red("" + count) : Long.toString(count));
            }
            row.add(String.join(
                    ",",
                    Json.listAt(task, "template", "spec", "containers")
                            .valueStream()
                            .map(container -> Json.textAt(container, "image"))
                            .toList()));
            rows.add(row);
        }
        console.line("");
        console.table(List.of("TASK", "REPLICAS", "PENDING", "RUNNING", "SUCCEEDED", "FAILED", "IMAGES"), rows);
        List<TaskWait> waits = TaskWait.of(job, pods);
        if (!waits.isEmpty()) {
            console.line("");
            waits.forEach(wait -> console.line("Task " + wait));
        }
    }

    static List<GangPod> pods(ClusterClient cluster, ObjectNode job) {
        Target target = new Target(VolcanoObjects.JOBS, job);
        Target.Membership membership = target.membership(cluster.api());
        Instant now = Instant.now();
        return cluster.api().list(KubeApi.Kind.core("pods"), target.namespace(), KubeApi.View.WHOLE).items().stream()
                .filter(membership::has)
                .map(pod -> GangPod.of(pod, target.name(), now))
                .toList();
    }

    /** Pods that failed or cannot begin, and why. */
    private static void troubles(List<GangPod> pods, Console console) {
        List<GangPod> failed =
                pods.stream().filter(pod -> pod.isBad() || pod.restarts() > 0).toList();
        if (failed.isEmpty()) {
            return;
        }
        List<List<String>> rows = new ArrayList<>();
        for (GangPod pod : failed.subList(0, Math.min(TROUBLES, failed.size()))) {
            rows.add(List.of(
                    pod.label(),
                    pod.isBad() ? console.red(pod.status()) : pod.status(),
                    pod.node().isEmpty() ? "-" : pod.node(),
                    Long.toString(pod.restarts()),
                    pod.trouble().isEmpty() ? "-" : pod.trouble()));
        }
        console.line("");
        console.table(List.of("POD", "STATUS", "NODE", "RESTARTS", "WHY"), rows);
        if (failed.size() > TROUBLES) {
            console.line("... and " + (failed.size() - TROUBLES) + " more that failed, restarted or cannot begin");
        }
    }

    private static void events(List<ObjectNode> events, Console console) {
        if (events.isEmpty()) {
            return;
        }
        Instant now = Instant.now();
        List<List<String>> rows = new ArrayList<>();
        events.stream()
                .sorted((a, b) -> time(b).compareTo(time(a)))
                .limit(EVENTS)
                .forEach(event -> rows.add(List.of(
                        HumanDuration.since(time(event), now),
                        Json.textAt(event, "type").equals("Warning")
                                ? console.yellow(Json.textAt(event, "reason"))
                                : Json.textAt(event, "reason"),
                        Json.textAt(event, "message"))));
        console.line("");
        console.table(List.of("AGO", "EVENT", "MESSAGE"), rows);
    }

    private static String time(ObjectNode event) {
        for (String field : List.of("lastTimestamp", "eventTime", "firstTimestamp")) {
            String time = Json.textAt(event, field);
            if (!time.isEmpty()) {
                return time;
            }
        }
        return Json.textAt(event, "metadata", "creationTimestamp");
    }
}
