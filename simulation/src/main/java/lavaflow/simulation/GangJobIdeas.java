package lavaflow.simulation;

import java.util.List;

import lavaflow.batch.Batch;
import lavaflow.jobs.Volcano;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Jobs of Volcano's with all sorts of policies, and what people say to them. */
final class GangJobIdeas implements Ideas {
    private static final List<String> ACTIONS =
            List.of("RestartJob", "RestartTask", "RestartPod", "AbortJob", "TerminateJob", "CompleteJob", "ResumeJob");
    private static final List<String> EVENTS =
            List.of("PodFailed", "PodFailed", "PodEvicted", "TaskCompleted", "TaskFailed", "*");

    private final Workspace workspace;

    GangJobIdeas(Workspace workspace) {
        this.workspace = workspace;
    }

    @Override
    public void begin() {
        workspace.api().create(Kinds.NAMESPACES, "", Workspace.named(Workspace.FREE));
    }

    @Override
    public List<Runnable> usual() {
        return List.of(
                this::submit,
                this::submit,
                this::submit,
                this::submit,
                () -> command("AbortJob"),
                () -> command("ResumeJob"),
                () -> command("ResumeJob"),
                () -> command("RestartJob"),
                this::scale,
                this::delete);
    }

    @Override
    public List<Runnable> rough() {
        return List.of(this::deletePod, this::deletePod, this::deleteGroup);
    }

    private void submit() {
        ObjectNode job = Workspace.named(workspace.newName("job"));
        job.put("apiVersion", Volcano.GROUP + "/" + Volcano.VERSION).put("kind", "Job");
        ObjectNode spec = job.putObject("spec");
        spec.put("schedulerName", "volcano").put("queue", Batch.USUAL_QUEUE);
        spec.put("maxRetry", 1 + workspace.any(4));
        ArrayNode tasks = spec.putArray("tasks");
        int members = 0;
        int kinds = 1 + workspace.any(3);
        for (int i = 0; i < kinds; i++) {
            members += task(tasks.addObject(), i);
        }
        spec.put("minAvailable", 1 + workspace.any(members));
        if (workspace.oneIn(5)) {
            spec.put("minSuccess", 1);
        }
        if (workspace.oneIn(3)) {
            spec.putObject("plugins").putArray("svc");
        }
        if (workspace.oneIn(4)) {
            spec.put("ttlSecondsAfterFinished", workspace.any(60));
        }
        if (workspace.oneIn(2)) {
            policy(spec);
        }
        workspace.create(Volcano.JOBS, Workspace.FREE, job);
    }

    /** How many pods it has. */
    private int task(ObjectNode task, int number) {
        int replicas = 1 + workspace.any(3);
        task.put("name", "task" + number).put("replicas", replicas);
        if (workspace.oneIn(2)) {
            task.put("minAvailable", 1 + workspace.any(replicas));
        }
        if (number > 0 && workspace.oneIn(3)) {
            waitForOthers(task.putObject("dependsOn"), number);
        }
        if (workspace.oneIn(2)) {
            policy(task);
        }
        ObjectNode template = task.putObject("template");
        ObjectNode annotations = template.putObject("metadata").putObject("annotations");
        annotations.put(Workspace.SIM + "duration", 1 + workspace.any(20) + "s");
        annotations.put(Workspace.SIM + "stop-delay", workspace.any(3) + "s");
        if (workspace.oneIn(2)) {
            annotations.put(Workspace.SIM + "fail-probability", "0.3");
        }
        ObjectNode pod = template.putObject("spec");
        pod.put("restartPolicy", "Never");
        ObjectNode container = pod.putArray("containers").addObject();
        container.put("name", "main").put("image", "example.com/work:1");
        container.putObject("resources").putObject("requests").put("cpu", "100m");
        return replicas;
    }

    private void waitForOthers(ObjectNode dependency, int number) {
        ArrayNode names = dependency.putArray("name").add("task" + (number - 1));
        if (number > 1 && workspace.oneIn(2)) {
            names.add("task0");
            dependency.put("iteration", workspace.oneOf(List.of("any", "all")));
        }
    }

    private void policy(ObjectNode about) {
        ObjectNode policy = about.putArray("policies").addObject();
        policy.put("event", workspace.oneOf(EVENTS)).put("action", workspace.oneOf(ACTIONS));
        if (workspace.oneIn(4)) {
            policy.put("timeout", 1 + workspace.any(20) + "s");
        }
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

    private void scale() {
        workspace.edit(Volcano.JOBS, job -> {
            if (Json.listAt(job, "spec", "tasks").get(0) instanceof ObjectNode task) {
                int replicas = 1 + workspace.any(4);
                task.put("replicas", replicas).put("minAvailable", 1 + workspace.any(replicas));
                Json.ensureObject(job, "spec").put("minAvailable", 1);
            }
        });
    }

    private void delete() {
        ObjectNode job = workspace.pick(Volcano.JOBS, _ -> true);
        if (job != null) {
            workspace.remove(Volcano.JOBS, job, workspace.oneOf(List.of("Background", "Foreground")));
        }
    }

    private void deletePod() {
        ObjectNode pod = workspace.pick(Kinds.PODS, _ -> true);
        if (pod != null) {
            workspace.remove(Kinds.PODS, pod, null);
        }
    }

    private void deleteGroup() {
        ObjectNode group = workspace.pick(Batch.POD_GROUPS, _ -> true);
        if (group != null) {
            workspace.remove(Batch.POD_GROUPS, group, null);
        }
    }
}
