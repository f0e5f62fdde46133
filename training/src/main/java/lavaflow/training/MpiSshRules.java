package lavaflow.training;

import java.util.List;
import java.util.stream.Collectors;

import lavaflow.kube.FieldError;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Which MPIJobs of the second version cannot be; upstream's operator looks when they are there already, and so do we. */
final class MpiSshRules {
    private static final List<String> POLICIES = List.of("All", "None", "Running");
    private static final List<String> MANAGERS = List.of(RunPolicy.MPI_OPERATOR, RunPolicy.MULTI_KUEUE);
    private static final List<String> RESTARTS = List.of("Never", "OnFailure");
    private static final List<String> IMPLEMENTATIONS = List.of("Intel", "MPICH", "OpenMPI");

    private final MpiSshJob job;
    private final FieldErrors errors = new FieldErrors();

    private MpiSshRules(MpiSshJob job) {
        this.job = job;
    }

    /** Everything that is wrong in one line, empty if nothing is. */
    static String refusal(MpiSshJob job) {
        MpiSshRules rules = new MpiSshRules(job);
        rules.check();
        List<String> messages =
                rules.errors.list().stream().map(FieldError::message).distinct().toList();
        return messages.size() > 1
                ? messages.stream().collect(Collectors.joining(", ", "[", "]"))
                : String.join("", messages);
    }

    private void check() {
        int last = Math.max(job.workers() - 1, 0);
        String longest = job.workerName(last);
        List<String> wrong = Names.dns1035Label(longest);
        if (!wrong.isEmpty()) {
            errors.invalid(
                    FieldPath.of("metadata", "name"),
                    job.name(),
                    "will not able to create pod and service with invalid DNS label \"" + longest + "\": "
                            + String.join(", ", wrong));
        }
        FieldPath spec = FieldPath.of("spec");
        replicas(spec.child("mpiReplicaSpecs"));
        notNegative(spec.child("slotsPerWorker"), job.slots());
        policy(spec.child("runPolicy"));
        if (job.text("sshAuthMountPath").isEmpty()) {
            errors.required(spec.child("sshAuthMountPath"), "must have a mount path for SSH credentials");
        }
        supported(spec.child("mpiImplementation"), job.text("mpiImplementation"), IMPLEMENTATIONS);
    }

    private void supported(FieldPath path, String value, List<String> known) {
        if (!known.contains(value)) {
            errors.notSupported(path, value, known);
        }
    }

    private void notNegative(FieldPath path, @Nullable Long value) {
        if (value != null && value < 0) {
            errors.invalid(path, value, "must be greater than or equal to 0");
        }
    }

    private void policy(FieldPath path) {
        ObjectNode policy = Json.objectAt(job.object(), "spec", "runPolicy");
        supported(path.child("cleanPodPolicy"), Json.textAt(policy, "cleanPodPolicy"), POLICIES);
        notNegative(path.child("ttlSecondsAfterFinished"), job.policy().secondsToKeep());
        notNegative(path.child("activeDeadlineSeconds"), job.policy().deadlineSeconds());
        notNegative(path.child("backoffLimit"), job.policy().backoffLimit());
        if (!job.policy().managedBy().isEmpty()) {
            supported(path.child("managedBy"), job.policy().managedBy(), MANAGERS);
        }
    }

    private void replicas(FieldPath path) {
        ObjectNode specs = Json.objectAt(job.object(), "spec", "mpiReplicaSpecs");
        if (specs == null || specs.isEmpty()) {
            errors.required(path, "must have replica specs");
            return;
        }
        ObjectNode launcher = Json.objectAt(specs, Mpi.LAUNCHER);
        if (launcher == null) {
            errors.required(path.key(Mpi.LAUNCHER), "must have Launcher replica spec");
        } else {
            replica(path.key(Mpi.LAUNCHER), launcher);
            long count = Json.longAt(launcher, 1, "replicas");
            if (count != 1) {
                errors.invalid(path.key(Mpi.LAUNCHER).child("replicas"), count, "must be 1");
            }
        }
        ObjectNode worker = Json.objectAt(specs, Mpi.WORKER);
        if (worker != null) {
            replica(path.key(Mpi.WORKER), worker);
            long count = Json.longAt(worker, 0, "replicas");
            if (count < 1) {
                errors.invalid(path.key(Mpi.WORKER).child("replicas"), count, "must be greater than or equal to 1");
            }
        }
    }

    private void replica(FieldPath path, ObjectNode replica) {
        supported(path.child("restartPolicy"), Json.textAt(replica, "restartPolicy"), RESTARTS);
        if (Json.listAt(replica, "template", "spec", "containers").isEmpty()) {
            errors.required(path.child("template", "spec", "containers"), "must define at least one container");
        }
    }
}
