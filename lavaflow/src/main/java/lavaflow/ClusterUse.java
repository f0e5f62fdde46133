package lavaflow;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import lavaflow.batch.Batch;
import lavaflow.batch.GroupCounts;
import lavaflow.gang.Amounts;
import lavaflow.gang.FairShares;
import lavaflow.kube.Json;
import lavaflow.kube.PodRequests;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Who has and wants how much of a cluster, as a function of its objects. */
final class ClusterUse {
    private static final String GROUP_NAME = "scheduling.k8s.io/group-name";

    /**
     * A queue with everything below it.
     *
     * @param depth how many queues are above it
     * @param allocated what its pods on nodes take
     * @param requested that, and what those without a node and groups without pods wait for
     * @param deserved what it says, or else its part of what its parent deserves, by weight
     */
    record QueueUse(
            ObjectNode queue,
            int depth,
            GroupCounts groups,
            Map<String, Long> allocated,
            Map<String, Long> requested,
            Map<String, Long> deserved) {
        String name() {
            return Json.textAt(queue, "metadata", "name");
        }

        long waiting() {
            return groups.pending() + groups.inqueue();
        }

        /** The largest part of what it deserves that it has; without end if it has what it does not deserve. */
        double share() {
            double share = 0;
            for (Map.Entry<String, Long> each : allocated.entrySet()) {
                if (each.getValue() > 0 && !each.getKey().equals("pods")) {
                    share = Math.max(share, (double) each.getValue() / deserved.getOrDefault(each.getKey(), 0L));
                }
            }
            return share;
        }
    }

    /** A node and what its pods take. */
    record NodeUse(ObjectNode node, long pods, Map<String, Long> allocated, Map<String, Long> allocatable) {}

    private final Map<String, ObjectNode> queues = new TreeMap<>();
    private final Map<String, List<ObjectNode>> groups = new LinkedHashMap<>();
    private final Map<String, Map<String, Long>> allocated = new LinkedHashMap<>();
    private final Map<String, Map<String, Long>> requested = new LinkedHashMap<>();
    private final List<ObjectNode> pods;
    private final List<ObjectNode> nodes;

    ClusterUse(List<ObjectNode> queues, List<ObjectNode> groups, List<ObjectNode> pods, List<ObjectNode> nodes) {
        this.pods = pods;
        this.nodes = nodes;
        queues.forEach(queue -> this.queues.put(Json.textAt(queue, "metadata", "name"), queue));
        Map<String, String> queueOf = new LinkedHashMap<>();
        for (ObjectNode group : groups) {
            String said = Json.textAt(group, "spec", "queue");
            String queue = said.isEmpty() ? Batch.USUAL_QUEUE : said;
            queueOf.put(place(group, Json.textAt(group, "metadata", "name")), queue);
            this.groups.computeIfAbsent(queue, _ -> new ArrayList<>()).add(group);
        }
        countPods(queueOf);
    }

    private static String place(ObjectNode object, String name) {
        return Json.textAt(object, "metadata", "namespace") + "/" + name;
    }

    private void countPods(Map<String, String> queueOf) {
        Set<String> withPods = new HashSet<>();
        for (ObjectNode pod : pods) {
            String group = place(pod, Json.textAt(pod, "metadata", "annotations", GROUP_NAME));
            String queue = queueOf.get(group);
            if (queue != null && isLive(pod)) {
                withPods.add(group);
                add(requested, queue, request(pod));
                if (!Json.textAt(pod, "spec", "nodeName").isEmpty()) {
                    add(allocated, queue, request(pod));
                }
            }
        }
        groups.forEach((queue, all) -> {
            for (ObjectNode group : all) {
                boolean waits = !withPods.contains(place(group, Json.textAt(group, "metadata", "name")))
                        && !Json.textAt(group, "status", "phase").equals("Completed");
                if (waits) {
                    add(requested, queue, PodRequests.amounts(Json.at(group, "spec", "minResources")));
                }
            }
        });
    }

    private static boolean isLive(ObjectNode pod) {
        String phase = Json.textAt(pod, "status", "phase");
        return !phase.equals("Succeeded") && !phase.equals("Failed");
    }

    private static Map<String, Long> request(ObjectNode pod) {
        return PodRequests.of(Json.at(pod, "spec"));
    }

    private static void add(Map<String, Map<String, Long>> to, String key, Map<String, Long> amounts) {
        add(to.computeIfAbsent(key, _ -> new TreeMap<>()), amounts);
    }

    /** Only what nodes have: not what quotas count. */
    private static void add(Map<String, Long> to, Map<String, Long> amounts) {
        amounts.forEach((name, amount) -> {
            boolean counted = name.startsWith("count/") || name.startsWith("requests.") || name.startsWith("limits.");
            if (!counted) {
                to.merge(name, amount, Long::sum);
            }
        });
    }

    // ---- queues

    /** All queues, each before those below it. */
    List<QueueUse> queues() {
        List<QueueUse> all = new ArrayList<>();
        Map<String, Long> total = new TreeMap<>();
        nodes.forEach(node -> add(total, PodRequests.amounts(Json.at(node, "status", "allocatable"))));
        queues.forEach((name, queue) -> {
            String parent = Json.textAt(queue, "spec", "parent");
            boolean top = name.equals(Batch.ROOT) || (!parent.equals(Batch.ROOT) && !queues.containsKey(parent));
            if (top) {
                visit(queue, 0, total, all);
            }
        });
        all.sort(Comparator.comparing(each -> !each.name().equals(Batch.ROOT) && each.depth() == 0));
        return all;
    }

    private List<ObjectNode> children(String parent) {
        return queues.values().stream()
                .filter(each -> {
                    String above = Json.textAt(each, "spec", "parent");
                    String name = Json.textAt(each, "metadata", "name");
                    return !name.equals(Batch.ROOT) && (above.isEmpty() ? Batch.ROOT : above).equals(parent);
                })
                .toList();
    }

    private void visit(ObjectNode queue, int depth, Map<String, Long> deserved, List<QueueUse> all) {
        String name = Json.textAt(queue, "metadata", "name");
        all.add(new QueueUse(
                queue, depth, GroupCounts.ofGroups(below(name)), sum(allocated, name), sum(requested, name), deserved));
        List<ObjectNode> children = children(name);
        List<Map<String, Long>> parts = parts(children, deserved);
        for (int i = 0; i < children.size(); i++) {
            visit(children.get(i), depth + 1, parts.get(i), all);
        }
    }

    private List<ObjectNode> below(String name) {
        List<ObjectNode> all = new ArrayList<>(groups.getOrDefault(name, List.of()));
        children(name).forEach(child -> all.addAll(below(Json.textAt(child, "metadata", "name"))));
        return all;
    }

    private Map<String, Long> sum(Map<String, Map<String, Long>> of, String name) {
        Map<String, Long> sum = new TreeMap<>(of.getOrDefault(name, Map.of()));
        children(name).forEach(child -> add(sum, sum(of, Json.textAt(child, "metadata", "name"))));
        return sum;
    }

    /** What each of some queues deserves of what is there for all of them. */
    private List<Map<String, Long>> parts(List<ObjectNode> some, Map<String, Long> whole) {
        List<String> columns = new ArrayList<>(whole.keySet());
        List<FairShares.Party> parties = new ArrayList<>();
        for (ObjectNode queue : some) {
            parties.add(new FairShares.Party(
                    (int) Json.longAt(queue, 1, "spec", "weight"),
                    limit(Json.at(queue, "spec", "capability"), columns),
                    amounts(sum(requested, Json.textAt(queue, "metadata", "name")), columns),
                    amounts(PodRequests.amounts(Json.at(queue, "spec", "guarantee", "resource")), columns)));
        }
        FairShares.settle(amounts(whole, columns), parties);
        List<Map<String, Long>> parts = new ArrayList<>();
        for (int i = 0; i < some.size(); i++) {
            Map<String, Long> part = new TreeMap<>();
            for (int column = 0; column < columns.size(); column++) {
                part.put(
                        columns.get(column),
                        Math.round(parties.get(i).deserved().get(column)));
            }
            part.putAll(PodRequests.amounts(Json.at(some.get(i), "spec", "deserved")));
            parts.add(part);
        }
        return parts;
    }

    private static Amounts amounts(Map<String, Long> byName, List<String> columns) {
        Amounts amounts = Amounts.none();
        for (int column = 0; column < columns.size(); column++) {
            amounts.set(column, byName.getOrDefault(columns.get(column), 0L));
        }
        return amounts;
    }

    private static Amounts limit(@Nullable JsonNode capability, List<String> columns) {
        Map<String, Long> byName = PodRequests.amounts(capability);
        Amounts limit = Amounts.unlimited();
        for (int column = 0; column < columns.size(); column++) {
            Long most = byName.get(columns.get(column));
            if (most != null) {
                limit.set(column, most);
            }
        }
        return limit;
    }

    // ---- nodes

    List<NodeUse> nodes() {
        Map<String, Map<String, Long>> taken = new LinkedHashMap<>();
        Map<String, Long> counts = new LinkedHashMap<>();
        for (ObjectNode pod : pods) {
            String node = Json.textAt(pod, "spec", "nodeName");
            if (!node.isEmpty() && isLive(pod)) {
                add(taken, node, request(pod));
                counts.merge(node, 1L, Long::sum);
            }
        }
        List<NodeUse> all = new ArrayList<>();
        for (ObjectNode node : nodes) {
            String name = Json.textAt(node, "metadata", "name");
            all.add(new NodeUse(
                    node,
                    counts.getOrDefault(name, 0L),
                    taken.getOrDefault(name, Map.of()),
                    PodRequests.amounts(Json.at(node, "status", "allocatable"))));
        }
        return all;
    }
}
