package lavaflow.flows;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

import lavaflow.controller.ControllerRunner;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Tells in the status of templates which Jobs were made of them. */
final class JobTemplates {
    static final String NAME = "jobtemplate-controller";

    /** How long a list that is under way may take until it is worth looking again. */
    private static final Duration LISTING = Duration.ofMillis(50);

    /** @param template {@code namespace.name} */
    private record Made(String template, String name) {}

    private final KubeApi api;
    private final Followers followers;
    private final Mirror<Made> jobs;
    private final ControllerRunner<Flows.Key> runner;

    JobTemplates(KubeApi api, Followers followers, LongSupplier nanoTime) {
        this.api = api;
        this.followers = followers;
        this.jobs = Mirror.whileServed(
                followers,
                Flows.JOBS,
                job -> template(job).isEmpty() ? null : new Made(template(job), Flows.name(job)),
                made -> List.of(made.template()));
        this.runner = new ControllerRunner<>(NAME, followers, 1, this::reconcile, nanoTime);
        runner.followWhileServed(Flows.JOB_TEMPLATES, template -> List.of(Flows.Key.of(template)));
        runner.followWhileServed(Flows.JOBS, JobTemplates::concerned);
    }

    ControllerRunner<Flows.Key> controller() {
        return runner;
    }

    private static String template(ObjectNode job) {
        return Json.textAt(job, "metadata", "labels", Flows.BY_TEMPLATE);
    }

    private static List<Flows.Key> concerned(ObjectNode job) {
        String prefix = Flows.namespace(job) + ".";
        String template = template(job);
        return template.startsWith(prefix)
                ? List.of(new Flows.Key(Flows.namespace(job), template.substring(prefix.length())))
                : List.of();
    }

    private Optional<Duration> reconcile(Flows.Key key) {
        if (!api.kinds().contains(Flows.JOB_TEMPLATES)) {
            return Optional.empty();
        }
        if (api.kinds().contains(Flows.JOBS) && !followers.hasSeen(Flows.JOBS)) {
            return Optional.of(LISTING);
        }
        ObjectNode template =
                api.find(Flows.JOB_TEMPLATES, key.namespace(), key.name()).orElse(null);
        if (template == null) {
            return Optional.empty();
        }
        ArrayNode names = Json.array();
        jobs.having(key.namespace() + "." + key.name()).stream()
                .map(Made::name)
                .sorted()
                .forEach(names::add);
        if (!names.equals(Json.listAt(template, "status", "jobDependsOnList"))) {
            Json.ensureObject(template, "status").set("jobDependsOnList", names);
            api.update(Flows.JOB_TEMPLATES, "status", template);
        }
        return Optional.empty();
    }
}
