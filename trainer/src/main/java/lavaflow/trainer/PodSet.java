package lavaflow.trainer;

import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** The pods of one replicated Job while a JobSet is put together. */
final class PodSet {
    private final ObjectNode job;
    private int count;

    /** @param job as it stands in the JobSet, which is changed */
    PodSet(ObjectNode job, int count) {
        this.job = job;
        count(count);
    }

    String name() {
        return Json.textAt(job, "name");
    }

    /** Which part of a TrainJob it is; empty for none. */
    String ancestor() {
        return Json.textAt(job, "template", "metadata", "labels", Trainer.ANCESTOR);
    }

    boolean isTrainer() {
        return ancestor().equals(Trainer.TRAINER);
    }

    int count() {
        return count;
    }

    /** How many pods, which all run at once. */
    void count(int pods) {
        count = Math.max(1, pods);
        Json.ensureObject(job, "template", "spec").put("parallelism", count).put("completions", count);
    }

    void runOnce() {
        job.put("replicas", 1);
    }

    ObjectNode job() {
        return job;
    }

    ObjectNode template() {
        return Json.ensureObject(job, "template", "spec", "template");
    }

    ObjectNode podSpec() {
        return Json.ensureObject(template(), "spec");
    }

    List<ObjectNode> containers() {
        return Trainer.objects(Json.listAt(podSpec(), "containers"));
    }

    List<ObjectNode> initContainers() {
        return Trainer.objects(Json.listAt(podSpec(), "initContainers"));
    }

    @Nullable
    ObjectNode container(String name) {
        return find(containers(), name);
    }

    /** Containers before init containers. */
    @Nullable
    ObjectNode anyContainer(String name) {
        ObjectNode found = container(name);
        return found == null ? find(initContainers(), name) : found;
    }

    private static @Nullable ObjectNode find(List<ObjectNode> containers, String name) {
        return containers.stream()
                .filter(each -> Json.textAt(each, "name").equals(name))
                .findFirst()
                .orElse(null);
    }
}
