package lavaflow.trainer;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import lavaflow.kube.BuiltinTypes;
import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;
import lavaflow.kube.Quantity;
import lavaflow.kube.StrategicMergePatch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** A TrainJob and its runtime while they are put together: what the runtime says, with the job's patches, as sets of pods. */
final class Blueprint {
    private static final String JOB_TEMPLATE = "io.k8s.api.batch.v1.JobTemplateSpec";

    private final ObjectNode trainJob;
    private final @Nullable ObjectNode policy;
    private final @Nullable ObjectNode groupPolicy;
    private final ObjectNode labels = Json.object();
    private final ObjectNode annotations = Json.object();
    private final ObjectNode spec;
    private final List<PodSet> sets = new ArrayList<>();

    private Blueprint(ObjectNode trainJob, ObjectNode runtime) {
        this.trainJob = trainJob;
        this.policy = Json.objectAt(runtime, "spec", "mlPolicy");
        this.groupPolicy = Json.objectAt(runtime, "spec", "podGroupPolicy");
        ObjectNode template = Json.objectAt(runtime, "spec", "template");
        ObjectNode found = Json.objectAt(template, "spec");
        this.spec = found == null ? Json.object() : found.deepCopy();
        addMetadata(template);
        for (JsonNode patch : Json.listAt(trainJob, "spec", "runtimePatches")) {
            ObjectNode change = Json.objectAt(patch, "trainingRuntimeSpec", "template");
            addMetadata(change);
            patch(Json.listAt(change, "spec", "replicatedJobs"));
        }
        for (ObjectNode job : Trainer.objects(Json.listAt(spec, "replicatedJobs"))) {
            sets.add(new PodSet(job, count(job)));
        }
        sets.stream().filter(this::takesResources).forEach(this::mergeResources);
    }

    static Blueprint of(ObjectNode trainJob, ObjectNode runtime) {
        return new Blueprint(trainJob, runtime);
    }

    private void addMetadata(@Nullable ObjectNode template) {
        add(Json.objectAt(template, "metadata", "labels"), labels);
        add(Json.objectAt(template, "metadata", "annotations"), annotations);
    }

    private static void add(@Nullable ObjectNode words, ObjectNode to) {
        if (words != null) {
            to.setAll(words.deepCopy());
        }
    }

    /** Patches merge as those of built-in kinds do. One for a Job that the runtime has not is refused before it comes here. */
    private void patch(ArrayNode patches) {
        ArrayNode jobs = Trainer.list(spec, "replicatedJobs");
        for (JsonNode each : patches) {
            ObjectNode change = Json.objectAt(each, "template");
            for (ObjectNode job : Trainer.objects(jobs)) {
                if (change != null && Json.textAt(job, "name").equals(Json.textAt(each, "name"))) {
                    job.set(
                            "template",
                            StrategicMergePatch.apply(
                                    BuiltinTypes.instance(), JOB_TEMPLATE, Json.ensureObject(job, "template"), change));
                }
            }
        }
    }

    private int count(ObjectNode job) {
        boolean trains = Json.textAt(job, "template", "metadata", "labels", Trainer.ANCESTOR)
                .equals(Trainer.TRAINER);
        long said = Json.longAt(job, 1, "template", "spec", "parallelism");
        return (int) (trains && policy != null ? Json.longAt(policy, 1, "numNodes") : said);
    }

    private boolean takesResources(PodSet set) {
        return set.isTrainer() || (set.name().equals(Trainer.NODE) && Json.flagAt(policy, "mpi", "runLauncherAsNode"));
    }

    private void mergeResources(PodSet set) {
        ObjectNode said = Json.objectAt(trainJob, "spec", "trainer", "resourcesPerNode");
        ObjectNode container = set.container(Trainer.NODE);
        if (said == null || container == null) {
            return;
        }
        ObjectNode resources = Json.ensureObject(container, "resources");
        for (String field : List.of("limits", "requests")) {
            ObjectNode amounts = Json.objectAt(said, field);
            if (amounts != null) {
                Json.ensureObject(resources, field).setAll(amounts.deepCopy());
            }
        }
        Trainer.objects(Json.listAt(said, "claims"))
                .forEach(claim -> Trainer.upsert(resources, "claims", "name", claim.deepCopy()));
    }

    // ---- what it is made of

    ObjectNode trainJob() {
        return trainJob;
    }

    String name() {
        return Trainer.name(trainJob);
    }

    /** What the runtime says about its framework; null for nothing. */
    @Nullable
    ObjectNode policy() {
        return policy;
    }

    @Nullable
    ObjectNode groupPolicy() {
        return groupPolicy;
    }

    ObjectNode labels() {
        return labels;
    }

    ObjectNode annotations() {
        return annotations;
    }

    ObjectNode spec() {
        return spec;
    }

    List<PodSet> sets() {
        return List.copyOf(sets);
    }

    /** What the job says about training; null for nothing. */
    @Nullable
    ObjectNode trainer() {
        return Json.objectAt(trainJob, "spec", "trainer");
    }

    @Nullable
    PodSet trainerSet() {
        return sets.stream().filter(PodSet::isTrainer).findFirst().orElse(null);
    }

    @Nullable
    PodSet set(String name) {
        return sets.stream().filter(set -> set.name().equals(name)).findFirst().orElse(null);
    }

    /** The container that trains. */
    @Nullable
    ObjectNode trainerContainer() {
        PodSet set = trainerSet();
        return set == null ? null : set.container(Trainer.NODE);
    }

    /** How many pods train: what the job says, else what the runtime says. */
    int numNodes() {
        long usual = Json.longAt(policy, 1, "numNodes");
        return (int) Math.max(1, Json.longAt(trainer(), usual, "numNodes"));
    }

    /** Where the first of the pods that train is met. */
    String leader() {
        return name() + "-" + Trainer.NODE + "-0-0." + name();
    }

    /** Where all pods of a set are met. */
    List<String> hosts(PodSet set) {
        String said = Json.textAt(spec, "network", "subdomain");
        String subdomain = said.isEmpty() ? name() : said;
        List<String> hosts = new ArrayList<>();
        long replicas = Json.longAt(set.job(), 1, "replicas");
        for (int i = 0; i < replicas; i++) {
            for (int pod = 0; pod < set.count(); pod++) {
                hosts.add(JobSetView.jobName(name(), set.name(), i) + "-" + pod + "." + subdomain);
            }
        }
        return hosts;
    }

    // ---- resources

    /** What each pod that trains gets: what the job says, else what the runtime says. */
    @Nullable
    ObjectNode resources() {
        ObjectNode said = Json.objectAt(trainer(), "resourcesPerNode");
        if (said != null) {
            return said;
        }
        for (PodSet set : sets) {
            ObjectNode container = set.container(Trainer.NODE);
            if ((set.name().equals(Trainer.NODE) || set.isTrainer()) && container != null) {
                return Json.objectAt(container, "resources");
            }
        }
        return null;
    }

    int gpus() {
        int requested = gpus(Json.objectAt(resources(), "requests"));
        return requested == 0 ? gpus(Json.objectAt(resources(), "limits")) : requested;
    }

    private static int gpus(@Nullable ObjectNode amounts) {
        if (amounts != null) {
            for (Map.Entry<String, JsonNode> each : amounts.properties()) {
                if (each.getKey().toLowerCase(Locale.ROOT).contains("gpu")) {
                    return whole(each.getValue());
                }
            }
        }
        return 0;
    }

    int processors() {
        int requested = processors("requests");
        return requested == 0 ? processors("limits") : requested;
    }

    private int processors(String field) {
        JsonNode amount = Json.at(resources(), field, "cpu");
        return amount == null ? 0 : whole(amount);
    }

    private static int whole(JsonNode amount) {
        try {
            return (int) Quantity.fromJson(amount).value();
        } catch (MalformedException _) {
            return 0; // the schema does not let it in
        }
    }
}
