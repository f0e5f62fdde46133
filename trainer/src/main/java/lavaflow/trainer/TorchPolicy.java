package lavaflow.trainer;

import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** PyTorch: what {@code torchrun} reads, or the arguments of torchtune. */
record TorchPolicy() implements Policy {
    private static final String NODES = "PET_NNODES";
    private static final String PROCESSES = "PET_NPROC_PER_NODE";
    private static final String RANK = "PET_NODE_RANK";
    private static final String ADDRESS = "PET_MASTER_ADDR";
    private static final String PORT = "PET_MASTER_PORT";
    private static final Set<String> RESERVED = Set.of(NODES, PROCESSES, RANK, ADDRESS, PORT);

    @Override
    public void wire(Blueprint blueprint) {
        Policy.setCount(blueprint);
        ObjectNode container = blueprint.trainerContainer();
        if (container != null) {
            Trainer.objects(Json.listAt(blueprint.trainer(), "env"))
                    .forEach(variable -> Trainer.upsert(container, "env", "name", variable.deepCopy()));
            addEnv(container, blueprint);
            if (!TorchTune.is(blueprint.trainer())) {
                addLeader(container, blueprint);
            }
            Policy.addPort(container);
        }
        for (JsonNode target : targets(blueprint)) {
            PodSet set = blueprint.set(Json.textAt(target, "jobName"));
            for (String name : Trainer.texts(target.get("containerNames"))) {
                ObjectNode found = set == null ? null : set.anyContainer(name);
                if (found != null) {
                    addEnv(found, blueprint);
                    addLeader(found, blueprint);
                }
            }
        }
    }

    private static JsonNode targets(Blueprint blueprint) {
        return Json.listAt(blueprint.policy(), "torch", "envInjection", "targets");
    }

    private static void addEnv(ObjectNode container, Blueprint blueprint) {
        PodSet set = blueprint.trainerSet();
        Trainer.env(container, NODES, Integer.toString(set == null ? 1 : set.count()));
        Trainer.env(container, PROCESSES, processes(blueprint));
        Trainer.envOfField(container, RANK, Trainer.INDEX_FIELD);
    }

    private static void addLeader(ObjectNode container, Blueprint blueprint) {
        Trainer.env(container, ADDRESS, blueprint.leader());
        Trainer.env(container, PORT, Integer.toString(Trainer.PORT));
    }

    /** As many as the job says; else torchrun finds the GPUs, or there is one for each processor. */
    static String processes(Blueprint blueprint) {
        long said = Json.longAt(blueprint.trainer(), 0, "numProcPerNode");
        if (Json.at(blueprint.trainer(), "numProcPerNode") != null) {
            return Long.toString(said);
        }
        return blueprint.gpus() > 0 ? "auto" : Integer.toString(Math.max(1, blueprint.processors()));
    }

    @Override
    public void check(Blueprint blueprint, FieldErrors errors) {
        for (JsonNode target : targets(blueprint)) {
            String job = Json.textAt(target, "jobName");
            PodSet set = blueprint.set(job);
            for (String name : Trainer.texts(target.get("containerNames"))) {
                if (set == null || set.anyContainer(name) == null) {
                    errors.invalid(
                            FieldPath.of("spec", "runtimeRef"),
                            target,
                            "envInjection target podSet \"" + job + "\" container \"" + name
                                    + "\" not found in runtime template");
                }
            }
        }
        Policy.refuseReserved(blueprint, RESERVED, errors);
        if (TorchTune.is(blueprint.trainer())) {
            new TorchTune(blueprint).check(errors);
        }
    }
}
