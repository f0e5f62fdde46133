package lavaflow.jobs;

import java.util.List;
import java.util.Map;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Tells the device plugin of Ascend cards which process a pod is. */
final class HcclRankPlugin implements JobPlugin {
    static final String NAME = "hcclrank";
    static final Map<String, Object> DEFAULTS = Map.of("master", "master", "worker", "worker");

    private static final String RANK = "hccl/rankIndex";

    private final PluginArguments arguments;

    HcclRankPlugin(List<String> arguments) {
        this.arguments = new PluginArguments(arguments, DEFAULTS);
    }

    @Override
    public void onPod(VolcanoJob job, Task task, long index, ObjectNode pod) {
        if (!Json.textAt(pod, "metadata", "annotations", RANK).isEmpty()) {
            return;
        }
        String rank = said(pod);
        if (rank.isEmpty() && task.name().equals(arguments.text("master"))) {
            rank = Long.toString(index);
        } else if (rank.isEmpty() && task.name().equals(arguments.text("worker"))) {
            long masters =
                    job.findTask(arguments.text("master")).map(Task::replicas).orElse(0L);
            rank = Long.toString(masters + index);
        }
        if (!rank.isEmpty()) {
            Json.ensureObject(pod, "metadata", "annotations").put(RANK, rank);
        }
    }

    /** What another plugin or the template says; empty if neither does. */
    private static String said(ObjectNode pod) {
        for (ObjectNode container : PodParts.containers(pod)) {
            for (JsonNode variable : Json.listAt(container, "env")) {
                if (Json.textAt(variable, "name").equals("RANK")) {
                    return Json.textAt(variable, "value");
                }
            }
        }
        return "";
    }
}
