package lavaflow.jobs;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Some pods of a Job that are made from one template; a view. */
public record Task(JsonNode spec) {
    private static final long USUAL_MAX_RETRY = 3;

    /** Pods of a task that are to be near each other, part by part. */
    public record Partitions(
            long total, long size, long min, @Nullable JsonNode networkTopology) {}

    /** Tasks that must be ready before this one begins; one of them is enough where any will do. */
    public record Dependency(List<String> tasks, boolean any) {}

    public String name() {
        return Json.textAt(spec, "name");
    }

    public long replicas() {
        return Json.longAt(spec, 0, "replicas");
    }

    public OptionalLong minAvailable() {
        JsonNode value = Json.at(spec, "minAvailable");
        return value == null ? OptionalLong.empty() : OptionalLong.of(value.asLong());
    }

    /** How many pods must be there at once, whoever says so. */
    public long minMember() {
        Partitions partitions = partitions();
        if (minAvailable().isPresent()) {
            return minAvailable().getAsLong();
        }
        return partitions != null && partitions.min() > 0 ? partitions.min() * partitions.size() : replicas();
    }

    /** The template of its pods; empty where there is none. */
    public ObjectNode template() {
        ObjectNode template = Json.objectAt(spec, "template");
        return template == null ? Json.object() : template;
    }

    public List<LifecyclePolicy> policies() {
        return LifecyclePolicy.all(Json.listAt(spec, "policies"));
    }

    public String topologyPolicy() {
        return Json.textAt(spec, "topologyPolicy");
    }

    /** How often containers may restart before the task has failed; negative for ever. */
    public long maxRetry() {
        long said = Json.longAt(spec, 0, "maxRetry");
        return said == 0 ? USUAL_MAX_RETRY : said;
    }

    public Dependency dependency() {
        List<String> names = new ArrayList<>();
        Json.listAt(spec, "dependsOn", "name").forEach(name -> names.add(name.asText()));
        return new Dependency(
                names,
                names.size() > 1 && Json.textAt(spec, "dependsOn", "iteration").equals("any"));
    }

    public @Nullable Partitions partitions() {
        JsonNode policy = Json.at(spec, "partitionPolicy");
        return policy == null
                ? null
                : new Partitions(
                        Json.longAt(policy, 0, "totalPartitions"),
                        Json.longAt(policy, 0, "partitionSize"),
                        Json.longAt(policy, 0, "minPartitions"),
                        Json.at(policy, "networkTopology"));
    }
}
