package lavaflow.trainer;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** JAX: processes that meet at the first of them. */
record JaxPolicy() implements Policy {
    @Override
    public void wire(Blueprint blueprint) {
        Policy.setCount(blueprint);
        PodSet set = blueprint.trainerSet();
        ObjectNode container = blueprint.trainerContainer();
        if (set == null || container == null) {
            return;
        }
        Trainer.env(container, "JAX_NUM_PROCESSES", Integer.toString(set.count()));
        Trainer.envOfField(container, "JAX_PROCESS_ID", Trainer.INDEX_FIELD);
        Trainer.env(container, "JAX_COORDINATOR_ADDRESS", blueprint.leader() + ":" + Trainer.PORT);
        Policy.addPort(container);
    }
}
