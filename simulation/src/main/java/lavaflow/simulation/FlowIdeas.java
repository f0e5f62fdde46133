package lavaflow.simulation;

import java.util.List;

import lavaflow.batch.Batch;
import lavaflow.jobs.Volcano;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Flows of all shapes, templates that come late or go, Jobs by the clock, and people who stop and delete what was made for them. */
final class FlowIdeas implements Ideas {
    private static final List<String> TEMPLATES = List.of("prepare", "train", "test", "tell");
    private static final String TASK = "work";

    private final Workspace workspace;

    FlowIdeas(Workspace workspace) {
        this.workspace = workspace;
    }

    @Override
    public void begin() {
        workspace.api().create(Kinds.NAMESPACES, "", Workspace.named(Workspace.FREE));
    }

    @Override
    public List<Runnable> usual() {
        return List.of(
                this::flow,
                this::flow,
                this::flow,
                this::flow,
                () -> template(workspace.oneOf(TEMPLATES)),
                () -> template(workspace.oneOf(TEMPLATES)),
                () -> template(workspace.oneOf(TEMPLATES)),
                this::deleteTemplate,
                this::cronJob,
                this::pauseCronJob,
                () -> command("AbortJob"),
                () -> command("ResumeJob"),
                this::deleteFlow,
                this::deleteCronJob,
                this::deleteJob,
                this::deleteFailed);
    }

    @Override
    public List<Runnable> rough() {
        return List.of(this::deletePod);
    }

    private void flow() {
        ObjectNode flow = Workspace.named(workspace.newName("flow"));
        flow.put("apiVersion", "flow.volcano.sh/v1alpha1").put("kind", "JobFlow");
        if (workspace.oneIn(3)) {
            Json.ensureObject(flow, "metadata")
                    .putObject("annotations")
                    .put("lavaflow.io/max-retry", Integer.toString(1 + workspace.any(2)));
        }
        ObjectNode spec = flow.putObject("spec");
        spec.put("jobRetainPolicy", workspace.oneOf(List.of("retain", "delete")));
        ArrayNode steps = spec.putArray("flows");
        int count = 1 + workspace.any(TEMPLATES.size());
        for (int i = 0; i < count; i++) {
            step(steps.addObject(), i);
        }
        workspace.create(FlowWorld.FLOWS, Workspace.FREE, flow);
    }

    private void step(ObjectNode step, int number) {
        step.put("name", TEMPLATES.get(number));
        ObjectNode depends = Json.object();
        ArrayNode targets = depends.putArray("targets");
        for (int i = 0; i < number; i++) {
            if (workspace.oneIn(2)) {
                targets.add(TEMPLATES.get(i));
            }
        }
        if (targets.isEmpty()) {
            return;
        }
        step.set("dependsOn", depends);
        if (workspace.oneIn(4)) {
            depends.putObject("probe")
                    .putArray("taskStatusList")
                    .addObject()
                    .put("taskName", TASK)
                    .put("phase", "Running");
        }
        if (workspace.oneIn(4)) {
            ObjectNode task = step.putObject("patch")
                    .putObject("jobSpec")
                    .putArray("tasks")
                    .addObject();
            task.put("name", TASK).put("replicas", 3);
        }
    }

    private void template(String name) {
        if (workspace.api().find(FlowWorld.TEMPLATES, Workspace.FREE, name).isEmpty()) {
            ObjectNode template = Workspace.named(name);
            template.put("apiVersion", "flow.volcano.sh/v1alpha1").put("kind", "JobTemplate");
            job(template.putObject("spec"));
            workspace.create(FlowWorld.TEMPLATES, Workspace.FREE, template);
        }
    }

    private void job(ObjectNode spec) {
        spec.put("schedulerName", "volcano").put("queue", Batch.USUAL_QUEUE);
        spec.put("maxRetry", 1 + workspace.any(3)).put("minAvailable", 1);
        ObjectNode task = spec.putArray("tasks").addObject();
        task.put("name", TASK).put("replicas", 1 + workspace.any(2));
        if (workspace.oneIn(3)) {
            task.putArray("policies").addObject().put("event", "PodFailed").put("action", "RestartJob");
        }
        ObjectNode template = task.putObject("template");
        ObjectNode annotations = template.putObject("metadata").putObject("annotations");
        annotations.put(Workspace.SIM + "duration", 1 + workspace.any(8) + "s");
        if (workspace.oneIn(2)) {
            annotations.put(Workspace.SIM + "fail-probability", "0.3");
        }
        ObjectNode pod = template.putObject("spec");
        pod.put("restartPolicy", "Never");
        ObjectNode container = pod.putArray("containers").addObject();
        container.put("name", "main").put("image", "example.com/work:1");
        container.putObject("resources").putObject("requests").put("cpu", "100m");
    }

    private void cronJob() {
        ObjectNode cronJob = Workspace.named(workspace.newName("cron"));
        cronJob.put("apiVersion", Volcano.GROUP + "/" + Volcano.VERSION).put("kind", "CronJob");
        ObjectNode spec = cronJob.putObject("spec");
        spec.put("schedule", "* * * * *");
        spec.put("concurrencyPolicy", workspace.oneOf(List.of("Allow", "Forbid", "Forbid", "Replace")));
        spec.put("successfulJobsHistoryLimit", workspace.any(3));
        spec.put("failedJobsHistoryLimit", workspace.any(3));
        ObjectNode job = spec.putObject("jobTemplate").putObject("spec");
        job(job);
        if (workspace.oneIn(2)) {
            takeLonger(job);
        }
        workspace.create(FlowWorld.CRON_JOBS, Workspace.FREE, cronJob);
    }

    /** It still runs when the next one is due. */
    private void takeLonger(ObjectNode job) {
        for (JsonNode task : Json.listAt(job, "tasks")) {
            Json.ensureObject((ObjectNode) task, "template", "metadata", "annotations")
                    .put(Workspace.SIM + "duration", 61 + workspace.any(60) + "s");
        }
    }

    private void pauseCronJob() {
        workspace.edit(
                FlowWorld.CRON_JOBS,
                found -> Json.ensureObject(found, "spec").put("suspend", !Json.flagAt(found, "spec", "suspend")));
    }

    private void command(String action) {
        ObjectNode job = workspace.pick(Volcano.JOBS, _ -> true);
        if (job == null) {
            return;
        }
        ObjectNode command = Workspace.named(workspace.newName("command"));
        command.put("apiVersion", "bus.volcano.sh/v1alpha1")
                .put("kind", "Command")
                .put("action", action);
        ObjectNode target = command.putObject("target");
        target.put("apiVersion", Volcano.GROUP + "/" + Volcano.VERSION).put("kind", "Job");
        target.put("name", Workspace.name(job)).put("uid", Observer.uid(job));
        workspace.say(action + " for " + Observer.place(job));
        workspace.api().create(Batch.COMMANDS, Workspace.FREE, command);
    }

    private void deleteTemplate() {
        ObjectNode template = workspace.pick(FlowWorld.TEMPLATES, _ -> true);
        if (template != null) {
            workspace.remove(FlowWorld.TEMPLATES, template, null);
        }
    }

    private void deleteFlow() {
        ObjectNode flow = workspace.pick(FlowWorld.FLOWS, _ -> true);
        if (flow != null) {
            workspace.remove(FlowWorld.FLOWS, flow, workspace.oneOf(List.of("Background", "Foreground")));
        }
    }

    private void deleteCronJob() {
        ObjectNode cronJob = workspace.pick(FlowWorld.CRON_JOBS, _ -> true);
        if (cronJob != null) {
            workspace.remove(FlowWorld.CRON_JOBS, cronJob, workspace.oneOf(List.of("Background", "Foreground")));
        }
    }

    private void deleteJob() {
        ObjectNode job = workspace.pick(Volcano.JOBS, _ -> true);
        if (job != null) {
            workspace.remove(Volcano.JOBS, job, workspace.oneOf(List.of("Background", "Foreground")));
        }
    }

    /** As people do who want a flow to go on. */
    private void deleteFailed() {
        for (ObjectNode job : workspace.all(Volcano.JOBS, OrderlyFlows::isFailed)) {
            workspace.remove(Volcano.JOBS, job, "Background");
        }
    }

    private void deletePod() {
        ObjectNode pod = workspace.pick(Kinds.PODS, _ -> true);
        if (pod != null) {
            workspace.remove(Kinds.PODS, pod, null);
        }
    }

    /** What is missing comes in the end, and the clock stops. */
    @Override
    public void makeAmends() {
        TEMPLATES.forEach(this::template);
        for (ObjectNode cronJob : workspace.all(FlowWorld.CRON_JOBS)) {
            workspace.edit(
                    FlowWorld.CRON_JOBS,
                    cronJob,
                    found -> Json.ensureObject(found, "spec").put("suspend", true));
        }
    }
}
