package lavaflow.jobs;

import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** A pod of a Job as a function of the Job, its task and the pod's place in it. */
final class PodForm {
    private final VolcanoJob job;
    private final JobStatus status;
    private final String group;
    private final List<JobPlugin> plugins;

    /** @param group the name of its PodGroup */
    PodForm(VolcanoJob job, String group, List<JobPlugin> plugins) {
        this.job = job;
        this.status = JobStatus.of(job);
        this.group = group;
        this.plugins = plugins;
    }

    ObjectNode pod(Task task, long index) {
        ObjectNode template = task.template();
        ObjectNode pod = Json.object();
        pod.put("apiVersion", "v1").put("kind", "Pod");
        ObjectNode metadata = pod.putObject("metadata");
        metadata.put("name", job.podName(task, index)).put("namespace", job.namespace());
        metadata.set("labels", copy(template, "metadata", "labels"));
        metadata.set("annotations", copy(template, "metadata", "annotations"));
        metadata.putArray("ownerReferences").add(job.ownerReference());
        JsonNode finalizers = Json.at(template, "metadata", "finalizers");
        if (finalizers != null) {
            metadata.set("finalizers", finalizers.deepCopy());
        }
        ObjectNode spec = copy(template, "spec");
        pod.set("spec", spec);
        inherit(spec, "schedulerName", job.schedulerName());
        inherit(spec, "priorityClassName", job.priorityClassName());
        JobVolume.addTo(job, spec);
        annotate(Json.ensureObject(metadata, "annotations"), task, index);
        label(Json.ensureObject(metadata, "labels"), task, index);
        plugins.forEach(plugin -> plugin.onPod(job, task, index, pod));
        return pod;
    }

    private static ObjectNode copy(ObjectNode template, String... path) {
        ObjectNode found = Json.objectAt(template, path);
        return found == null ? Json.object() : found.deepCopy();
    }

    private static void inherit(ObjectNode spec, String field, String value) {
        if (Json.textAt(spec, field).isEmpty() && !value.isEmpty()) {
            spec.put(field, value);
        }
    }

    private void annotate(ObjectNode annotations, Task task, long index) {
        annotations.put(Volcano.TASK_INDEX, Long.toString(index));
        annotations.put(Volcano.TASK_SPEC, task.name());
        annotations.put(Volcano.GROUP_NAME, group);
        annotations.put(Volcano.JOB_NAME, job.name());
        annotations.put(Volcano.QUEUE_NAME, job.queue());
        annotations.put(Volcano.JOB_VERSION, Long.toString(status.version()));
        annotations.put(Volcano.TEMPLATE_UID, job.name() + "-" + task.name());
        annotations.put(Volcano.JOB_RETRY_COUNT, Long.toString(status.retryCount()));
        if (!task.topologyPolicy().isEmpty()) {
            annotations.put(Volcano.NUMA_POLICY, task.topologyPolicy());
        }
        for (String key : List.of(Volcano.PREEMPTABLE, Volcano.COOLDOWN_TIME, Volcano.REVOCABLE_ZONE)) {
            take(annotations, key, job.annotation(key));
        }
        // One of the two says it all.
        String minimum = job.annotation(Volcano.MIN_AVAILABLE);
        take(annotations, Volcano.MIN_AVAILABLE, minimum);
        if (minimum.isEmpty()) {
            take(annotations, Volcano.MAX_UNAVAILABLE, job.annotation(Volcano.MAX_UNAVAILABLE));
        }
    }

    private static void take(ObjectNode map, String key, String value) {
        if (!value.isEmpty()) {
            map.put(key, value);
        }
    }

    private void label(ObjectNode labels, Task task, long index) {
        labels.put(Volcano.TASK_INDEX, Long.toString(index));
        labels.put(Volcano.JOB_NAME, job.name());
        labels.put(Volcano.TASK_SPEC, task.name());
        labels.put(Volcano.JOB_NAMESPACE, job.namespace());
        labels.put(Volcano.QUEUE_NAME, job.queue());
        take(labels, Volcano.PREEMPTABLE, job.label(Volcano.PREEMPTABLE));
        take(labels, Volcano.COOLDOWN_TIME, job.label(Volcano.COOLDOWN_TIME));
        Task.Partitions partitions = task.partitions();
        if (partitions != null && partitions.size() > 0) {
            labels.put(Volcano.PARTITION, Long.toString(index / partitions.size()));
        }
    }
}
