package lavaflow.jobs;

import java.util.List;

import lavaflow.kube.BuiltinTypes;
import lavaflow.kube.DecodingException;
import lavaflow.kube.Json;
import lavaflow.kube.TypedDecoder;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Which changes of Jobs are refused, in the words of Volcano's webhook. Functions of values. */
public final class JobUpdateRules {
    private static final String CLAIM = "io.k8s.api.core.v1.PersistentVolumeClaimSpec";

    private JobUpdateRules() {}

    /** Why a Job may not become another; empty if it may. */
    public static String refusal(ObjectNode job, ObjectNode old) {
        VolcanoJob now = new VolcanoJob(job);
        VolcanoJob before = new VolcanoJob(old);
        for (Task task : now.tasks()) {
            String wrong = refusal(task, now);
            if (!wrong.isEmpty()) {
                return wrong;
            }
        }
        if (now.minAvailable() > now.replicas()) {
            return "job 'minAvailable' must not be greater than total replicas";
        }
        if (now.minAvailable() < 0) {
            return "job 'minAvailable' must be >= 0";
        }
        String topology = JobRules.topology(Json.at(job, "spec", "networkTopology"));
        if (!topology.isEmpty()) {
            return topology;
        }
        if (now.tasks().size() != before.tasks().size()) {
            return "job updates may not add or remove tasks";
        }
        return fixed(job).equals(fixed(old))
                ? ""
                : "job updates may not change fields other than `minAvailable`, `tasks[*].replicas under spec` and"
                        + " `PriorityClassName`";
    }

    private static String refusal(Task task, VolcanoJob job) {
        if (task.replicas() < 0) {
            return "'replicas' must be >= 0 in task: " + task.name();
        }
        if (task.minAvailable().isPresent()) {
            long least = task.minAvailable().getAsLong();
            if (least < 0) {
                return "'minAvailable' must be >= 0 in task: " + task.name();
            }
            if (least > task.replicas()) {
                return "'minAvailable' must be <= 'replicas' in task: " + task.name();
            }
        }
        return TaskRules.partitions(task, job);
    }

    /** What of a Job's spec stays for ever, in the form in which equal things are equal. */
    private static ObjectNode fixed(ObjectNode job) {
        ObjectNode whole = job.deepCopy();
        JobDefaults.completeTasks(whole);
        ObjectNode said = Json.objectAt(whole, "spec");
        ObjectNode spec = said == null ? Json.object() : said;
        spec.remove(List.of("minAvailable", "priorityClassName"));
        for (JsonNode each : Json.listAt(spec, "tasks")) {
            ObjectNode task = (ObjectNode) each;
            task.remove(List.of("replicas", "minAvailable"));
            asRead(task, "template", "io.k8s.api.core.v1.PodTemplateSpec");
        }
        for (JsonNode each : Json.listAt(spec, "volumes")) {
            ObjectNode volume = (ObjectNode) each;
            if (volume.hasNonNull("volumeClaim")) {
                volume.remove("volumeClaimName"); // the controller writes it
                asRead(volume, "volumeClaim", CLAIM);
            }
        }
        ObjectNode fixed = (ObjectNode) withoutEmpty(spec);
        ObjectNode plugins = Json.objectAt(spec, "plugins");
        if (plugins != null && !plugins.isEmpty()) {
            fixed.set("plugins", plugins); // one without arguments is one
        }
        return fixed;
    }

    private static void asRead(ObjectNode owner, String field, String struct) {
        JsonNode said = owner.get(field);
        if (said != null) {
            try {
                owner.set(
                        field,
                        TypedDecoder.decode(BuiltinTypes.instance(), struct, said)
                                .object());
            } catch (DecodingException _) {
                // It stays as it was written, and equals only what was written the same.
            }
        }
    }

    /** To Go an empty list, map or text is none. */
    private static JsonNode withoutEmpty(JsonNode node) {
        if (node instanceof ObjectNode object) {
            ObjectNode copy = Json.object();
            object.properties().forEach(field -> {
                JsonNode value = withoutEmpty(field.getValue());
                boolean empty = value.isNull()
                        || (value.isTextual() && value.asText().isEmpty())
                        || (value.isContainerNode() && value.isEmpty());
                if (!empty) {
                    copy.set(field.getKey(), value);
                }
            });
            return copy;
        }
        if (node instanceof ArrayNode list) {
            ArrayNode copy = Json.array();
            list.forEach(each -> copy.add(withoutEmpty(each)));
            return copy;
        }
        return node;
    }
}
