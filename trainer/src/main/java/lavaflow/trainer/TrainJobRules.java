package lavaflow.trainer;

import java.util.ArrayList;
import java.util.List;

import lavaflow.controller.KubeApi;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Identifiers;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Which TrainJobs are refused. Most of it depends on the runtime they name. */
final class TrainJobRules {
    private static final FieldPath REF = FieldPath.of("spec", "runtimeRef");
    private static final FieldPath PATCHES = FieldPath.of("spec", "runtimePatches");
    private static final String QUEUE = "scheduling.volcano.sh/queue-name";
    private static final List<String> SYSTEM = List.of("system-cluster-critical", "system-node-critical");

    private final ObjectNode job;
    private final TrainerRules.Cluster cluster;
    private final FieldErrors errors = new FieldErrors();
    private final List<String> warnings = new ArrayList<>();

    TrainJobRules(ObjectNode job, TrainerRules.Cluster cluster) {
        this.job = job;
        this.cluster = cluster;
    }

    TrainerRules.Answer judge(@Nullable ObjectNode old) {
        if (old != null && job.path("spec").equals(old.path("spec"))) {
            // Upstream refuses even to let go of one whose runtime is gone.
            return new TrainerRules.Answer("", List.of());
        }
        RuntimeRef ref = RuntimeRef.of(job);
        KubeApi.Kind kind = ref.resource();
        if (kind == null) {
            return new TrainerRules.Answer("unsupported runtime: " + ref.title(), List.of());
        }
        boolean whole = !kind.namespaced();
        ObjectNode runtime = cluster.find(kind, whole ? "" : Trainer.namespace(job), ref.name());
        if (runtime == null) {
            String word = whole ? "clusterTrainingRuntime" : "trainingRuntime";
            errors.invalid(
                    whole ? FieldPath.of("spec", "RuntimeRef") : REF,
                    ref(),
                    ref.title() + " \"" + ref.name() + "\" not found: specified " + word
                            + " must be created before the TrainJob is created");
        } else {
            check(runtime, old);
        }
        return new TrainerRules.Answer(TrainerRules.joined(errors), warnings);
    }

    private JsonNode ref() {
        return Json.ensureObject(job.deepCopy(), "spec", "runtimeRef");
    }

    private void check(ObjectNode runtime, @Nullable ObjectNode old) {
        if (Json.textAt(runtime, "metadata", "labels", "trainer.kubeflow.org/support")
                .equals("deprecated")) {
            warnings.add(
                    "Referenced " + Json.textAt(runtime, "kind") + " \"" + Trainer.name(runtime)
                            + "\" is deprecated and will be removed in a future release of Kubeflow Trainer. See runtime deprecation"
                            + " policy: https://trainer.kubeflow.org/en/latest/operator-guides/runtime.html#runtime-deprecation-policy");
        }
        Blueprint blueprint = Blueprint.of(job, runtime);
        ObjectNode unpatched = job.deepCopy();
        Json.ensureObject(unpatched, "spec").remove("runtimePatches");
        // A patch would make the container it names.
        Blueprint plain = Blueprint.of(unpatched, runtime);
        checkInitializer(blueprint, "dataset", Trainer.DATASET);
        checkInitializer(blueprint, "model", Trainer.MODEL);
        if (old != null) {
            checkChange(old);
        }
        for (ObjectNode patch : Trainer.objects(Json.listAt(job, "spec", "runtimePatches"))) {
            checkManager(Json.textAt(patch, "manager"));
            checkPatch(plain, patch);
        }
        Policy.of(blueprint.policy()).check(blueprint, errors);
        if (Json.at(blueprint.groupPolicy(), "volcano") != null) {
            checkVolcano(blueprint);
        }
    }

    private void checkInitializer(Blueprint blueprint, String field, String step) {
        if (Json.at(job, "spec", "initializer", field) == null) {
            return;
        }
        PodSet set = blueprint.set(step);
        if (set == null) {
            errors.invalid(
                    REF,
                    ref(),
                    "must have " + step + " job when trainJob is configured with input " + field + "Config");
            return;
        }
        ObjectNode container = set.anyContainer(step);
        if (container == null) {
            errors.invalid(REF, ref(), "must have container with name - " + step + " in the " + step + " job");
            return;
        }
        for (JsonNode mount : Json.listAt(set.container(step), "volumeMounts")) {
            if (Json.textAt(mount, "name").equals("initializer")) {
                return;
            }
        }
        errors.invalid(
                REF,
                ref(),
                "must have volumeMount with name - initializer in container " + step + " of the " + step + " job");
    }

    /** Patches may change while nobody runs, before or after. */
    private void checkChange(ObjectNode old) {
        JsonNode patches = withoutTimes(job);
        if (patches.equals(withoutTimes(old))) {
            return;
        }
        if (!Json.flagAt(old, "spec", "suspend") && !Json.flagAt(job, "spec", "suspend")) {
            errors.forbidden(
                    PATCHES,
                    "RuntimePatches can only be modified when the TrainJob is suspended before or after the update");
            return;
        }
        ObjectNode set = cluster.find(Trainer.JOB_SETS, Trainer.namespace(job), Trainer.name(job));
        for (JsonNode each : Json.listAt(set, "status", "replicatedJobsStatus")) {
            if (Json.longAt(each, 0, "active") > 0) {
                errors.forbidden(
                        PATCHES,
                        "RuntimePatches cannot be modified when the JobSet's ReplicatedJob " + Json.textAt(each, "name")
                                + " is still active");
            }
        }
    }

    private static JsonNode withoutTimes(ObjectNode job) {
        JsonNode patches = Json.listAt(job, "spec", "runtimePatches").deepCopy();
        Trainer.objects(patches).forEach(patch -> patch.remove("time"));
        return patches;
    }

    private void checkManager(String manager) {
        Identifiers.domainPrefixedPath(PATCHES.child("manager"), manager, errors);
    }

    private void checkPatch(Blueprint runtime, ObjectNode patch) {
        JsonNode all = Json.listAt(job, "spec", "runtimePatches");
        for (JsonNode change : Json.listAt(patch, "trainingRuntimeSpec", "template", "spec", "replicatedJobs")) {
            String name = Json.textAt(change, "name");
            PodSet set = runtime.set(name);
            if (set == null) {
                errors.invalid(
                        PATCHES, all, "must not have replicated job that doesn't exist in the runtime job template");
                continue;
            }
            JsonNode pod = Json.at(change, "template", "spec", "template", "spec");
            for (JsonNode container : Json.listAt(pod, "initContainers")) {
                if (set.anyContainer(Json.textAt(container, "name")) == null) {
                    errors.invalid(
                            PATCHES, all, "must not have initContainer that doesn't exist in the runtime job " + name);
                }
            }
            for (JsonNode container : Json.listAt(pod, "containers")) {
                String title = Json.textAt(container, "name");
                if (set.anyContainer(title) == null) {
                    errors.invalid(
                            PATCHES, all, "must not have container that doesn't exist in the runtime job " + name);
                } else if (!Json.listAt(container, "env").isEmpty()
                        && List.of(Trainer.DATASET, Trainer.MODEL, Trainer.NODE).contains(title)) {
                    errors.invalid(
                            PATCHES,
                            all,
                            "must not have envs for the dataset-initializer, model-initializer, node containers");
                }
            }
        }
    }

    private void checkVolcano(Blueprint blueprint) {
        JsonNode queue = blueprint.annotations().get(QUEUE);
        if (queue != null && queue.asText().isEmpty()) {
            errors.invalid(FieldPath.of("spec", "annotations").key(QUEUE), "", "Volcano queue name must not be empty");
        }
        for (PodSet set : blueprint.sets()) {
            String name = Json.textAt(set.podSpec(), "priorityClassName");
            if (name.isEmpty() || SYSTEM.contains(name)) {
                continue;
            }
            if (cluster.find(Trainer.PRIORITIES, "", name) == null) {
                errors.invalid(
                        FieldPath.of("spec", "templateSpec", "priorityClassName"),
                        name,
                        "PriorityClass \"" + name + "\" doesn't exist: PriorityClass.scheduling.k8s.io \"" + name
                                + "\" not found");
            }
        }
    }
}
