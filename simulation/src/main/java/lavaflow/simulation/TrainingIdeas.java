package lavaflow.simulation;

import java.util.List;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Training jobs of every kind with all sorts of run policies, suspended and resumed, taken away and disturbed. */
final class TrainingIdeas implements Ideas {
    /**
     * What a kind calls its parts.
     *
     * @param leader the type whose end is the job's; null where there is none
     * @param helper the type whose replicas go on until others have ended; null where there is none
     */
    private record Words(
            String resource,
            String kind,
            String replicas,
            String container,
            @Nullable String leader,
            @Nullable String worker,
            @Nullable String helper) {}

    private static final List<Words> KINDS = List.of(
            new Words("tfjobs", "TFJob", "tfReplicaSpecs", "tensorflow", "Chief", "Worker", "PS"),
            new Words("pytorchjobs", "PyTorchJob", "pytorchReplicaSpecs", "pytorch", "Master", "Worker", null),
            new Words("mpijobs", "MPIJob", "mpiReplicaSpecs", "mpi", "Launcher", null, "Worker"),
            new Words("xgboostjobs", "XGBoostJob", "xgbReplicaSpecs", "xgboost", "Master", "Worker", null),
            new Words("paddlejobs", "PaddleJob", "paddleReplicaSpecs", "paddle", "Master", "Worker", null),
            new Words("jaxjobs", "JAXJob", "jaxReplicaSpecs", "jax", null, "Worker", null));

    private final Workspace workspace;

    TrainingIdeas(Workspace workspace) {
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
                () -> suspend(true),
                () -> suspend(false),
                () -> suspend(false),
                this::delete);
    }

    @Override
    public List<Runnable> rough() {
        return List.of(this::deletePod, this::deletePod, this::deleteService);
    }

    private void submit() {
        Words words = workspace.oneOf(KINDS);
        ObjectNode job = Workspace.named(workspace.newName("train"));
        job.put("apiVersion", "kubeflow.org/v1").put("kind", words.kind());
        ObjectNode spec = job.putObject("spec");
        ObjectNode types = spec.putObject(words.replicas());
        if (words.leader() != null) {
            replicas(types.putObject(words.leader()), words, 1, true);
        }
        if (words.worker() != null && (words.leader() == null || workspace.oneIn(2))) {
            replicas(types.putObject(words.worker()), words, 1 + workspace.any(3), true);
        }
        if (words.helper() != null && workspace.oneIn(2)) {
            replicas(types.putObject(words.helper()), words, 1 + workspace.any(2), false);
        }
        policy(spec.putObject("runPolicy"));
        workspace.create(kind(words.resource()), Workspace.FREE, job);
    }

    private static KubeApi.Kind kind(String resource) {
        return TrainingWorld.JOBS.stream()
                .filter(kind -> kind.resource().equals(resource))
                .findFirst()
                .orElseThrow();
    }

    private void policy(ObjectNode policy) {
        policy.put("cleanPodPolicy", workspace.oneOf(List.of("None", "Running", "All")));
        policy.put("backoffLimit", 1 + workspace.any(4));
        if (workspace.oneIn(4)) {
            policy.put("ttlSecondsAfterFinished", workspace.any(60));
        }
        if (workspace.oneIn(4)) {
            policy.put("activeDeadlineSeconds", 1 + workspace.any(40));
        }
        if (workspace.oneIn(5)) {
            policy.put("suspend", true);
        }
    }

    /** @param ends whether the program comes to an end by itself */
    private void replicas(ObjectNode type, Words words, int count, boolean ends) {
        type.put("replicas", count);
        String restart = workspace.oneOf(List.of("Never", "OnFailure", "ExitCode"));
        type.put("restartPolicy", restart);
        ObjectNode template = type.putObject("template");
        ObjectNode annotations = template.putObject("metadata").putObject("annotations");
        annotations.put(Workspace.SIM + "stop-delay", workspace.any(3) + "s");
        if (ends) {
            annotations.put(Workspace.SIM + "duration", 1 + workspace.any(20) + "s");
            if (workspace.oneIn(2)) {
                annotations.put(Workspace.SIM + "fail-probability", "0.3");
            } else if (!restart.equals("OnFailure") && workspace.oneIn(4)) {
                // Told to end, which ExitCode tries again; its node would for ever where nobody cleans up.
                annotations.put(Workspace.SIM + "exit-code", "130");
            }
        }
        ObjectNode container = template.putObject("spec").putArray("containers").addObject();
        container.put("name", words.container()).put("image", "example.com/train:1");
        container.putObject("resources").putObject("requests").put("cpu", "100m");
    }

    private @Nullable ObjectNode any() {
        List<ObjectNode> there = TrainingWorld.JOBS.stream()
                .flatMap(kind -> workspace.all(kind).stream())
                .toList();
        return there.isEmpty() ? null : workspace.oneOf(there);
    }

    private static KubeApi.Kind kind(ObjectNode job) {
        return kind(KINDS.stream()
                .filter(words -> words.kind().equals(Json.textAt(job, "kind")))
                .findFirst()
                .orElseThrow()
                .resource());
    }

    private void suspend(boolean wanted) {
        ObjectNode job = any();
        if (job != null) {
            workspace.edit(
                    kind(job),
                    job,
                    found -> Json.ensureObject(found, "spec", "runPolicy").put("suspend", wanted));
        }
    }

    private void delete() {
        ObjectNode job = any();
        if (job != null) {
            workspace.remove(kind(job), job, workspace.oneOf(List.of("Background", "Foreground")));
        }
    }

    private void deletePod() {
        ObjectNode pod = workspace.pick(Kinds.PODS, _ -> true);
        if (pod != null) {
            workspace.remove(Kinds.PODS, pod, null);
        }
    }

    private void deleteService() {
        ObjectNode service =
                workspace.pick(Kinds.SERVICES, each -> !Observer.owner(each).isEmpty());
        if (service != null) {
            workspace.remove(Kinds.SERVICES, service, null);
        }
    }

    /** Nobody forgets a job that is suspended. */
    @Override
    public void makeAmends() {
        for (KubeApi.Kind kind : TrainingWorld.JOBS) {
            for (ObjectNode job : workspace.all(kind)) {
                workspace.edit(
                        kind,
                        job,
                        found -> Json.ensureObject(found, "spec", "runPolicy").put("suspend", false));
            }
        }
    }
}
