package lavaflow.training;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** The PodGroup of a job. */
public final class GroupForm {
    private static final String LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

    private GroupForm() {}

    /**
     * Some pods of one type.
     *
     * @param priorityClass of the pods, empty for none
     */
    public record Share(int count, ObjectNode template, String priorityClass) {
        static Share of(TrainingJob.Replica replica) {
            return new Share(
                    replica.count(), replica.template(), Json.textAt(replica.template(), "spec", "priorityClassName"));
        }
    }

    /**
     * What is asked for.
     *
     * @param policy what the job says about it; null for nothing
     * @param queue where the policy names none
     * @param priorityClass where the policy names none
     */
    public record Wish(
            ObjectNode job, List<Share> shares, @Nullable ObjectNode policy, String queue, String priorityClass) {
        static Wish of(TrainingJob job) {
            return new Wish(
                    job.object(),
                    job.replicas().stream().map(Share::of).toList(),
                    job.policy().scheduling(),
                    "default",
                    "");
        }

        int total() {
            return shares.stream().mapToInt(Share::count).sum();
        }
    }

    /**
     * The PodGroup of a job.
     *
     * @param priorities what a PriorityClass is worth, 0 for one that is not there
     */
    public static ObjectNode group(Wish wish, Gang gang, ToLongFunction<String> priorities) {
        boolean plugins = gang.sort() == Gang.Sort.PLUGINS;
        String apiVersion = plugins ? "scheduling.x-k8s.io/v1alpha1" : "scheduling.volcano.sh/v1beta1";
        ObjectNode group = Training.owned(wish.job(), apiVersion, "PodGroup", Training.name(wish.job()));
        ObjectNode annotations = Json.objectAt(wish.job(), "metadata", "annotations");
        if (annotations != null) {
            ObjectNode copied = annotations.deepCopy();
            copied.remove(List.of(LAST_APPLIED, Training.REPLACED));
            if (!copied.isEmpty()) {
                Json.ensureObject(group, "metadata").set("annotations", copied);
            }
        }
        ObjectNode spec = group.putObject("spec");
        wanted(wish, gang, priorities).properties().forEach(each -> spec.set(each.getKey(), each.getValue()));
        if (!plugins) {
            String queue = Json.textAt(wish.policy(), "queue");
            String chosen = queue.isEmpty() ? wish.queue() : queue;
            if (!chosen.isEmpty()) {
                spec.put("queue", chosen);
            }
        }
        return group;
    }

    /** The fields that follow the job as long as both are there. The queue does not: pods are counted in it. */
    private static ObjectNode wanted(Wish wish, Gang gang, ToLongFunction<String> priorities) {
        ObjectNode spec = Json.object();
        long least = Json.longAt(wish.policy(), wish.total(), "minAvailable");
        spec.put("minMember", least);
        ObjectNode resources = Json.objectAt(wish.policy(), "minResources");
        ObjectNode amount = resources == null
                ? resources((int) Math.min(least, Integer.MAX_VALUE), wish, priorities)
                : resources.deepCopy();
        // Without it Volcano does not ask queues whether there is room.
        if (!amount.isEmpty() || gang.sort() == Gang.Sort.VOLCANO) {
            spec.set("minResources", amount);
        }
        if (gang.sort() == Gang.Sort.PLUGINS) {
            Long timeout = RunPolicy.number(wish.policy(), "scheduleTimeoutSeconds");
            if (timeout != null) {
                spec.put("scheduleTimeoutSeconds", timeout);
            }
        } else {
            String priority = Json.textAt(wish.policy(), "priorityClass");
            String chosen = priority.isEmpty() ? wish.priorityClass() : priority;
            if (!chosen.isEmpty()) {
                spec.put("priorityClassName", chosen);
            }
        }
        return spec;
    }

    /** What differs between a group and what it should be; null if nothing does. What others added stays. */
    static @Nullable ObjectNode change(ObjectNode group, Wish wish, Gang gang, ToLongFunction<String> priorities) {
        ObjectNode patch = Json.object();
        wanted(wish, gang, priorities).properties().forEach(each -> {
            if (!each.getValue().equals(Json.at(group, "spec", each.getKey()))) {
                patch.set(each.getKey(), each.getValue());
            }
        });
        if (patch.isEmpty()) {
            return null;
        }
        ObjectNode whole = Json.object();
        whole.putObject("metadata").put("uid", Training.uid(group));
        if (patch.get("minResources") instanceof ObjectNode amounts) {
            ObjectNode before = Json.objectAt(group, "spec", "minResources");
            if (before != null) {
                before.fieldNames().forEachRemaining(name -> {
                    if (!amounts.has(name)) {
                        amounts.putNull(name);
                    }
                });
            }
        }
        whole.set("spec", patch);
        return whole;
    }

    /** What the first so many pods request, those of the highest priority first. */
    private static ObjectNode resources(int least, Wish wish, ToLongFunction<String> priorities) {
        List<Share> shares = new ArrayList<>(wish.shares());
        shares.sort(Comparator.comparingLong((Share share) -> -priorities.applyAsLong(share.priorityClass())));
        Map<String, Quantity> sum = new TreeMap<>();
        int left = least;
        for (Share share : shares) {
            int taken = Math.min(left, share.count());
            left -= taken;
            Map<String, Quantity> each = requests(share.template());
            for (int i = 0; i < taken; i++) {
                each.forEach((name, amount) -> sum.merge(name, amount, Quantity::plus));
            }
        }
        ObjectNode amounts = Json.object();
        sum.forEach((name, amount) -> amounts.put(name, amount.toString()));
        return amounts;
    }

    private static Map<String, Quantity> requests(ObjectNode template) {
        Map<String, Quantity> sum = new TreeMap<>();
        for (JsonNode container : Json.listAt(template, "spec", "containers")) {
            Map<String, Quantity> own = new TreeMap<>();
            add(own, Json.objectAt(container, "resources", "limits"));
            add(own, Json.objectAt(container, "resources", "requests"));
            own.forEach((name, amount) -> sum.merge(name, amount, Quantity::plus));
        }
        return sum;
    }

    private static void add(Map<String, Quantity> amounts, @Nullable ObjectNode list) {
        if (list == null) {
            return;
        }
        list.properties().forEach(each -> {
            try {
                amounts.put(each.getKey(), Quantity.fromJson(each.getValue()));
            } catch (MalformedException _) {
                // Told by the server when the pod is made.
            }
        });
    }
}
