package lavaflow.trainer;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

import lavaflow.kube.Json;
import lavaflow.kube.Quantity;
import lavaflow.training.Gang;
import lavaflow.training.GroupForm;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Which pods of a TrainJob start together. Pods that must have ended before others come cannot wait for those, so they are no part of it; pods
 * that come when others are ready are, but nobody waits for them.
 *
 * @param gang as its runtime says, else as is usual
 * @param first those that start together
 * @param later those that come once the first are ready
 */
record TrainGang(Gang gang, List<PodSet> first, List<PodSet> later) {
    private static final String QUEUE = "scheduling.volcano.sh/queue-name";

    static TrainGang of(Blueprint blueprint, Gang usual) {
        Set<String> before = before(blueprint);
        List<PodSet> first = new ArrayList<>();
        List<PodSet> later = new ArrayList<>();
        for (PodSet set : blueprint.sets()) {
            if (before.contains(set.name())) {
                continue;
            }
            boolean waits = false;
            for (JsonNode each : Json.listAt(set.job(), "dependsOn")) {
                waits |= !before.contains(Json.textAt(each, "name"));
            }
            (waits ? later : first).add(set);
        }
        Gang gang = chosen(blueprint.groupPolicy(), usual);
        boolean elsewhere = first.stream().allMatch(set -> isElsewhere(set, gang, blueprint.name()));
        return new TrainGang(elsewhere ? Gang.NONE : gang, first, later);
    }

    /** Those that others need to have ended, and whatever these need. */
    private static Set<String> before(Blueprint blueprint) {
        Set<String> before = new HashSet<>();
        List<PodSet> sets = blueprint.sets();
        for (int i = sets.size() - 1; i >= 0; i--) { // nobody depends on one that stands behind it
            PodSet set = sets.get(i);
            for (JsonNode each : Json.listAt(set.job(), "dependsOn")) {
                if (before.contains(set.name()) || Json.textAt(each, "status").equals("Complete")) {
                    before.add(Json.textAt(each, "name"));
                }
            }
        }
        return before;
    }

    private static Gang chosen(@Nullable ObjectNode policy, Gang usual) {
        Gang.Sort sort = Json.at(policy, "volcano") != null
                ? Gang.Sort.VOLCANO
                : Json.at(policy, "coscheduling") != null ? Gang.Sort.PLUGINS : usual.sort();
        return sort == usual.sort() ? usual : new Gang(sort, "");
    }

    /** Pods that name another scheduler, or a group of their own, go their own way. */
    private static boolean isElsewhere(PodSet set, Gang gang, String job) {
        String scheduler = Json.textAt(set.podSpec(), "schedulerName");
        String group = Json.textAt(set.template(), "metadata", "annotations", Gang.GROUP_NAME);
        boolean other = !scheduler.isEmpty() && !gang.scheduler().isEmpty() && !scheduler.equals(gang.scheduler());
        return other || (!group.isEmpty() && !group.equals(job));
    }

    boolean isOn() {
        return gang.isOn();
    }

    /** Makes the pods its members. */
    void decorate(String job) {
        for (List<PodSet> sets : List.of(first, later)) {
            sets.forEach(set -> gang.decorate(set.template(), job, set.name()));
        }
    }

    /** @param priorities what a PriorityClass is worth */
    ObjectNode group(Blueprint blueprint, ToLongFunction<String> priorities) {
        List<GroupForm.Share> shares = new ArrayList<>();
        String priority = "";
        for (PodSet set : first) {
            String own = Json.textAt(set.podSpec(), "priorityClassName");
            priority = own.isEmpty() ? priority : own;
            shares.add(new GroupForm.Share(pods(set), set.template(), own));
        }
        ObjectNode policy = Json.object();
        policy.set("minResources", needs());
        ObjectNode said = blueprint.groupPolicy();
        if (Json.at(said, "coscheduling") != null) {
            policy.put("scheduleTimeoutSeconds", Json.longAt(said, 60, "coscheduling", "scheduleTimeoutSeconds"));
        }
        String queue = Json.textAt(blueprint.annotations(), QUEUE);
        queue = queue.isEmpty() ? Json.textAt(blueprint.trainJob(), "metadata", "annotations", QUEUE) : queue;
        ObjectNode group = GroupForm.group(
                new GroupForm.Wish(blueprint.trainJob(), shares, policy, queue.isEmpty() ? "default" : queue, priority),
                gang,
                priorities);
        ObjectNode topology = Json.objectAt(said, "volcano", "networkTopology");
        if (topology != null) {
            Json.ensureObject(group, "spec").set("networkTopology", topology.deepCopy());
        }
        return group;
    }

    private ObjectNode needs() {
        Map<String, Quantity> sum = new TreeMap<>();
        first.forEach(set -> PodNeeds.addAll(sum, set.podSpec(), pods(set)));
        ObjectNode needs = Json.object();
        sum.forEach((name, amount) -> needs.put(name, amount.toString()));
        return needs;
    }

    private static int pods(PodSet set) {
        return (int) (set.count() * Json.longAt(set.job(), 1, "replicas"));
    }
}
