package lavaflow.training;

import java.util.List;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** PaddleJob: workers that are all alike, or trainers with a parameter server at the master. */
final class Paddle implements Framework {
    private static final String MASTER = "Master";
    private static final Words WORDS = new Words(
            "PaddleJob",
            "paddleReplicaSpecs",
            "paddle",
            "paddle",
            "master",
            36543,
            "OnFailure",
            List.of(MASTER, "Worker"));

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

    /** Upstream marks nobody where there is no master, and logs of such jobs are not found. */
    @Override
    public boolean isMaster(TrainingJob job, String type, int index) {
        return job.has(MASTER) ? type.equals(MASTER) : index == 0;
    }

    @Override
    public void complete(ObjectNode spec) {
        Defaults.completeElastic(spec, WORDS.replicas());
    }

    @Override
    public void wire(TrainingJob job, String type, int index, ObjectNode podSpec, Settings settings) {
        String leader = Leading.type(job);
        int port = job.port(leader);
        for (ObjectNode container : TrainingJob.containers(podSpec)) {
            Training.env(container, "PYTHONUNBUFFERED", "1");
            Training.env(container, "PADDLE_JOB_ID", job.name());
            Training.env(container, "PADDLE_NNODES", Integer.toString(job.total()));
            if (type.equals(leader) && index == 0) {
                // The one everybody meets at has to listen at its own address, which its name may not lead to yet.
                Training.list(container, "env")
                        .addObject()
                        .put("name", "POD_IP_DUMMY")
                        .putObject("valueFrom")
                        .putObject("fieldRef")
                        .put("fieldPath", "status.podIP");
                Training.env(container, "PADDLE_MASTER", "$(POD_IP_DUMMY):" + port);
            } else {
                Training.env(container, "PADDLE_MASTER", job.replicaName(leader, 0) + ":" + port);
            }
            if (job.has(MASTER)) {
                Training.env(container, type.equals(MASTER) ? "PADDLE_SERVER_NUM" : "PADDLE_TRAINER_NUM", "1");
            }
        }
    }

    @Override
    public Verdict judge(TrainingJob job, Tally tally) {
        return Leading.judge(job, tally, false);
    }
}
