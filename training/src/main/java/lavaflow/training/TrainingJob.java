package lavaflow.training;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * A job as its framework understands it: completed with defaults, its replica types in order.
 *
 * @param object the job with defaults, which nobody but us sees
 */
record TrainingJob(Framework framework, ObjectNode object, List<Replica> replicas, RunPolicy policy) {
    /** Pods of one type. */
    record Replica(String type, int count, String restartPolicy, ObjectNode template) {
        String lower() {
            return Training.lower(type);
        }

        boolean restarts() {
            return !restartPolicy.equals("Never");
        }
    }

    static TrainingJob of(Framework framework, ObjectNode raw) {
        ObjectNode job = Defaults.complete(framework, raw);
        ObjectNode specs = Json.objectAt(job, "spec", framework.words().replicas());
        List<String> types = new ArrayList<>();
        if (specs != null) {
            framework.words().types().stream().filter(specs::has).forEach(types::add);
            List<String> unknown = new ArrayList<>();
            specs.fieldNames().forEachRemaining(unknown::add);
            unknown.removeAll(types);
            unknown.sort(null);
            types.addAll(unknown);
        }
        List<Replica> replicas = new ArrayList<>();
        for (String type : types) {
            ObjectNode spec = Json.objectAt(specs, type);
            ObjectNode template = spec == null ? null : Json.objectAt(spec, "template");
            if (spec != null) {
                replicas.add(new Replica(
                        type,
                        (int) Json.longAt(spec, 1, "replicas"),
                        Json.textAt(spec, "restartPolicy"),
                        template == null ? Json.object() : template));
            }
        }
        return new TrainingJob(framework, job, replicas, RunPolicy.of(Json.at(job, "spec", "runPolicy")));
    }

    String name() {
        return Training.name(object);
    }

    String namespace() {
        return Training.namespace(object);
    }

    String uid() {
        return Training.uid(object);
    }

    String kind() {
        return framework.words().kind();
    }

    @Nullable
    Replica find(String type) {
        return replicas.stream()
                .filter(each -> each.type().equals(type))
                .findFirst()
                .orElse(null);
    }

    boolean has(String type) {
        return find(type) != null;
    }

    int total() {
        return replicas.stream().mapToInt(Replica::count).sum();
    }

    /** Of pods and of the services they are found by. */
    String replicaName(String type, int index) {
        return (name() + "-" + Training.lower(type) + "-" + index).replace('/', '-');
    }

    /** Where replicas of a type are met. */
    int port(String type) {
        Framework.Words words = framework.words();
        Replica replica = find(type);
        ObjectNode container = replica == null ? null : container(replica.template());
        for (JsonNode port : Json.listAt(container, "ports")) {
            if (Json.textAt(port, "name").equals(words.portName())) {
                return (int) Json.longAt(port, words.port(), "containerPort");
            }
        }
        return words.port();
    }

    /** The container that counts, the first one where none has its name. */
    @Nullable
    ObjectNode container(ObjectNode template) {
        ObjectNode first = null;
        for (JsonNode each : Json.listAt(template, "spec", "containers")) {
            if (each instanceof ObjectNode container) {
                if (Json.textAt(container, "name").equals(framework.words().container())) {
                    return container;
                }
                first = first == null ? container : first;
            }
        }
        return first;
    }

    /** The containers of a pod's spec. */
    static List<ObjectNode> containers(ObjectNode podSpec) {
        List<ObjectNode> containers = new ArrayList<>();
        for (JsonNode each : Json.listAt(podSpec, "containers")) {
            if (each instanceof ObjectNode container) {
                containers.add(container);
            }
        }
        return containers;
    }
}
