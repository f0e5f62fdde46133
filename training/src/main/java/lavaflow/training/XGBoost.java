package lavaflow.training;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** XGBoostJob: a tracker at the master, and for LightGBM the list of all workers. */
final class XGBoost implements Framework {
    private static final String MASTER = "Master";
    private static final String WORKER = "Worker";
    private static final Words WORDS = new Words(
            "XGBoostJob",
            "xgbReplicaSpecs",
            "xgboost",
            "xgboost",
            "xgboostjob-port",
            9999,
            "Never",
            List.of(MASTER, WORKER));

    @Override
    public Words words() {
        return WORDS;
    }

    @Override
    public boolean isMaster(TrainingJob job, String type, int index) {
        return type.equals(MASTER);
    }

    @Override
    public void wire(TrainingJob job, String type, int index, ObjectNode podSpec, Settings settings) {
        TrainingJob.Replica master = job.find(MASTER);
        int rank = type.equals(WORKER) && master != null ? index + master.count() : index;
        for (ObjectNode container : TrainingJob.containers(podSpec)) {
            Training.env(container, "MASTER_PORT", Integer.toString(job.port(MASTER)));
            Training.env(container, "MASTER_ADDR", job.replicaName(MASTER, 0));
            Training.env(container, "WORLD_SIZE", Integer.toString(job.total()));
            Training.env(container, "RANK", Integer.toString(rank));
            Training.env(container, "PYTHONUNBUFFERED", "1");
            if (job.total() > 1) {
                Training.env(container, "WORKER_PORT", Integer.toString(job.port(WORKER)));
                Training.env(
                        container,
                        "WORKER_ADDRS",
                        IntStream.range(0, job.total() - 1)
                                .mapToObj(i -> job.replicaName(WORKER, i))
                                .collect(Collectors.joining(",")));
            }
        }
    }

    @Override
    public Verdict judge(TrainingJob job, Tally tally) {
        TrainingJob.Replica master = job.find(MASTER);
        Counts counts = tally.of(MASTER);
        String place = "XGBoostJob " + job.name();
        if (master != null && counts.succeeded() >= master.count()) {
            return new Verdict.Succeeded(place + " is successfully completed.");
        }
        Verdict failure = Leading.failure(job, tally, false);
        if (!failure.equals(Verdict.NOTHING)) {
            return failure;
        }
        return counts.active() > 0 ? new Verdict.Running(place + " is running.") : Verdict.NOTHING;
    }
}
