package lavaflow.jobs;

import java.time.Instant;
import java.util.List;
import java.util.function.ToLongFunction;

import lavaflow.batch.Batch;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * The PodGroup of a Job, as it is and as it is to be.
 *
 * @param job the name of its Job
 * @param owner the uid of its Job
 * @param trouble why it is not scheduled, where that is the newest thing said about it; empty otherwise
 */
record JobGroup(
        String namespace,
        String name,
        String uid,
        String job,
        String owner,
        String phase,
        String trouble,
        ObjectNode spec) {
    /** What follows the Job while it lives; the rest is as it was in the beginning. */
    private static final List<String> FOLLOWING =
            List.of("priorityClassName", "minMember", "minResources", "minTaskMember", "subGroupPolicy");

    static @Nullable JobGroup of(ObjectNode group) {
        for (JsonNode owner : Json.listAt(group, "metadata", "ownerReferences")) {
            if (Json.flagAt(owner, "controller")
                    && Json.textAt(owner, "kind").equals("Job")
                    && Json.textAt(owner, "apiVersion").startsWith(Volcano.GROUP + "/")) {
                ObjectNode spec = Json.objectAt(group, "spec");
                return new JobGroup(
                        Json.textAt(group, "metadata", "namespace"),
                        Json.textAt(group, "metadata", "name"),
                        Json.textAt(group, "metadata", "uid"),
                        Json.textAt(owner, "name"),
                        Json.textAt(owner, "uid"),
                        Json.textAt(group, "status", "phase"),
                        trouble(group),
                        spec == null ? Json.object() : spec);
            }
        }
        return null;
    }

    private static String trouble(ObjectNode group) {
        JsonNode newest = null;
        for (JsonNode condition : Json.listAt(group, "status", "conditions")) {
            boolean holds = Json.textAt(condition, "status").equals("True");
            if (holds && (newest == null || !since(condition).isBefore(since(newest)))) {
                newest = condition;
            }
        }
        return newest == null || Json.textAt(newest, "type").equals("Scheduled") ? "" : Json.textAt(newest, "message");
    }

    private static Instant since(JsonNode condition) {
        return JobPod.time(Json.textAt(condition, "lastTransitionTime"));
    }

    List<String> words() {
        return List.of(owner);
    }

    long minMember() {
        return Json.longAt(spec, 0, "minMember");
    }

    /** Whether its pods may be there. */
    boolean isAdmitted() {
        return !phase.isEmpty() && !phase.equals("Pending");
    }

    boolean isUnknown() {
        return phase.equals("Unknown");
    }

    static ObjectNode made(VolcanoJob job, GangSize size, ToLongFunction<String> priority, Instant now) {
        ObjectNode group = Json.object();
        group.put("apiVersion", Batch.GROUP + "/" + Batch.POD_GROUPS.version()).put("kind", "PodGroup");
        ObjectNode metadata = group.putObject("metadata");
        metadata.put("name", job.podGroupName()).put("namespace", job.namespace());
        for (String map : List.of("labels", "annotations")) {
            ObjectNode said = Json.objectAt(job.object(), "metadata", map);
            if (said != null && !said.isEmpty()) {
                metadata.set(map, said.deepCopy());
            }
        }
        metadata.putArray("ownerReferences").add(job.ownerReference());
        ObjectNode spec = following(job, size, priority, now);
        spec.put("queue", job.queue());
        ObjectNode topology = topology(Json.at(job.object(), "spec", "networkTopology"));
        if (topology != null) {
            spec.set("networkTopology", topology);
        }
        group.set("spec", spec);
        return group;
    }

    private static ObjectNode following(VolcanoJob job, GangSize size, ToLongFunction<String> priority, Instant now) {
        ObjectNode spec = Json.object();
        spec.put("minMember", size.members());
        ObjectNode members = spec.putObject("minTaskMember");
        size.byTask().forEach(members::put);
        if (!job.priorityClassName().isEmpty()) {
            spec.put("priorityClassName", job.priorityClassName());
        }
        ObjectNode resources = MinResources.of(job, priority, now);
        if (!resources.isEmpty()) {
            spec.set("minResources", resources);
        }
        for (Task task : job.tasks()) {
            Task.Partitions partitions = task.partitions();
            if (partitions != null) {
                subGroup(spec, task.name(), partitions, size.parts().getOrDefault(task.name(), 0L));
            }
        }
        return spec;
    }

    private static void subGroup(ObjectNode spec, String task, Task.Partitions partitions, long least) {
        ObjectNode policy = (spec.has("subGroupPolicy")
                        ? Json.listAt(spec, "subGroupPolicy")
                        : spec.putArray("subGroupPolicy"))
                .addObject();
        policy.put("name", task).put("subGroupSize", partitions.size());
        policy.put("minSubGroups", least);
        policy.putObject("labelSelector").putObject("matchLabels").put(Volcano.TASK_SPEC, task);
        policy.putArray("matchLabelKeys").add(Volcano.PARTITION);
        ObjectNode topology = topology(partitions.networkTopology());
        if (topology != null) {
            policy.set("networkTopology", topology);
        }
    }

    /** A tier by its number is clearer than by its name. */
    private static @Nullable ObjectNode topology(@Nullable JsonNode said) {
        if (!(said instanceof ObjectNode object)) {
            return null;
        }
        ObjectNode copy = object.deepCopy();
        if (copy.has("highestTierAllowed")) {
            copy.remove("highestTierName");
        }
        return copy;
    }

    /** A patch that makes it follow its Job; null if it does. */
    @Nullable
    ObjectNode correction(VolcanoJob job, GangSize size, ToLongFunction<String> priority, Instant now) {
        ObjectNode wanted = following(job, size, priority, now);
        ObjectNode changes = Json.object();
        for (String field : FOLLOWING) {
            JsonNode is = spec.get(field);
            JsonNode shall = wanted.get(field);
            if (shall == null && is != null && !(is.isContainerNode() && is.isEmpty())) {
                changes.putNull(field);
            } else if (shall != null && !shall.equals(is)) {
                changes.set(field, replacing(is, shall));
            }
        }
        if (changes.isEmpty()) {
            return null;
        }
        ObjectNode patch = Json.object();
        patch.putObject("metadata").put("uid", uid);
        patch.set("spec", changes);
        return patch;
    }

    /** Maps are merged by a patch, so what is not wanted any more has to be taken out by name. */
    private static JsonNode replacing(@Nullable JsonNode is, JsonNode shall) {
        if (is instanceof ObjectNode before && shall instanceof ObjectNode after) {
            ObjectNode patch = after.deepCopy();
            before.fieldNames().forEachRemaining(name -> {
                if (!after.has(name)) {
                    patch.putNull(name);
                }
            });
            return patch;
        }
        return shall;
    }
}
