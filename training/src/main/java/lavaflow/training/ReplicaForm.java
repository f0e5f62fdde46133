package lavaflow.training;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** The pods of a job, and the services they are found by. */
final class ReplicaForm {
    private ReplicaForm() {}

    /** The labels of everything that belongs to a replica. */
    static ObjectNode labels(TrainingJob job, String type, int index) {
        ObjectNode labels = Json.object();
        labels.put(Training.JOB_NAME, job.name());
        labels.put(Training.OPERATOR_NAME, job.framework().words().controller());
        boolean launcher = job.framework() instanceof Mpi && type.equals(Mpi.LAUNCHER);
        if (!launcher) {
            labels.put(Training.REPLICA_INDEX, Integer.toString(index));
        }
        labels.put(Training.REPLICA_TYPE, Training.lower(type));
        return labels;
    }

    /** As autoscalers ask for a type's pods. */
    static String selector(TrainingJob job, String type) {
        return Training.JOB_NAME + "=" + job.name() + "," + Training.OPERATOR_NAME + "="
                + job.framework().words().controller() + "," + Training.REPLICA_TYPE + "=" + Training.lower(type);
    }

    static String podName(TrainingJob job, String type, int index) {
        boolean launcher = job.framework() instanceof Mpi && type.equals(Mpi.LAUNCHER);
        return launcher ? MpiForm.launcherName(job) : job.replicaName(type, index);
    }

    static ObjectNode pod(TrainingJob job, TrainingJob.Replica replica, int index, Gang gang, Settings settings) {
        String type = replica.type();
        ObjectNode pod = Training.owned(job.object(), "v1", "Pod", podName(job, type, index));
        ObjectNode metadata = Json.ensureObject(pod, "metadata");
        copy(replica.template(), metadata, "annotations");
        copy(replica.template(), metadata, "finalizers");
        copy(replica.template(), metadata, "labels");
        ObjectNode labels = Json.ensureObject(metadata, "labels");
        labels.setAll(labels(job, type, index));
        if (job.framework().isMaster(job, type, index)) {
            labels.put(Training.JOB_ROLE, "master");
        }
        ObjectNode wanted = Json.objectAt(replica.template(), "spec");
        ObjectNode spec = wanted == null ? Json.object() : wanted.deepCopy();
        pod.set("spec", spec);
        job.framework().wire(job, type, index, spec, settings);
        spec.put("restartPolicy", replica.restartPolicy().equals("ExitCode") ? "Never" : replica.restartPolicy());
        String scheduler = Json.textAt(job.object(), "spec", "schedulerName");
        if (!scheduler.isEmpty() && Json.textAt(spec, "schedulerName").isEmpty()) {
            spec.put("schedulerName", scheduler);
        }
        gang.decorate(pod, job.name(), replica.lower());
        return pod;
    }

    private static void copy(ObjectNode template, ObjectNode metadata, String field) {
        JsonNode value = Json.at(template, "metadata", field);
        if (value != null) {
            metadata.set(field, value.deepCopy());
        }
    }

    /** Without an address of its own: its name leads to the pod. */
    static ObjectNode service(TrainingJob job, TrainingJob.Replica replica, int index) {
        ObjectNode service = Training.owned(job.object(), "v1", "Service", job.replicaName(replica.type(), index));
        ObjectNode labels = labels(job, replica.type(), index);
        Json.ensureObject(service, "metadata").set("labels", labels);
        ObjectNode spec = service.putObject("spec");
        spec.put("clusterIP", "None");
        spec.set("selector", labels.deepCopy());
        ArrayNode ports = spec.putArray("ports");
        ObjectNode container = job.container(replica.template());
        for (JsonNode port : Json.listAt(container, "ports")) {
            ObjectNode each = ports.addObject();
            if (!Json.textAt(port, "name").isEmpty()) {
                each.put("name", Json.textAt(port, "name"));
            }
            each.put("port", Json.longAt(port, 0, "containerPort"));
        }
        return service;
    }
}
