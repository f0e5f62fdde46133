package lavaflow.training;

import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** MPIJob of {@code kubeflow.org/v1}: a launcher reaches workers by {@code kubectl exec}; its objects are {@link MpiForm}'s. */
final class Mpi implements Framework {
    static final String LAUNCHER = "Launcher";
    static final String WORKER = "Worker";
    private static final Words WORDS =
            new Words("MPIJob", "mpiReplicaSpecs", "mpi", "mpi", "", 0, "Never", List.of(LAUNCHER, WORKER));

    @Override
    public Words words() {
        return WORDS;
    }

    @Override
    public boolean isMaster(TrainingJob job, String type, int index) {
        return type.equals(LAUNCHER);
    }

    @Override
    public void wire(TrainingJob job, String type, int index, ObjectNode podSpec, Settings settings) {
        if (type.equals(LAUNCHER)) {
            MpiForm.wireLauncher(job, podSpec, settings);
        } else {
            MpiForm.wireWorker(job, podSpec);
        }
    }

    @Override
    public Verdict judge(TrainingJob job, Tally tally) {
        Counts launcher = tally.of(LAUNCHER);
        String place = "MPIJob " + job.name();
        if (launcher.succeeded() > 0) {
            return new Verdict.Succeeded(place + " is successfully completed.");
        }
        Verdict failure = Leading.failure(job, tally, false);
        if (!failure.equals(Verdict.NOTHING)) {
            return failure;
        }
        return launcher.active() > 0 ? new Verdict.Running(place + " is running.") : Verdict.NOTHING;
    }

    /** Once the launcher has ended nobody looks at workers any more, which run until they are taken away. */
    @Override
    public Counts shown(String type, Tally tally) {
        Counts launcher = tally.of(LAUNCHER);
        return type.equals(WORKER) && launcher.succeeded() + launcher.failed() > 0 ? Counts.NONE : tally.of(type);
    }

    /** Why a job cannot be one; empty if it can. Upstream looks when it is there already, and so do we. */
    static String refusal(ObjectNode job) {
        ObjectNode specs = Json.objectAt(job, "spec", WORDS.replicas());
        if (specs == null) {
            return "MPIReplicaSpecs is not valid";
        }
        String launcher = "";
        for (var each : specs.properties()) {
            String type = each.getKey();
            if (Json.listAt(each.getValue(), "template", "spec", "containers").isEmpty()) {
                return "MPIReplicaSpecs is not valid: containers definition expected in " + type;
            }
            if (!WORDS.types().contains(type)) {
                return "MPIReplicaType is " + type + " but must be one of [Launcher Worker]";
            }
            for (var container : Json.listAt(each.getValue(), "template", "spec", "containers")) {
                if (Json.textAt(container, "image").isEmpty()) {
                    return "MPIReplicaSpec is not valid: Image is undefined in the container of " + type;
                }
                if (Json.textAt(container, "name").isEmpty()) {
                    return "MPIReplicaSpec is not valid: ImageName is undefined in the container of " + type;
                }
            }
            if (type.equals(LAUNCHER)) {
                launcher = type;
                if (Json.longAt(each.getValue(), 1, "replicas") != 1) {
                    return "MPIReplicaSpec is not valid: There must be only 1 launcher replica";
                }
            }
        }
        return launcher.isEmpty() ? "MPIReplicaSpec is not valid: Master ReplicaSpec must be present" : "";
    }
}
