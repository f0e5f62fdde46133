package lavaflow.flows;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import java.util.function.Function;

import lavaflow.kube.Json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What a flow needs next. Pure: the same flow and Jobs give the same plan, so that whoever is interrupted in the midst of one begins anew.
 *
 * @param create Jobs to make
 * @param retry Jobs that failed and are deleted, to be made anew
 * @param attempts what is to stand in the flow's annotation before they are; null for what stands there
 * @param delete Jobs of a flow that is done and keeps none
 * @param missing templates that are not there
 * @param waits whether somebody has to be asked again whether a probe holds
 */
record FlowPlan(
        List<ObjectNode> create,
        List<ObjectNode> retry,
        @Nullable String attempts,
        List<ObjectNode> delete,
        List<String> missing,
        boolean waits) {
    /**
     * @param jobs those of the flow, by name
     * @param templates the spec of a template, null where there is none
     * @param probes whether a probe about a Job holds
     */
    static FlowPlan of(
            ObjectNode flow,
            Map<String, ObjectNode> jobs,
            Function<String, @Nullable ObjectNode> templates,
            BiPredicate<ObjectNode, ObjectNode> probes) {
        Making making = new Making(flow, jobs, templates, probes);
        String phase = Json.textAt(flow, "status", "state", "phase");
        if (Flows.isDeleting(flow)) {
            return making.plan();
        }
        if (phase.equals("Succeed")) {
            if (Json.textAt(flow, "spec", "jobRetainPolicy").equals("delete")) {
                making.delete.addAll(jobs.values().stream()
                        .filter(job -> !Flows.isDeleting(job) && isOf(flow, job))
                        .toList());
            }
            return making.plan();
        }
        making.retries();
        boolean failed = jobs.values().stream().anyMatch(job -> isFailed(job) && !making.retry.contains(job));
        if (!failed) {
            FlowStep.of(flow).forEach(making::step);
        }
        return making.plan();
    }

    /** A Job that has the name by chance is somebody else's. */
    private static boolean isOf(ObjectNode flow, ObjectNode job) {
        return Flows.controller(job).equals(Flows.uid(flow));
    }

    static boolean isFailed(ObjectNode job) {
        String phase = Flows.phase(job);
        return phase.equals("Failed") || phase.equals("Terminated");
    }

    /** A plan under way. */
    private static final class Making {
        private final ObjectNode flow;
        private final Map<String, ObjectNode> jobs;
        private final Function<String, @Nullable ObjectNode> templates;
        private final BiPredicate<ObjectNode, ObjectNode> probes;
        private final Map<String, Long> attempts = new HashMap<>();
        private final List<ObjectNode> create = new ArrayList<>();
        private final List<ObjectNode> retry = new ArrayList<>();
        private final List<ObjectNode> delete = new ArrayList<>();
        private final List<String> missing = new ArrayList<>();
        private @Nullable String written;
        private boolean waits;

        Making(
                ObjectNode flow,
                Map<String, ObjectNode> jobs,
                Function<String, @Nullable ObjectNode> templates,
                BiPredicate<ObjectNode, ObjectNode> probes) {
            this.flow = flow;
            this.jobs = jobs;
            this.templates = templates;
            this.probes = probes;
            readAttempts();
        }

        private void readAttempts() {
            String text = Json.textAt(flow, "metadata", "annotations", Flows.ATTEMPTS);
            try {
                if (!text.isEmpty()
                        && Json.parseUntrusted(text.getBytes(StandardCharsets.UTF_8)) instanceof ObjectNode known) {
                    known.properties()
                            .forEach(entry -> attempts.put(
                                    entry.getKey(), entry.getValue().asLong()));
                }
            } catch (JsonProcessingException _) {
                // Somebody wrote something else there: then nothing was tried.
                attempts.clear();
            }
        }

        /** The number of the next attempt is written down before the last one is deleted, or a crash in between would forget it. */
        void retries() {
            long most = number(Json.textAt(flow, "metadata", "annotations", Flows.MAX_RETRY));
            ObjectNode after = Json.object();
            for (FlowStep step : FlowStep.of(flow)) {
                ObjectNode job = jobs.get(step.jobName(Flows.name(flow)));
                long tried = attempts.getOrDefault(step.name(), 0L);
                if (job != null && isFailed(job) && isOf(flow, job) && !Flows.isDeleting(job)) {
                    long attempt = number(Json.textAt(job, "metadata", "annotations", Flows.ATTEMPT));
                    if (attempt < most) {
                        retry.add(job);
                        tried = Math.max(tried, attempt + 1);
                    }
                }
                if (tried > 0) {
                    after.put(step.name(), tried);
                }
            }
            boolean same = after.properties().stream()
                    .allMatch(entry -> entry.getValue().asLong() == attempts.getOrDefault(entry.getKey(), 0L));
            written = same ? null : Json.string(after);
        }

        private static long number(String text) {
            return text.matches("\\d{1,9}") ? Long.parseLong(text) : 0;
        }

        void step(FlowStep step) {
            String name = step.jobName(Flows.name(flow));
            if (jobs.containsKey(name) || !mayBegin(step)) {
                return;
            }
            ObjectNode spec = templates.apply(step.name());
            if (spec == null) {
                missing.add(step.name());
            } else {
                create.add(job(step, name, spec));
            }
        }

        private boolean mayBegin(FlowStep step) {
            for (String target : step.targets()) {
                ObjectNode job = jobs.get(target.isEmpty() ? "" : Flows.name(flow) + "-" + target);
                if (job == null || Flows.isDeleting(job)) {
                    return false;
                }
                if (Flows.phase(job).equals("Completed")) {
                    continue;
                }
                ObjectNode probe = step.probe();
                if (probe == null || !Flows.phase(job).equals("Running")) {
                    return false;
                }
                if (!probes.test(probe, job)) {
                    waits = true;
                    return false;
                }
            }
            return true;
        }

        private ObjectNode job(FlowStep step, String name, ObjectNode template) {
            String namespace = Flows.namespace(flow);
            ObjectNode job = Json.object();
            job.put("apiVersion", "batch.volcano.sh/v1alpha1").put("kind", "Job");
            ObjectNode metadata = job.putObject("metadata");
            metadata.put("name", name).put("namespace", namespace);
            for (String field : List.of("labels", "annotations")) {
                metadata.putObject(field)
                        .put(Flows.BY_TEMPLATE, namespace + "." + step.name())
                        .put(Flows.BY_FLOW, namespace + "." + Flows.name(flow));
            }
            long attempt = attempts.getOrDefault(step.name(), 0L);
            if (attempt > 0) {
                Json.ensureObject(metadata, "annotations").put(Flows.ATTEMPT, Long.toString(attempt));
            }
            metadata.putArray("ownerReferences").add(Flows.reference(flow, "flow.volcano.sh/v1alpha1", "JobFlow"));
            ObjectNode patch = step.patch();
            job.set("spec", patch == null ? template.deepCopy() : SpecPatch.of(template, patch));
            return job;
        }

        FlowPlan plan() {
            return new FlowPlan(create, retry, written, delete, missing, waits);
        }
    }

    /** What a probe says about tasks, which needs nobody to be asked: all pods of the task are in the phase. */
    static boolean tasksAre(ObjectNode probe, ObjectNode job) {
        for (JsonNode wanted : Json.listAt(probe, "taskStatusList")) {
            String task = Json.textAt(wanted, "taskName");
            long replicas = 0;
            for (JsonNode each : Json.listAt(job, "spec", "tasks")) {
                replicas += Json.textAt(each, "name").equals(task) ? Json.longAt(each, 0, "replicas") : 0;
            }
            long there = Json.longAt(job, 0, "status", "taskStatusCount", task, "phase", Json.textAt(wanted, "phase"));
            if (replicas == 0 || there < replicas) {
                return false;
            }
        }
        return true;
    }

    /** Whether a flow that keeps nothing has succeeded. */
    private static boolean isOver(ObjectNode flow) {
        return Json.textAt(flow, "status", "state", "phase").equals("Succeed")
                && Json.textAt(flow, "spec", "jobRetainPolicy").equals("delete")
                && !Flows.isDeleting(flow);
    }

    /** The status after what was seen, null where the flow says it already. */
    static @Nullable ObjectNode status(ObjectNode flow, Map<String, ObjectNode> jobs, Instant now) {
        if (isOver(flow)) {
            return null; // what its Jobs came to is said, and they are gone
        }
        List<FlowStep> steps = FlowStep.of(flow);
        List<ObjectNode> there = new ArrayList<>();
        for (FlowStep step : steps) {
            ObjectNode job = jobs.get(step.jobName(Flows.name(flow)));
            if (job != null) {
                there.add(job);
            }
        }
        ObjectNode status = FlowStatus.of(flow, there, steps.size(), now);
        return status.equals(flow.get("status")) ? null : status;
    }
}
