package lavaflow.jobs;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kinds.PodTemplateRules;
import lavaflow.kube.BuiltinTypes;
import lavaflow.kube.DecodingException;
import lavaflow.kube.FieldError;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Names;
import lavaflow.kube.Quantity;
import lavaflow.kube.TypedDecoder;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** What is wrong with a task of a Job by itself. */
final class TaskRules {
    private static final String TEMPLATE = "io.k8s.api.core.v1.PodTemplateSpec";

    private TaskRules() {}

    /** Judges the template as Kubernetes would, and then whether its pods can have processors of their own. */
    static String template(Task task, int index) {
        String start = "spec.task[" + index + "].";
        ObjectNode template;
        try {
            template = typed(task.template());
        } catch (DecodingException e) {
            return start + "template: " + e.getMessage() + ". ";
        }
        PodTemplateRules.applyDefaults(template);
        FieldErrors errors = new FieldErrors();
        Names.dns1123Subdomain(task.name())
                .forEach(why -> errors.invalid(FieldPath.of("metadata", "name"), task.name(), why));
        PodTemplateRules.validate(template, FieldPath.of("template"), errors);
        if (errors.isEmpty()) {
            return wholeProcessors(task, index);
        }
        StringBuilder all = new StringBuilder(start);
        for (FieldError error : errors.list()) {
            all.append(error.message()).append(". ");
        }
        return all.toString();
    }

    /** As Kubernetes reads it: what the schema of a Job lets pass may be written in more than one way. */
    static ObjectNode typed(ObjectNode template) throws DecodingException {
        return TypedDecoder.decode(BuiltinTypes.instance(), TEMPLATE, template.deepCopy())
                .object();
    }

    private static String wholeProcessors(Task task, int index) {
        String policy = task.topologyPolicy();
        if (policy.isEmpty() || policy.equals("none")) {
            return "";
        }
        List<JsonNode> containers = new ArrayList<>();
        Json.listAt(task.template(), "spec", "containers").forEach(containers::add);
        Json.listAt(task.template(), "spec", "initContainers").forEach(containers::add);
        for (int i = 0; i < containers.size(); i++) {
            JsonNode requests = Json.at(containers.get(i), "resources", "requests");
            boolean none = requests == null || requests.isEmpty();
            Quantity cpu = Quantity.at(none ? Json.at(containers.get(i), "resources", "limits") : requests, "cpu");
            if (cpu.isZero() || cpu.value() * 1000 != cpu.milliValue()) {
                return "the cpu request isn't  an integer in spec.task[" + index + "] container[" + i + "].";
            }
        }
        return "";
    }

    static String partitions(Task task, VolcanoJob job) {
        Task.Partitions partitions = task.partitions();
        if (partitions == null) {
            return "";
        }
        String where = " in task: " + task.name() + ", job: " + job.name();
        String wrong = "";
        if (partitions.total() <= 0) {
            wrong = "'TotalPartitions' must be greater than 0" + where;
        } else if (partitions.size() <= 0) {
            wrong = "'PartitionSize' must be greater than 0" + where;
        } else if (task.replicas() != partitions.total() * partitions.size()) {
            wrong = "'Replicas' are not equal to TotalPartitions*PartitionSize" + where;
        } else if (partitions.min() > 0
                && task.minAvailable().isPresent()
                && task.minAvailable().getAsLong() != partitions.min() * partitions.size()) {
            wrong = "'MinAvailable' is not equal to MinPartitions*PartitionSize" + where;
        }
        return wrong + JobRules.topology(partitions.networkTopology());
    }
}
