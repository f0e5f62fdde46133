package lavaflow.trainer;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.function.ToLongFunction;

import lavaflow.kube.Json;
import lavaflow.training.Gang;
import lavaflow.training.SshKey;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What is made for a TrainJob: the JobSet, the PodGroup, and what the framework needs beside them. */
final class TrainJobForm {
    private final Blueprint blueprint;
    private final Policy policy;
    private final TrainGang gang;
    private final ObjectNode jobSet;

    /** @param usual what pods are where the runtime does not say it */
    TrainJobForm(ObjectNode trainJob, ObjectNode runtime, Gang usual) {
        this.blueprint = Blueprint.of(trainJob, runtime);
        this.policy = Policy.of(blueprint.policy());
        policy.wire(blueprint);
        blueprint.sets().forEach(this::fill);
        this.gang = TrainGang.of(blueprint, usual);
        if (gang.isOn()) {
            gang.decorate(blueprint.name());
        }
        this.jobSet = Trainer.owned(trainJob, Trainer.JOB_SET_VERSION, "JobSet", blueprint.name());
        ObjectNode metadata = Json.ensureObject(jobSet, "metadata");
        if (!blueprint.labels().isEmpty()) {
            metadata.set("labels", blueprint.labels());
        }
        if (!blueprint.annotations().isEmpty()) {
            metadata.set("annotations", blueprint.annotations());
        }
        blueprint.spec().put("suspend", Json.flagAt(trainJob, "spec", "suspend"));
        jobSet.set("spec", blueprint.spec());
        // Not every server has somebody who does this when the set comes in, and others read sets, too.
        JobSetDefaults.complete(jobSet);
    }

    private void fill(PodSet set) {
        switch (set.ancestor()) {
            case Trainer.DATASET -> initialize(set, "dataset");
            case Trainer.MODEL -> initialize(set, "model");
            case Trainer.TRAINER -> train(set);
            default -> {}
        }
        boolean trains = set.isTrainer()
                || (set.name().equals(Trainer.NODE) && Json.flagAt(blueprint.policy(), "mpi", "runLauncherAsNode"));
        ObjectNode container = set.container(Trainer.NODE);
        if (trains && container != null) {
            addEnv(container, Json.at(blueprint.trainer(), "env"));
        }
    }

    private static void addEnv(ObjectNode container, @Nullable JsonNode env) {
        Trainer.objects(env).forEach(variable -> Trainer.upsert(container, "env", "name", variable.deepCopy()));
    }

    private void initialize(PodSet set, String what) {
        set.runOnce();
        ObjectNode container = set.container(set.ancestor());
        ObjectNode wish = Json.objectAt(blueprint.trainJob(), "spec", "initializer", what);
        if (container == null || wish == null) {
            return;
        }
        if (wish.has("storageUri")) {
            Trainer.env(container, "STORAGE_URI", Json.textAt(wish, "storageUri"));
        }
        addEnv(container, wish.get("env"));
        JsonNode secret = wish.get("secretRef");
        if (secret != null) {
            Trainer.list(container, "envFrom")
                    .addObject()
                    .putObject("secretRef")
                    .put("name", Json.textAt(secret, "name"));
        }
    }

    private void train(PodSet set) {
        set.runOnce();
        ObjectNode container = set.container(Trainer.NODE);
        ObjectNode wish = blueprint.trainer();
        if (container == null || wish == null) {
            return;
        }
        if (wish.has("image")) {
            container.put("image", Json.textAt(wish, "image"));
        }
        if (policy instanceof TorchPolicy && TorchTune.is(wish)) {
            ArrayNode command = Json.array();
            new TorchTune(blueprint)
                    .command(Trainer.texts(container.get("command")))
                    .forEach(command::add);
            container.set("command", command);
        } else if (wish.has("command")) {
            container.set("command", wish.path("command").deepCopy());
        }
        if (wish.has("args")) {
            container.set("args", wish.path("args").deepCopy());
        }
    }

    ObjectNode jobSet() {
        return jobSet;
    }

    TrainGang gang() {
        return gang;
    }

    /** @param priorities what a PriorityClass is worth */
    ObjectNode group(ToLongFunction<String> priorities) {
        return gang.group(blueprint, priorities);
    }

    /** ConfigMaps that must be there before the pods. */
    List<ObjectNode> beside() {
        return new ArrayList<>(policy.beside(blueprint));
    }

    boolean needsKey() {
        return policy instanceof MpiPolicy;
    }

    static ObjectNode secret(ObjectNode trainJob, SshKey key) {
        ObjectNode secret = Trainer.owned(trainJob, "v1", "Secret", MpiPolicy.keyName(Trainer.name(trainJob)));
        secret.put("type", "kubernetes.io/ssh-auth").put("immutable", true);
        ObjectNode data = secret.putObject("data");
        data.put("ssh-privatekey", encoded(key.privatePem()));
        data.put("ssh-publickey", encoded(key.publicLine()));
        return secret;
    }

    private static String encoded(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
