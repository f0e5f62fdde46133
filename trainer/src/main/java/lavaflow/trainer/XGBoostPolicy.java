package lavaflow.trainer;

import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** XGBoost: workers, one for each GPU, and a tracker in the first pod. */
record XGBoostPolicy() implements Policy {
    private static final String URI = "DMLC_TRACKER_URI";
    private static final String PORT = "DMLC_TRACKER_PORT";
    private static final String TASK = "DMLC_TASK_ID";
    private static final String WORKERS = "DMLC_NUM_WORKER";
    private static final Set<String> RESERVED = Set.of(URI, PORT, TASK, WORKERS);

    @Override
    public void wire(Blueprint blueprint) {
        Policy.setCount(blueprint);
        PodSet set = blueprint.trainerSet();
        ObjectNode container = blueprint.trainerContainer();
        if (set == null || container == null) {
            return;
        }
        Trainer.env(container, URI, blueprint.leader());
        Trainer.env(container, PORT, Integer.toString(Trainer.PORT));
        Trainer.envOfField(container, TASK, Trainer.INDEX_FIELD);
        Trainer.env(container, WORKERS, Integer.toString(set.count() * Math.max(1, blueprint.gpus())));
        Policy.addPort(container);
    }

    @Override
    public void check(Blueprint blueprint, FieldErrors errors) {
        JsonNode env = Json.listAt(blueprint.trainer(), "env");
        for (int i = 0; i < env.size(); i++) {
            String name = Json.textAt(env.get(i), "name");
            if (RESERVED.contains(name)) {
                errors.forbidden(ENV.index(i), name + " is reserved for the XGBoost runtime");
            }
        }
    }
}
