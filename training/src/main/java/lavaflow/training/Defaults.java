package lavaflow.training;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** What a job means that does not say everything. Nothing of it is written back: users see what they wrote. */
final class Defaults {
    private Defaults() {}

    /** A copy with everything said. */
    static ObjectNode complete(Framework framework, ObjectNode raw) {
        Framework.Words words = framework.words();
        ObjectNode job = raw.deepCopy();
        job.put("apiVersion", Training.API_VERSION).put("kind", words.kind());
        ObjectNode spec = Json.ensureObject(job, "spec");
        completeCleaning(framework, spec);
        ObjectNode replicas = Json.objectAt(spec, words.replicas());
        if (replicas != null) {
            if (!(framework instanceof Mpi)) {
                spellTypes(words, replicas);
            }
            replicas.properties().forEach(each -> {
                if (each.getValue() instanceof ObjectNode replica) {
                    completeReplica(framework, each.getKey(), replica);
                }
            });
        }
        framework.complete(spec);
        return job;
    }

    /** MPI's jobs may say it in two places, of which the run policy counts. */
    private static void completeCleaning(Framework framework, ObjectNode spec) {
        ObjectNode policy = Json.ensureObject(spec, "runPolicy");
        if (!Json.textAt(policy, "cleanPodPolicy").isEmpty()) {
            return;
        }
        String other = framework instanceof Mpi ? Json.textAt(spec, "cleanPodPolicy") : "";
        policy.put("cleanPodPolicy", other.isEmpty() ? "None" : other);
    }

    private static void spellTypes(Framework.Words words, ObjectNode replicas) {
        List<String> given = new ArrayList<>();
        replicas.fieldNames().forEachRemaining(given::add);
        for (String name : given) {
            for (String type : words.types()) {
                if (name.equalsIgnoreCase(type) && !name.equals(type)) {
                    JsonNode spec = replicas.remove(name);
                    replicas.set(type, spec);
                }
            }
        }
    }

    private static void completeReplica(Framework framework, String type, ObjectNode replica) {
        Framework.Words words = framework.words();
        if (Json.at(replica, "replicas") == null) {
            replica.put("replicas", framework instanceof Mpi && type.equals("Worker") ? 0 : 1);
        }
        if (Json.textAt(replica, "restartPolicy").isEmpty()) {
            replica.put("restartPolicy", words.restartPolicy());
        }
        if (!words.portName().isEmpty()) {
            completePort(words, replica);
        }
    }

    private static void completePort(Framework.Words words, ObjectNode replica) {
        ObjectNode chosen = null;
        for (JsonNode each : Json.listAt(replica, "template", "spec", "containers")) {
            if (each instanceof ObjectNode container
                    && (chosen == null || Json.textAt(container, "name").equals(words.container()))) {
                chosen = container;
            }
        }
        if (chosen == null) {
            return;
        }
        for (JsonNode port : Json.listAt(chosen, "ports")) {
            if (Json.textAt(port, "name").equals(words.portName())) {
                return;
            }
        }
        Training.list(chosen, "ports").addObject().put("name", words.portName()).put("containerPort", words.port());
    }

    /** The fewest and the most workers of an elastic job, where only one or none is said. */
    static void completeElastic(ObjectNode spec, String replicasField) {
        ObjectNode elastic = Json.objectAt(spec, "elasticPolicy");
        if (elastic == null) {
            return;
        }
        long workers = Json.longAt(spec, 1, replicasField, "Worker", "replicas");
        Long least = RunPolicy.number(elastic, "minReplicas");
        Long most = RunPolicy.number(elastic, "maxReplicas");
        elastic.put("minReplicas", least != null ? least : most != null ? most : workers);
        elastic.put("maxReplicas", most != null ? most : least != null ? least : workers);
    }
}
