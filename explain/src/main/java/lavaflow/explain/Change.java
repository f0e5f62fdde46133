package lavaflow.explain;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

import lavaflow.gang.GroupSpec;
import lavaflow.gang.MemberSpec;
import lavaflow.gang.QueueSpec;
import lavaflow.gang.Snapshot;
import lavaflow.placement.NodeTable;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Something that could be changed about a cluster. */
public sealed interface Change {
    /** What somebody has to do. */
    String text();

    /** The cluster with it. */
    Snapshot in(Snapshot cluster);

    /** The same for somebody who must not know what others' jobs are called. */
    static Change seenFrom(String namespace, Change change) {
        return switch (change) {
            case EndJob job ->
                new EndJob(Explanation.seenFrom(namespace, job.podGroup, "job"), job.queue, job.pods, job.frees);
            case EndPod pod -> new EndPod(Explanation.seenFrom(namespace, pod.pod, "pod"), "", pod.frees);
            default -> change;
        };
    }

    /**
     * A job ends, or is deleted.
     *
     * @param podGroup by namespace and name
     * @param pods how many take room
     * @param frees what they have
     */
    record EndJob(String podGroup, String queue, int pods, Map<String, Long> frees) implements Change {
        @Override
        public String text() {
            if (pods == 0) {
                return Explanation.job(podGroup) + " (queue " + queue
                        + "), which was let in and waits for room, must end";
            }
            return Explanation.job(podGroup) + " (queue " + queue + ", " + Amount.count(pods, "pod") + ") must end"
                    + (frees.isEmpty() ? "" : ", which frees " + Amount.list(frees));
        }

        @Override
        public Snapshot in(Snapshot cluster) {
            return cluster.without(Set.of(podGroup), Set.of());
        }
    }

    /** A pod of no gang ends. */
    record EndPod(String pod, String uid, Map<String, Long> frees) implements Change {
        @Override
        public String text() {
            return (pod.startsWith("a ") ? pod : "pod " + pod) + " must end, which frees " + Amount.list(frees);
        }

        @Override
        public Snapshot in(Snapshot cluster) {
            return cluster.without(Set.of(), Set.of(uid));
        }
    }

    /**
     * More pods are made for a gang.
     *
     * @param podGroup by namespace and name
     * @param like one of its pods
     */
    record MakePods(String podGroup, int count, MemberSpec like) implements Change {
        @Override
        public String text() {
            return "make " + count + " more " + (like.role().isEmpty() ? "" : like.role() + " ")
                    + (count == 1 ? "pod" : "pods") + " like " + like.pod().name();
        }

        @Override
        public Snapshot in(Snapshot cluster) {
            List<MemberSpec> made = new ArrayList<>();
            for (int i = 1; i <= count; i++) {
                made.add(like.another(like.pod().name() + "-more-" + i));
            }
            return cluster.withMembers(made);
        }
    }

    /**
     * A gang needs fewer pods to begin.
     *
     * @param podGroup by namespace and name
     * @param role whose minimum it is; empty for that of the whole gang
     */
    record LowerMinimum(String podGroup, String role, int from, int to) implements Change {
        @Override
        public String text() {
            String job = Explanation.job(podGroup);
            boolean ofJob = !job.equals(podGroup);
            String what = role.isEmpty()
                    ? (ofJob ? "minAvailable" : "minMember")
                    : (ofJob ? "minAvailable of task " : "minTaskMember of role ") + role;
            return "lower the " + what + " of " + (ofJob ? "job " : "PodGroup ") + job + " from " + from + " to " + to;
        }

        @Override
        public Snapshot in(Snapshot cluster) {
            for (GroupSpec group : cluster.groups()) {
                if (group.key().equals(podGroup)) {
                    Map<String, Integer> byRole = new LinkedHashMap<>(group.minTaskMember());
                    byRole.replace(role, to);
                    return cluster.withGroup(group.needing(role.isEmpty() ? to : group.minMember(), byRole));
                }
            }
            return cluster;
        }
    }

    record CreateQueue(String queue) implements Change {
        @Override
        public String text() {
            return "create queue " + queue;
        }

        @Override
        public Snapshot in(Snapshot cluster) {
            return cluster.withQueue(QueueSpec.plain(queue, cluster.now()));
        }
    }

    record OpenQueue(String queue) implements Change {
        @Override
        public String text() {
            return "open queue " + queue;
        }

        @Override
        public Snapshot in(Snapshot cluster) {
            return changed(cluster, queue, QueueSpec::opened);
        }
    }

    /**
     * A limit of a queue is lifted.
     *
     * @param field capability or deserved
     * @param to -1 for no limit
     */
    record RaiseLimit(String queue, String field, String resource, long from, long to) implements Change {
        RaiseLimit to(long other) {
            return new RaiseLimit(queue, field, resource, from, other);
        }

        @Override
        public String text() {
            String what = field + " of queue " + queue;
            return to < 0
                    ? "remove " + resource + " from the " + what
                    : "raise the " + what + " from " + Amount.of(resource, from) + " to " + Amount.number(resource, to);
        }

        @Override
        public Snapshot in(Snapshot cluster) {
            return changed(cluster, queue, spec -> {
                boolean limit = field.equals("capability");
                Map<String, Long> amounts = new TreeMap<>(limit ? spec.capability() : spec.deserved());
                if (to < 0) {
                    amounts.remove(resource);
                } else {
                    amounts.put(resource, to);
                }
                return limit ? spec.limitedTo(amounts) : spec.deserving(amounts);
            });
        }
    }

    record RaiseWeight(String queue, int from, int to) implements Change {
        @Override
        public String text() {
            return "raise the weight of queue " + queue + " from " + from + " to " + to;
        }

        @Override
        public Snapshot in(Snapshot cluster) {
            return changed(cluster, queue, spec -> spec.weighing(to));
        }
    }

    /** Pods may be put on a node again. */
    record Uncordon(String node) implements Change {
        @Override
        public String text() {
            return "uncordon node " + node;
        }

        @Override
        public Snapshot in(Snapshot cluster) {
            return cluster.changingNodes(each -> each.name().equals(node) ? each.schedulable() : each);
        }
    }

    /**
     * Nodes join.
     *
     * @param like the node they are like; empty if there is none such yet
     */
    record AddNodes(int count, NodeTable.Node shape, String like) implements Change {
        private static final String HOST = "kubernetes.io/hostname";

        AddNodes times(int other) {
            return new AddNodes(other, shape, like);
        }

        /** What each has, without what every node has. */
        Map<String, Long> amounts() {
            Map<String, Long> amounts = new TreeMap<>(shape.allocatable());
            amounts.values().removeIf(amount -> amount == 0);
            return amounts;
        }

        /** Those that they have in common. */
        ObjectNode labels() {
            ObjectNode labels = shape.labels().deepCopy();
            labels.remove(HOST);
            return labels;
        }

        @Override
        public String text() {
            Map<String, Long> amounts = amounts();
            amounts.remove("pods");
            String what = Amount.count(count, "more node")
                    + (like.isEmpty() ? "" : " like " + like)
                    + (count == 1 ? " with " : " with each ")
                    + Amount.list(amounts);
            String marks = like.isEmpty() && !labels().isEmpty() ? " and the labels " + labels() : "";
            return "add " + what + marks;
        }

        @Override
        public Snapshot in(Snapshot cluster) {
            return cluster.withNodes(made());
        }

        List<NodeTable.Node> made() {
            List<NodeTable.Node> nodes = new ArrayList<>();
            for (int i = 1; i <= count; i++) {
                String name =
                        "new-" + (like.isEmpty() ? "node" : like) + "-" + Math.abs(shape.hashCode() % 1000) + "-" + i;
                ObjectNode labels = labels().put(HOST, name);
                nodes.add(new NodeTable.Node(
                        name,
                        labels,
                        shape.taints(),
                        false,
                        true,
                        shape.allocatable(),
                        shape.annotations(),
                        List.of()));
            }
            return nodes;
        }

        static NodeTable.Node shape(Map<String, Long> amounts, ObjectNode labels) {
            return new NodeTable.Node("", labels, List.of(), false, true, new TreeMap<>(amounts), Map.of(), List.of());
        }
    }

    private static Snapshot changed(Snapshot cluster, String queue, UnaryOperator<QueueSpec> change) {
        for (QueueSpec spec : cluster.queues()) {
            if (spec.name().equals(queue)) {
                return cluster.withQueue(change.apply(spec));
            }
        }
        return cluster;
    }
}
