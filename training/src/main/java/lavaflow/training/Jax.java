package lavaflow.training;

import java.util.List;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** JAXJob: worker 0 coordinates. */
final class Jax implements Framework {
    private static final String WORKER = "Worker";
    private static final Words WORDS =
            new Words("JAXJob", "jaxReplicaSpecs", "jax", "jax", "jaxjob-port", 6666, "Never", List.of(WORKER));

    @Override
    public Words words() {
        return WORDS;
    }

    @Override
    public boolean tellsSelectors() {
        return true;
    }

    @Override
    public String deletionWord() {
        return "Pod";
    }

    @Override
    public boolean isMaster(TrainingJob job, String type, int index) {
        return index == 0;
    }

    @Override
    public void wire(TrainingJob job, String type, int index, ObjectNode podSpec, Settings settings) {
        for (ObjectNode container : TrainingJob.containers(podSpec)) {
            Training.env(container, "PYTHONUNBUFFERED", "1");
            Training.env(container, "COORDINATOR_PORT", Integer.toString(job.port(WORKER)));
            Training.env(container, "COORDINATOR_ADDRESS", job.replicaName(WORKER, 0));
            Training.env(container, "NUM_PROCESSES", Integer.toString(job.total()));
            Training.env(container, "PROCESS_ID", Integer.toString(index));
        }
    }

    @Override
    public Verdict judge(TrainingJob job, Tally tally) {
        return Leading.judge(job, tally, false);
    }
}
