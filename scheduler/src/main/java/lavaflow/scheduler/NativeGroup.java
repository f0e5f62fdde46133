package lavaflow.scheduler;

import java.time.Instant;

import lavaflow.gang.GroupStatus;
import lavaflow.kube.GoTime;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Kubernetes' own PodGroup ({@code scheduling.k8s.io}), which knows less of gangs than Volcano's: nothing of queues, roles or phases. */
final class NativeGroup {
    private static final String SCHEDULED = "PodGroupScheduled";
    /** A queue other than the usual one, as for pods that come without a group. */
    private static final String QUEUE = "scheduling.volcano.sh/queue-name";

    private NativeGroup() {}

    /** Whether a pod is of such a group. Servers drop the field where they do not serve the kind. */
    static boolean hasOne(ObjectNode pod) {
        return !Json.textAt(pod, "spec", "schedulingGroup", "podGroupName").isEmpty();
    }

    /** Says the same in Volcano's form. Without a policy of gangs, every pod is placed for itself. */
    static ObjectNode inVolcanosForm(ObjectNode group) {
        ObjectNode form = Json.object();
        JsonNode metadata = Json.at(group, "metadata");
        if (metadata != null) {
            form.set("metadata", metadata);
        }
        ObjectNode spec = form.putObject("spec");
        spec.put("minMember", Json.longAt(group, 1, "spec", "schedulingPolicy", "gang", "minCount"));
        spec.put("priorityClassName", Json.textAt(group, "spec", "priorityClassName"));
        spec.put("queue", Json.textAt(metadata, "annotations", QUEUE));
        // Nobody has to be asked whether it may enter.
        ObjectNode status = form.putObject("status").put("phase", "Inqueue");
        status.set("conditions", Json.listAt(group, "status", "conditions"));
        return form;
    }

    /** What is told of a gang; null if that is known, or nothing is to be said. Who was scheduled once stays so, as upstream. */
    static @Nullable ObjectNode condition(
            GroupStatus.@Nullable Condition found, JsonNode before, long generation, Instant now) {
        if (found == null) {
            return null;
        }
        boolean scheduled = found.type().equals("Scheduled");
        ObjectNode condition = Json.object().put("type", SCHEDULED).put("status", scheduled ? "True" : "False");
        condition.put("observedGeneration", generation);
        String since = GoTime.seconds(now);
        for (JsonNode each : before) {
            if (!Json.textAt(each, "type").equals(SCHEDULED)) {
                continue;
            }
            boolean was = Json.textAt(each, "status").equals("True");
            if (was || (!scheduled && Json.textAt(each, "message").equals(found.message()))) {
                return null;
            }
            since = was == scheduled ? Json.textAt(each, "lastTransitionTime") : since;
        }
        return condition
                .put("lastTransitionTime", since)
                .put("reason", scheduled ? "Scheduled" : "Unschedulable")
                .put("message", found.message());
    }
}
