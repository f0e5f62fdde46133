package lavaflow.training;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.OptionalInt;

import lavaflow.kube.DecodingException;
import lavaflow.kube.Json;
import lavaflow.kube.Yaml;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** PyTorchJob: what {@code torchrun} and {@code torch.distributed} read, elastic or not. */
final class PyTorch implements Framework {
    private static final String MASTER = "Master";
    private static final String WORKER = "Worker";
    private static final Words WORDS = new Words(
            "PyTorchJob",
            "pytorchReplicaSpecs",
            "pytorch",
            "pytorch",
            "pytorchjob-port",
            23456,
            "OnFailure",
            List.of(MASTER, WORKER));

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
        return job.has(MASTER) ? type.equals(MASTER) : index == 0;
    }

    @Override
    public void complete(ObjectNode spec) {
        Defaults.completeElastic(spec, WORDS.replicas());
        if (Json.at(spec, "nprocPerNode") == null && Json.at(spec, "elasticPolicy", "nProcPerNode") == null) {
            spec.put("nprocPerNode", "auto");
        }
    }

    @Override
    public void wire(TrainingJob job, String type, int index, ObjectNode podSpec, Settings settings) {
        TrainingJob.containers(podSpec).forEach(container -> variables(job, type, index, container));
        if (type.equals(WORKER) && job.has(MASTER)) {
            Training.list(podSpec, "initContainers").addAll(waiting(job, settings));
        }
    }

    private static void variables(TrainingJob job, String type, int index, ObjectNode container) {
        ObjectNode elastic = Json.objectAt(job.object(), "spec", "elasticPolicy");
        Training.env(container, "PYTHONUNBUFFERED", "1");
        // Upstream tells nothing to workers without a master and without elasticity: they could not find each other.
        if (job.has(MASTER) || elastic == null) {
            meeting(job, type, index, container);
        }
        String processes = Json.textAt(job.object(), "spec", "nprocPerNode");
        if (!processes.isEmpty()) {
            Training.env(container, "PET_NPROC_PER_NODE", processes);
        }
        if (elastic == null) {
            Training.env(container, "PET_NNODES", Integer.toString(job.total()));
        } else {
            elastic(job, elastic, container);
        }
    }

    private static void meeting(TrainingJob job, String type, int index, ObjectNode container) {
        String leader = Leading.type(job);
        String port = Integer.toString(job.port(leader));
        String address = job.replicaName(leader, 0);
        String processes = Json.textAt(job.object(), "spec", "nprocPerNode");
        long world = (long) job.total() * whole(processes).orElse(1);
        String rank = Integer.toString(job.has(MASTER) && type.equals(WORKER) ? index + 1 : index);
        Training.env(container, "MASTER_PORT", port);
        Training.env(container, "PET_MASTER_PORT", port);
        Training.env(container, "MASTER_ADDR", address);
        Training.env(container, "PET_MASTER_ADDR", address);
        Training.env(container, "WORLD_SIZE", Long.toString(world));
        Training.env(container, "RANK", rank);
        Training.env(container, "PET_NODE_RANK", rank);
    }

    private static OptionalInt whole(String text) {
        try {
            return OptionalInt.of(Integer.parseInt(text));
        } catch (NumberFormatException _) {
            return OptionalInt.empty(); // auto, cpu, gpu
        }
    }

    private static void elastic(TrainingJob job, ObjectNode elastic, ObjectNode container) {
        String host = Json.textAt(elastic, "rdzvHost");
        long port = Json.longAt(elastic, job.port(WORKER), "rdzvPort");
        String backend = Json.textAt(elastic, "rdzvBackend");
        Training.env(container, "PET_RDZV_ENDPOINT", (host.isEmpty() ? job.replicaName(WORKER, 0) : host) + ":" + port);
        Training.env(container, "PET_RDZV_BACKEND", backend.isEmpty() ? "c10d" : backend);
        Training.env(
                container,
                "PET_NNODES",
                Json.longAt(elastic, 1, "minReplicas") + ":" + Json.longAt(elastic, 1, "maxReplicas"));
        number(elastic, "maxRestarts", container, "PET_MAX_RESTARTS");
        number(elastic, "nProcPerNode", container, "PET_NPROC_PER_NODE");
        if (Json.at(elastic, "rdzvId") != null) {
            Training.env(container, "PET_RDZV_ID", Json.textAt(elastic, "rdzvId"));
        }
        if (!Json.listAt(elastic, "rdzvConf").isEmpty()) {
            StringBuilder pairs = new StringBuilder();
            for (JsonNode pair : Json.listAt(elastic, "rdzvConf")) {
                pairs.append(pairs.isEmpty() ? "" : ",")
                        .append(Json.textAt(pair, "key"))
                        .append('=')
                        .append(Json.textAt(pair, "value"));
            }
            Training.env(container, "PET_RDZV_CONF", pairs.toString());
        }
        if (Json.flagAt(elastic, "standalone")) {
            Training.env(container, "PET_STANDALONE", "");
        }
    }

    private static void number(ObjectNode elastic, String field, ObjectNode container, String variable) {
        Long value = RunPolicy.number(elastic, field);
        if (value != null) {
            Training.env(container, variable, value.toString());
        }
    }

    /** Workers wait until the master's name is known. */
    private static List<JsonNode> waiting(TrainingJob job, Settings settings) {
        String template = settings.initTemplate();
        String master = job.replicaName(MASTER, 0);
        if (template == null) {
            return List.of(usualWaiting(master, settings));
        }
        String filled = template.replaceAll("\\{\\{ *\\.MasterAddr *}}", master)
                .replaceAll("\\{\\{ *\\.InitContainerImage *}}", settings.initImage())
                .replaceAll("\\{\\{ *\\.MaxTries *}}", Integer.toString(settings.initTries()));
        try {
            return Yaml.parse(filled.getBytes(StandardCharsets.UTF_8))
                    .root()
                    .deepCopy()
                    .valueStream()
                    .toList();
        } catch (DecodingException e) {
            throw new IllegalStateException("the template of init containers: " + e.getMessage(), e);
        }
    }

    private static ObjectNode usualWaiting(String master, Settings settings) {
        ObjectNode container = Json.object();
        container.put("name", "init-pytorch");
        container.put("image", settings.initImage());
        container
                .putArray("command")
                .add("sh")
                .add("-c")
                .add("err=1;for i in $(seq " + settings.initTries() + "); do if nslookup " + master
                        + "; then err=0 && break; fi;echo waiting for master; sleep 2; done; exit $err");
        ObjectNode resources = container.putObject("resources");
        resources.putObject("limits").put("cpu", "100m").put("memory", "20Mi");
        resources.putObject("requests").put("cpu", "50m").put("memory", "10Mi");
        container.put("imagePullPolicy", "IfNotPresent");
        return container;
    }

    @Override
    public Verdict judge(TrainingJob job, Tally tally) {
        return Leading.judge(job, tally, Json.at(job.object(), "spec", "elasticPolicy") != null);
    }
}
