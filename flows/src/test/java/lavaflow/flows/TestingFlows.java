package lavaflow.flows;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

import lavaflow.controller.ControllerRunner;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.DecodingException;
import lavaflow.kube.Json;
import lavaflow.kube.Yaml;

import com.fasterxml.jackson.databind.node.ObjectNode;

import static java.nio.charset.StandardCharsets.UTF_8;

/** Runs the controllers of this module step by step over an API in memory, with a clock that moves when told. */
final class TestingFlows implements Probes {
    static final String SPACE = "team";
    private static final KubeApi.Kind EVENTS = KubeApi.Kind.core("events");
    static final Instant START = Instant.parse("2030-01-02T03:04:05Z"); // when the API says that objects are made

    final TestingKubeApi api = new TestingKubeApi()
            .serve(EVENTS, "Event")
            .serve(Flows.PODS, "Pod")
            .serve(Flows.JOBS, "Job")
            .serve(Flows.CRON_JOBS, "CronJob")
            .serve(Flows.JOB_FLOWS, "JobFlow")
            .serve(Flows.JOB_TEMPLATES, "JobTemplate");
    /** Who answers: {@code 10.0.0.1:80}, with a path for HTTP. */
    final Set<String> answering = new HashSet<>();

    private Followers followers = new Followers(api);
    private final AtomicLong nanos = new AtomicLong();
    private FlowControllers controllers = controllers();

    private FlowControllers controllers() {
        InstantSource clock = () -> START.plusNanos(nanos.get());
        return new FlowControllers(api, followers, _ -> true, this, clock, nanos::get);
    }

    @Override
    public boolean accepts(String host, int port) {
        return answering.contains(host + ":" + port);
    }

    @Override
    public boolean answers(String host, int port, String path, Map<String, String> headers) {
        return answering.contains(host + ":" + port + path);
    }

    /** Ends the controllers as a crash does; those that follow know nothing. */
    void restart() {
        followers = new Followers(api);
        controllers = controllers();
        settle();
    }

    void settle() {
        int quiet = 0;
        while (quiet < 2) {
            long revision = api.revision();
            followers.pump();
            boolean worked = false;
            for (ControllerRunner<?> runner : controllers.runners()) {
                while (runner.step()) {
                    worked = true;
                }
            }
            quiet = worked || api.revision() != revision ? 0 : quiet + 1;
        }
    }

    void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
        settle();
    }

    String metrics() {
        return controllers.metrics();
    }

    static ObjectNode yaml(String text) {
        try {
            return (ObjectNode) Yaml.parse(text.getBytes(UTF_8)).root();
        } catch (DecodingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    ObjectNode make(KubeApi.Kind kind, String text) {
        ObjectNode made = api.create(kind, SPACE, yaml(text));
        settle();
        return made;
    }

    void template(String name) {
        make(Flows.JOB_TEMPLATES, """
                metadata: {name: %s}
                spec:
                  minAvailable: 1
                  queue: default
                  maxRetry: 3
                  tasks:
                  - {name: t, replicas: 2, template: {spec: {containers: [{name: main, image: old}]}}}
                """.formatted(name));
    }

    void job(String name, String phase) {
        api.edit(Flows.JOBS, SPACE, name, job -> {
            Json.ensureObject(job, "status", "state")
                    .put("phase", phase)
                    .put("lastTransitionTime", "2030-01-02T03:05:00Z");
            return job;
        });
        settle();
    }

    boolean hasJob(String name) {
        return api.has(Flows.JOBS, SPACE, name);
    }

    ObjectNode find(KubeApi.Kind kind, String name) {
        return api.get(kind, SPACE, name);
    }

    String flowPhase(String name) {
        return Json.textAt(find(Flows.JOB_FLOWS, name), "status", "state", "phase");
    }

    List<String> jobs() {
        return api.list(Flows.JOBS, SPACE, KubeApi.View.WHOLE).items().stream()
                .map(Flows::name)
                .toList();
    }

    /** Reasons and messages of what was told, in order. */
    List<String> events() {
        return api.list(EVENTS, SPACE, KubeApi.View.WHOLE).items().stream()
                .map(event -> Json.textAt(event, "type") + " " + Json.textAt(event, "reason") + " "
                        + Json.textAt(event, "message"))
                .toList();
    }
}
