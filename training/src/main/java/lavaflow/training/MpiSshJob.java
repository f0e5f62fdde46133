package lavaflow.training;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * An MPIJob of {@code kubeflow.org/v2beta1}, completed with defaults: a launcher, which is a Job, reaches workers by ssh.
 *
 * @param object the job with defaults, which nobody but us sees
 */
record MpiSshJob(ObjectNode object, RunPolicy policy) {
    static final KubeApi.Kind RESOURCE = new KubeApi.Kind(Training.GROUP, "v2beta1", "mpijobs", true);
    static final String API_VERSION = Training.GROUP + "/v2beta1";
    static final String OPERATOR = "mpi-operator";
    static final String CONTROLLER = "mpi-job-controller";

    static MpiSshJob of(ObjectNode raw) {
        ObjectNode job = raw.deepCopy();
        job.put("apiVersion", API_VERSION).put("kind", "MPIJob");
        ObjectNode spec = Json.ensureObject(job, "spec");
        absent(Json.ensureObject(spec, "runPolicy"), "cleanPodPolicy", "None");
        absent(spec, "sshAuthMountPath", "/root/.ssh");
        absent(spec, "launcherCreationPolicy", "AtStartup");
        absent(spec, "mpiImplementation", "OpenMPI");
        if (Json.at(spec, "slotsPerWorker") == null) {
            spec.put("slotsPerWorker", 1);
        }
        replica(spec, Mpi.LAUNCHER, 1, "OnFailure");
        replica(spec, Mpi.WORKER, 0, "Never");
        return new MpiSshJob(job, RunPolicy.of(spec.get("runPolicy")));
    }

    private static void absent(ObjectNode object, String field, String value) {
        if (Json.at(object, field) == null) {
            object.put(field, value);
        }
    }

    private static void replica(ObjectNode spec, String type, int count, String restartPolicy) {
        ObjectNode replica = Json.objectAt(spec, "mpiReplicaSpecs", type);
        if (replica != null) {
            if (Json.at(replica, "replicas") == null) {
                replica.put("replicas", count);
            }
            if (Json.textAt(replica, "restartPolicy").isEmpty()) {
                replica.put("restartPolicy", restartPolicy);
            }
        }
    }

    /**
     * Whether a job was written in this version, although the server shows it in the other one, too: whoever wrote its spec said so.
     *
     * @param job in any version, as the server has it
     */
    static boolean is(ObjectNode job) {
        String version = "";
        for (JsonNode manager : Json.listAt(job, "metadata", "managedFields")) {
            if (Json.at(manager, "fieldsV1", "f:spec") != null) {
                version = Json.textAt(manager, "apiVersion");
                break;
            }
        }
        return (version.isEmpty() ? Json.textAt(job, "apiVersion") : version).equals(API_VERSION);
    }

    String name() {
        return Training.name(object);
    }

    String namespace() {
        return Training.namespace(object);
    }

    String uid() {
        return Training.uid(object);
    }

    String text(String field) {
        return Json.textAt(object, "spec", field);
    }

    long slots() {
        return Json.longAt(object, 1, "spec", "slotsPerWorker");
    }

    boolean launcherComputes() {
        return Json.flagAt(object, "spec", "runLauncherAsWorker");
    }

    boolean launchesAtOnce() {
        return !text("launcherCreationPolicy").equals("WaitForWorkersReady");
    }

    int workers() {
        return (int) Json.longAt(object, 0, "spec", "mpiReplicaSpecs", Mpi.WORKER, "replicas");
    }

    ObjectNode template(String type) {
        ObjectNode template = Json.objectAt(object, "spec", "mpiReplicaSpecs", type, "template");
        return template == null ? Json.object() : template.deepCopy();
    }

    String restartPolicy(String type) {
        return Json.textAt(object, "spec", "mpiReplicaSpecs", type, "restartPolicy");
    }

    String workerName(int index) {
        return name() + "-worker-" + index;
    }

    String launcherName() {
        return name() + "-launcher";
    }

    String configName() {
        return name() + "-config";
    }

    String secretName() {
        return name() + "-ssh";
    }
}
