package lavaflow.cli;

import java.util.ArrayList;
import java.util.List;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * One job in a list, whatever its kind.
 *
 * @param queue empty where it says none
 * @param good how many of its parts run or have succeeded
 * @param all how many parts it has: pods, or those jobs that a TrainJob is made of
 * @param min how many pods must run at once
 * @param retries how often it was begun anew
 * @param mostRetries how often it may be
 * @param began when it began to run; empty if it has not
 * @param ended when it ended; empty if it has not
 * @param parts its sorts of pods, and how many of each
 */
public record JobSummary(
        ObjectNode object,
        String queue,
        long good,
        long all,
        long min,
        long retries,
        long mostRetries,
        String began,
        String ended,
        String priority,
        List<String> parts,
        List<String> images) {
    /** Where jobs of gangs go that name none. */
    private static final String USUAL_QUEUE = "default";

    /** All kinds that are told of. */
    public static final List<KubeApi.Kind> KINDS = List.of(
            VolcanoObjects.JOBS,
            training("tfjobs"),
            training("pytorchjobs"),
            training("mpijobs"),
            training("xgboostjobs"),
            training("paddlejobs"),
            training("jaxjobs"),
            new KubeApi.Kind("trainer.kubeflow.org", "v1alpha1", "trainjobs", true));

    private static KubeApi.Kind training(String resource) {
        return new KubeApi.Kind("kubeflow.org", "v1", resource, true);
    }

    public static JobSummary of(ObjectNode job) {
        String version = Json.textAt(job, "apiVersion");
        if (version.startsWith("batch.volcano.sh/")) {
            return ofVolcano(job);
        }
        return version.startsWith("trainer.kubeflow.org/") ? ofTrainer(job) : ofTraining(job);
    }

    private static JobSummary ofVolcano(ObjectNode job) {
        long all = 0;
        List<String> parts = new ArrayList<>();
        List<JsonNode> templates = new ArrayList<>();
        for (JsonNode task : Json.listAt(job, "spec", "tasks")) {
            long replicas = Json.longAt(task, 0, "replicas");
            all += replicas;
            parts.add(Json.textAt(task, "name") + ":" + replicas);
            templates.add(task.path("template"));
        }
        String began = "";
        for (JsonNode condition : Json.listAt(job, "status", "conditions")) {
            if (Json.textAt(condition, "status").equals("Running")) {
                began = Json.textAt(condition, "lastTransitionTime");
            }
        }
        return new JobSummary(
                job,
                Json.textAt(job, "spec", "queue"),
                Json.longAt(job, 0, "status", "running") + Json.longAt(job, 0, "status", "succeeded"),
                all,
                Json.longAt(job, 0, "spec", "minAvailable"),
                Json.longAt(job, 0, "status", "retryCount"),
                Json.longAt(job, 3, "spec", "maxRetry"),
                began,
                Json.textAt(job, "status", "state", "lastTransitionTime"),
                Json.textAt(job, "spec", "priorityClassName"),
                parts,
                images(templates));
    }

    /** Those of the training operator have their pods by sort, under a name of their kind. */
    private static JobSummary ofTraining(ObjectNode job) {
        long all = 0;
        long good = 0;
        List<String> parts = new ArrayList<>();
        List<JsonNode> templates = new ArrayList<>();
        for (var field : job.path("spec").properties()) {
            if (!field.getKey().endsWith("ReplicaSpecs")) {
                continue;
            }
            for (var sort : field.getValue().properties()) {
                long replicas = Json.longAt(sort.getValue(), 1, "replicas");
                all += replicas;
                parts.add(sort.getKey() + ":" + replicas);
                templates.add(sort.getValue().path("template"));
                JsonNode status = job.path("status").path("replicaStatuses").path(sort.getKey());
                good += Json.longAt(status, 0, "active") + Json.longAt(status, 0, "succeeded");
            }
        }
        JsonNode policy = job.path("spec").path("runPolicy");
        String queue = Json.textAt(policy, "schedulingPolicy", "queue");
        return new JobSummary(
                job,
                queue.isEmpty() ? USUAL_QUEUE : queue,
                good,
                all,
                Json.longAt(policy, all, "schedulingPolicy", "minAvailable"),
                0,
                Json.longAt(policy, 0, "backoffLimit"),
                Json.textAt(job, "status", "startTime"),
                Json.textAt(job, "status", "completionTime"),
                Json.textAt(policy, "schedulingPolicy", "priorityClass"),
                parts,
                images(templates));
    }

    /** A TrainJob only knows the jobs it is made of; their pods are its runtime's. */
    private static JobSummary ofTrainer(ObjectNode job) {
        long all = 0;
        long good = 0;
        List<String> parts = new ArrayList<>();
        for (JsonNode part : Json.listAt(job, "status", "jobsStatus")) {
            all++;
            good += Json.longAt(part, 0, "ready") + Json.longAt(part, 0, "succeeded") > 0 ? 1 : 0;
            parts.add(Json.textAt(part, "name"));
        }
        String image = Json.textAt(job, "spec", "trainer", "image");
        Outcome outcome = Outcome.of(job);
        return new JobSummary(
                job,
                "",
                good,
                all,
                Json.longAt(job, 1, "spec", "trainer", "numNodes"),
                0,
                0,
                good > 0 || outcome.isEnd() ? Json.textAt(job, "metadata", "creationTimestamp") : "",
                endOf(job),
                "",
                parts,
                image.isEmpty() ? List.of() : List.of(image));
    }

    /** When a condition said that it is over. */
    private static String endOf(ObjectNode job) {
        for (JsonNode condition : Json.listAt(job, "status", "conditions")) {
            boolean said = Json.textAt(condition, "status").equals("True");
            if (said && List.of("Complete", "Failed").contains(Json.textAt(condition, "type"))) {
                return Json.textAt(condition, "lastTransitionTime");
            }
        }
        return "";
    }

    private static List<String> images(List<JsonNode> templates) {
        return templates.stream()
                .flatMap(template -> Json.listAt(template, "spec", "containers").valueStream())
                .map(container -> Json.textAt(container, "image"))
                .distinct()
                .toList();
    }

    public String kind() {
        return Json.textAt(object, "kind");
    }

    public String phase() {
        return Outcome.phase(object);
    }
}
