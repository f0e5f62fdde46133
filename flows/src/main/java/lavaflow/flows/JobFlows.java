package lavaflow.flows;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.LongSupplier;

import lavaflow.controller.ControllerRunner;
import lavaflow.controller.EventRecorder;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Makes the Jobs of flows in their order, as {@link FlowPlan} says.
 *
 * <p>Jobs are read, not remembered: a flow has few, and what was just made is among them.
 */
final class JobFlows {
    static final String NAME = "jobflow-controller";

    /** How often those who wait for a probe look whether it holds. */
    private static final Duration PROBING = Duration.ofSeconds(1);

    /** For so long nothing is said of templates that a new flow does not have: they mostly come with it, and so do changes of it. */
    private static final Duration TEMPLATES_COME = Duration.ofSeconds(2);

    private static final String TASK_SPEC = "volcano.sh/task-spec";

    /** A flow and the templates it is made of. */
    private record Needs(String namespace, String name, List<String> templates) {
        static Needs of(ObjectNode flow) {
            return new Needs(
                    Flows.namespace(flow),
                    Flows.name(flow),
                    FlowStep.of(flow).stream().map(FlowStep::name).toList());
        }

        List<String> words() {
            return templates.stream()
                    .map(template -> namespace + "/" + template)
                    .toList();
        }
    }

    private final KubeApi api;
    private final Probes probes;
    private final InstantSource clock;
    private final EventRecorder events;
    private final Mirror<Needs> needs;
    private final ControllerRunner<Flows.Key> runner;
    /** How many flows ended so, by phase and namespace. */
    private final Map<String, Map<String, Long>> ended = new ConcurrentSkipListMap<>();

    JobFlows(KubeApi api, Followers followers, Probes probes, InstantSource clock, LongSupplier nanoTime) {
        this.api = api;
        this.probes = probes;
        this.clock = clock;
        this.events = new EventRecorder(api, "vc-controller-manager", clock);
        this.needs = Mirror.whileServed(followers, Flows.JOB_FLOWS, Needs::of, Needs::words);
        this.runner = new ControllerRunner<>(NAME, followers, 3, this::reconcile, nanoTime);
        runner.followWhileServed(Flows.JOB_FLOWS, flow -> List.of(Flows.Key.of(flow)));
        runner.followWhileServed(Flows.JOBS, JobFlows::owner);
        runner.followWhileServed(Flows.JOB_TEMPLATES, this::waiting);
    }

    ControllerRunner<Flows.Key> controller() {
        return runner;
    }

    private static List<Flows.Key> owner(ObjectNode job) {
        for (JsonNode owner : Json.listAt(job, "metadata", "ownerReferences")) {
            if (Json.flagAt(owner, "controller") && Json.textAt(owner, "kind").equals("JobFlow")) {
                return List.of(new Flows.Key(Flows.namespace(job), Json.textAt(owner, "name")));
            }
        }
        return List.of();
    }

    private List<Flows.Key> waiting(ObjectNode template) {
        return needs.having(Flows.namespace(template) + "/" + Flows.name(template)).stream()
                .map(each -> new Flows.Key(each.namespace(), each.name()))
                .toList();
    }

    private Optional<Duration> reconcile(Flows.Key key) {
        List<KubeApi.Kind> served = api.kinds();
        if (!served.contains(Flows.JOB_FLOWS) || !served.contains(Flows.JOBS)) {
            return Optional.empty();
        }
        ObjectNode flow = api.find(Flows.JOB_FLOWS, key.namespace(), key.name()).orElse(null);
        if (flow == null) {
            return Optional.empty();
        }
        Map<String, ObjectNode> jobs = jobs(flow);
        FlowPlan plan = FlowPlan.of(
                flow,
                jobs,
                template -> api.find(Flows.JOB_TEMPLATES, key.namespace(), template)
                        .map(found -> Json.objectAt(found, "spec"))
                        .orElse(null),
                this::holds);
        if (!plan.missing().isEmpty() && jobs.isEmpty() && plan.create().isEmpty()) {
            Duration left = Duration.between(clock.instant(), created(flow).plus(TEMPLATES_COME));
            // More than that is left only where clocks differ.
            if (left.isPositive() && left.compareTo(TEMPLATES_COME) <= 0) {
                return Optional.of(left);
            }
        }
        flow = retry(flow, plan, jobs);
        for (ObjectNode job : plan.delete()) {
            delete(job);
        }
        for (String template : plan.missing()) {
            events.warning(flow, "TemplateNotFound", "there is no JobTemplate named " + template + " yet");
        }
        ApiException refused = null;
        for (ObjectNode job : plan.create()) {
            ApiException why = create(flow, job, jobs);
            refused = refused == null ? why : refused;
        }
        tell(flow, jobs);
        if (refused != null) {
            throw refused; // tried again, ever more rarely
        }
        return plan.waits() ? Optional.of(PROBING) : Optional.empty();
    }

    private static Instant created(ObjectNode flow) {
        return Instant.parse(Json.textAt(flow, "metadata", "creationTimestamp"));
    }

    /** The Jobs there are of a flow; one that is somebody else's is said to be so. */
    private Map<String, ObjectNode> jobs(ObjectNode flow) {
        Map<String, ObjectNode> jobs = new LinkedHashMap<>();
        for (FlowStep step : FlowStep.of(flow)) {
            api.find(Flows.JOBS, Flows.namespace(flow), step.jobName(Flows.name(flow)))
                    .ifPresent(job -> {
                        jobs.put(Flows.name(job), job);
                        if (!Flows.controller(job).equals(Flows.uid(flow))) {
                            events.warning(
                                    flow,
                                    "ForeignJob",
                                    "job " + Flows.name(job) + " exists and is not of this JobFlow");
                        }
                    });
        }
        return jobs;
    }

    /** First the number of the next attempt, then the end of the last one. */
    private ObjectNode retry(ObjectNode flow, FlowPlan plan, Map<String, ObjectNode> jobs) {
        ObjectNode after = flow;
        if (plan.attempts() != null) {
            ObjectNode patch = Json.object();
            patch.putObject("metadata").putObject("annotations").put(Flows.ATTEMPTS, plan.attempts());
            after = api.patch(Flows.JOB_FLOWS, Flows.namespace(flow), Flows.name(flow), "", KubeApi.Merge.PLAIN, patch);
        }
        for (ObjectNode job : plan.retry()) {
            events.normal(flow, "Retry", "job " + Flows.name(job) + " failed and is made anew");
            delete(job);
            jobs.remove(Flows.name(job));
        }
        return after;
    }

    private void delete(ObjectNode job) {
        api.delete(
                Flows.JOBS,
                Flows.namespace(job),
                Flows.name(job),
                new KubeApi.Deletion(Flows.uid(job), null, "Background"));
    }

    /** Null if there is the Job now. One that cannot be made holds up neither the others nor what is told of them. */
    private @Nullable ApiException create(ObjectNode flow, ObjectNode job, Map<String, ObjectNode> jobs) {
        try {
            ObjectNode made = api.create(Flows.JOBS, Flows.namespace(flow), job);
            jobs.put(Flows.name(made), made);
            events.normal(flow, "Created", "create a job named " + Flows.name(made) + "!");
        } catch (ApiException e) {
            if (!e.reason().equals("AlreadyExists")) {
                events.warning(flow, "FailedCreate", "job " + Flows.name(job) + " cannot be made: " + e.getMessage());
                return e;
            }
            // Somebody was faster, perhaps we ourselves: its change tells.
        }
        return null;
    }

    private void tell(ObjectNode flow, Map<String, ObjectNode> jobs) {
        ObjectNode status = FlowPlan.status(flow, jobs, clock.instant());
        if (status == null) {
            return;
        }
        String before = Json.textAt(flow, "status", "state", "phase");
        ObjectNode told = flow.deepCopy();
        told.set("status", status);
        api.update(Flows.JOB_FLOWS, "status", told);
        String phase = Json.textAt(status, "state", "phase");
        if (!phase.equals(before) && (phase.equals("Succeed") || phase.equals("Failed"))) {
            ended.computeIfAbsent(phase, _ -> new ConcurrentSkipListMap<>())
                    .merge(Flows.namespace(flow), 1L, Long::sum);
        }
    }

    // ---- probes

    /** Whether everything a probe asks of a Job is so. */
    private boolean holds(ObjectNode probe, ObjectNode job) {
        return FlowPlan.tasksAre(probe, job) && answers(probe, job);
    }

    private boolean answers(ObjectNode probe, ObjectNode job) {
        JsonNode tcp = Json.listAt(probe, "tcpSocketList");
        JsonNode http = Json.listAt(probe, "httpGetList");
        if (tcp.isEmpty() && http.isEmpty()) {
            return true;
        }
        List<ObjectNode> pods = new ArrayList<>();
        api.list(Flows.PODS, Flows.namespace(job), KubeApi.View.WHOLE, pod -> {
            if (Flows.controller(pod).equals(Flows.uid(job))) {
                pods.add(pod);
            }
        });
        for (JsonNode each : tcp) {
            int port = (int) Json.longAt(each, 0, "port");
            if (!all(pods, each, host -> probes.accepts(host, port))) {
                return false;
            }
        }
        for (JsonNode each : http) {
            int port = (int) Json.longAt(each, 0, "port");
            String header = Json.textAt(each, "httpHeader", "name");
            Map<String, String> headers =
                    header.isEmpty() ? Map.of() : Map.of(header, Json.textAt(each, "httpHeader", "value"));
            String path = Json.textAt(each, "path");
            if (!all(pods, each, host -> probes.answers(host, port, path, headers))) {
                return false;
            }
        }
        return true;
    }

    @FunctionalInterface
    private interface Question {
        boolean isTrueOf(String host);
    }

    /** Of every pod of a task, of which there must be one. */
    private static boolean all(List<ObjectNode> pods, JsonNode probe, Question question) {
        String task = Json.textAt(probe, "taskName");
        List<String> hosts = pods.stream()
                .filter(pod -> Json.textAt(pod, "metadata", "labels", TASK_SPEC).equals(task))
                .map(pod -> Json.textAt(pod, "status", "podIP"))
                .toList();
        return !hosts.isEmpty() && hosts.stream().allMatch(host -> !host.isEmpty() && question.isTrueOf(host));
    }

    // ---- metrics

    /** How flows ended, in Prometheus' text format, under upstream's names. */
    String metrics() {
        StringBuilder text = new StringBuilder();
        Map<String, String> names = new LinkedHashMap<>();
        names.put("Succeed", "volcano_jobflow_succeed_phase_count");
        names.put("Failed", "volcano_jobflow_failed_phase_count");
        names.forEach((phase, name) -> {
            Map<String, Long> counts = ended.getOrDefault(phase, Map.of());
            if (!counts.isEmpty()) {
                text.append("# TYPE ").append(name).append(" counter\n");
                counts.forEach((namespace, count) -> text.append(name)
                        .append("{jobflow_namespace=\"")
                        .append(namespace)
                        .append("\"} ")
                        .append(count)
                        .append('\n'));
            }
        });
        return text.toString();
    }
}
