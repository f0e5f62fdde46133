package lavaflow.training;

import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** TFJob: every replica hears of all others in {@code TF_CONFIG}. */
final class TensorFlow implements Framework {
    static final String CHIEF = "Chief";
    static final String MASTER = "Master";
    private static final String WORKER = "Worker";
    private static final String PS = "PS";
    private static final Words WORDS = new Words(
            "TFJob",
            "tfReplicaSpecs",
            "tensorflow",
            "tensorflow",
            "tfjob-port",
            2222,
            "Never",
            List.of(CHIEF, "Evaluator", MASTER, PS, WORKER));

    @Override
    public Words words() {
        return WORDS;
    }

    private static @Nullable String chief(TrainingJob job) {
        return job.has(CHIEF) ? CHIEF : job.has(MASTER) ? MASTER : null;
    }

    @Override
    public boolean isMaster(TrainingJob job, String type, int index) {
        return chief(job) == null ? type.equals(WORKER) && index == 0 : type.equals(CHIEF) || type.equals(MASTER);
    }

    @Override
    public void complete(ObjectNode spec) {
        if (Json.at(spec, "successPolicy") == null) {
            spec.put("successPolicy", "");
        }
    }

    @Override
    public void wire(TrainingJob job, String type, int index, ObjectNode podSpec, Settings settings) {
        int known = job.replicas().stream()
                .filter(each -> WORDS.types().contains(each.type()))
                .mapToInt(TrainingJob.Replica::count)
                .sum();
        if (known == 1) {
            return; // nobody to find
        }
        boolean sparse = Json.flagAt(job.object(), "spec", "enableDynamicWorker");
        String configuration =
                Json.string(sparse ? sparse(job, type, index, settings) : whole(job, type, index, settings));
        for (ObjectNode container : TrainingJob.containers(podSpec)) {
            if (Json.textAt(container, "name").equals(WORDS.container())) {
                Training.env(container, "TF_CONFIG", configuration);
                return;
            }
        }
    }

    private static JsonNode whole(TrainingJob job, String type, int index, Settings settings) {
        ObjectNode configuration = Json.object();
        ObjectNode cluster = configuration.putObject("cluster");
        job.replicas().stream()
                .map(TrainingJob.Replica::type)
                .sorted((a, b) -> Training.lower(a).compareTo(Training.lower(b)))
                .forEach(each -> cluster.set(Training.lower(each), addresses(job, each, settings)));
        task(configuration, type, index);
        configuration.put("environment", "cloud");
        return configuration;
    }

    /** Workers come and go: each knows itself and the parameter servers, and those know nobody. */
    private static JsonNode sparse(TrainingJob job, String type, int index, Settings settings) {
        ObjectNode configuration = Json.object();
        ObjectNode cluster = configuration.putObject("cluster");
        ObjectNode worker = cluster.putObject("worker");
        if (type.equals(WORKER)) {
            worker.put(Integer.toString(index), address(job, type, index, settings));
            if (job.has(PS)) {
                cluster.set("ps", addresses(job, PS, settings));
            } else {
                cluster.putNull("ps");
            }
        } else {
            ArrayNode servers = cluster.putArray("ps");
            if (type.equals(PS)) {
                servers.add(address(job, type, index, settings));
            }
        }
        task(configuration, type, index);
        return configuration;
    }

    private static void task(ObjectNode configuration, String type, int index) {
        configuration.putObject("task").put("type", Training.lower(type)).put("index", index);
    }

    private static ArrayNode addresses(TrainingJob job, String type, Settings settings) {
        ArrayNode addresses = Json.array();
        TrainingJob.Replica replica = job.find(type);
        for (int i = 0; replica != null && i < replica.count(); i++) {
            addresses.add(address(job, type, i, settings));
        }
        return addresses;
    }

    private static String address(TrainingJob job, String type, int index, Settings settings) {
        String domain = settings.clusterDomain().isEmpty() ? "" : "." + settings.clusterDomain();
        return job.replicaName(type, index) + "." + job.namespace() + ".svc" + domain + ":" + job.port(type);
    }

    @Override
    public Verdict judge(TrainingJob job, Tally tally) {
        String chief = chief(job);
        String leader = chief == null ? WORKER : chief;
        TrainingJob.Replica leading = job.find(leader);
        String place = "TFJob " + job.namespace() + "/" + job.name();
        if (leading != null) {
            boolean all = tally.of(leader).succeeded() >= leading.count();
            boolean one = chief == null
                    && tally.firstWorkerDone()
                    && !Json.textAt(job.object(), "spec", "successPolicy").equals("AllWorkers");
            if (all || one) {
                return new Verdict.Succeeded(place + " successfully completed.");
            }
        }
        boolean dynamic = Json.flagAt(job.object(), "spec", "enableDynamicWorker");
        for (TrainingJob.Replica replica : job.replicas()) {
            int failed = tally.of(replica.type()).failed();
            if (failed > 0 && !(dynamic && replica.type().equals(WORKER))) {
                String what = " because " + failed + " " + replica.type() + " replica(s) failed.";
                return replica.restarts()
                        ? new Verdict.Restarting("TFJob " + job.name() + " is restarting" + what)
                        : new Verdict.Failed(place + " has failed" + what);
            }
        }
        return tally.of(leader).active() > 0 ? new Verdict.Running(place + " is running.") : Verdict.NOTHING;
    }
}
