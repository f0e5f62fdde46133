package lavaflow.jobs;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Tells every container which pod of its task it is in, under the old name and the new one. */
final class EnvPlugin implements JobPlugin {
    @Override
    public void onPod(VolcanoJob job, Task task, long index, ObjectNode pod) {
        for (ObjectNode container : PodParts.allContainers(pod)) {
            PodParts.environment(container, "VK_TASK_INDEX", Long.toString(index));
            PodParts.environment(container, "VC_TASK_INDEX", Long.toString(index));
        }
    }
}
