package lavaflow.simulation;

import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Jobs of all sorts, and jobs by the clock. */
final class BatchIdeas implements Ideas {
    private final Workspace workspace;

    BatchIdeas(Workspace workspace) {
        this.workspace = workspace;
    }

    @Override
    public List<Runnable> usual() {
        return List.of(
                this::run,
                this::run,
                this::run,
                this::schedule,
                () -> workspace.edit(Kinds.JOBS, this::pauseJob),
                () -> workspace.edit(Kinds.CRON_JOBS, this::changeSchedule));
    }

    private void run() {
        String name = workspace.newName("job");
        ObjectNode job = Workspace.named(name);
        ObjectNode spec = job.putObject("spec");
        work(spec, name, 1 + workspace.any(5));
        if (workspace.oneIn(3)) {
            spec.put("ttlSecondsAfterFinished", workspace.any(3) * 10);
        }
        if (workspace.oneIn(4)) {
            spec.put("podReplacementPolicy", "Failed");
        }
        workspace.create(Kinds.JOBS, workspace.somewhere(), job);
    }

    private void work(ObjectNode spec, String name, int seconds) {
        spec.put("parallelism", 1 + workspace.any(3)).put("completions", 1 + workspace.any(5));
        boolean indexed = workspace.oneIn(2);
        ObjectNode pod = workspace.template(spec, name);
        pod.put("restartPolicy", "Never");
        ObjectNode behaviour =
                Json.ensureObject(Json.ensureObject(Json.ensureObject(spec, "template"), "metadata"), "annotations");
        behaviour.put(Workspace.SIM + "duration", seconds + "s");
        if (workspace.oneIn(2)) {
            behaviour.put(Workspace.SIM + "fail-probability", "0.3");
        }
        if (indexed) {
            index(spec);
        } else {
            spec.put("backoffLimit", workspace.any(4));
        }
        if (workspace.oneIn(3)) {
            judgeFailures(spec);
        }
    }

    private void index(ObjectNode spec) {
        spec.put("completionMode", "Indexed");
        switch (workspace.any(3)) {
            case 0 -> spec.put("backoffLimit", workspace.any(4));
            case 1 -> {
                spec.put("backoffLimitPerIndex", workspace.any(2));
                if (workspace.oneIn(2)) {
                    spec.put("maxFailedIndexes", workspace.any((int) Json.longAt(spec, 1, "completions") + 1));
                }
            }
            default ->
                spec.putObject("successPolicy")
                        .putArray("rules")
                        .addObject()
                        .put("succeededIndexes", "0")
                        .put("succeededCount", 1);
        }
    }

    private void judgeFailures(ObjectNode spec) {
        ArrayNode rules = spec.putObject("podFailurePolicy").putArray("rules");
        ObjectNode disturbed = rules.addObject().put("action", workspace.oneIn(2) ? "Ignore" : "Count");
        disturbed
                .putArray("onPodConditions")
                .addObject()
                .put("type", "DisruptionTarget")
                .put("status", "True");
        boolean perIndex = spec.has("backoffLimitPerIndex");
        List<String> actions =
                perIndex ? List.of("FailJob", "FailIndex", "Ignore", "Count") : List.of("FailJob", "Ignore", "Count");
        ObjectNode failed = rules.addObject().put("action", workspace.oneOf(actions));
        failed.putObject("onExitCodes").put("operator", "In").putArray("values").add(1);
    }

    private void schedule() {
        String name = workspace.newName("cron");
        ObjectNode cronJob = Workspace.named(name);
        ObjectNode spec = cronJob.putObject("spec");
        spec.put("schedule", "* * * * *")
                .put("concurrencyPolicy", workspace.oneOf(List.of("Forbid", "Forbid", "Replace", "Allow")))
                .put("successfulJobsHistoryLimit", workspace.any(3))
                .put("failedJobsHistoryLimit", workspace.any(2));
        ObjectNode job = spec.putObject("jobTemplate").putObject("spec");
        // Some take longer than there is time between two of them.
        work(job, name, workspace.oneIn(2) ? 90 : 5);
        workspace.create(Kinds.CRON_JOBS, workspace.somewhere(), cronJob);
    }

    private void changeSchedule(ObjectNode cronJob) {
        ObjectNode spec = Json.ensureObject(cronJob, "spec");
        if (workspace.oneIn(2)) {
            spec.put("suspend", !Json.flagAt(spec, "suspend"));
        } else {
            spec.put("successfulJobsHistoryLimit", workspace.any(3));
        }
    }

    private void pauseJob(ObjectNode job) {
        boolean over = Observer.hasCondition(job, "Complete") || Observer.hasCondition(job, "Failed");
        if (!over) {
            ObjectNode spec = Json.ensureObject(job, "spec");
            spec.put("suspend", !Json.flagAt(spec, "suspend"));
        }
    }

    @Override
    public void makeAmends() {
        for (ObjectNode cronJob : workspace.all(Kinds.CRON_JOBS)) {
            workspace.edit(
                    Kinds.CRON_JOBS,
                    cronJob,
                    each -> Json.ensureObject(each, "spec").put("suspend", true));
        }
    }
}
