package lavaflow.explain;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import lavaflow.explain.Change.AddNodes;
import lavaflow.gang.Gang;
import lavaflow.gang.GangCore;
import lavaflow.gang.Inquiry;
import lavaflow.gang.Member;
import lavaflow.kube.Json;
import lavaflow.placement.NodeTable;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Which nodes a gang lacks: more of those there are where they would do, else such as its pods describe. */
final class NewNodes {
    private static final String PODS = "pods";
    /** More new nodes than that are not tried. */
    private static final int MANY = 1000;

    private final Laboratory laboratory;
    private final GangCore core;
    private final Gang gang;

    NewNodes(Laboratory laboratory, GangCore core, Gang gang) {
        this.laboratory = laboratory;
        this.core = core;
        this.gang = gang;
    }

    /** Empty if nodes do not help. */
    List<Change> remedy(List<Change> fixed) {
        List<AddNodes> wanted = core.inquire(
                laboratory.cluster().now(), inquiry -> gang.members().isEmpty() ? forAll(inquiry) : byKind(inquiry));
        if (wanted.isEmpty() || !laboratory.goesOn() || !laboratory.frees(Laboratory.joined(fixed, wanted))) {
            return List.of();
        }
        List<Change> needed = laboratory.fewest(fixed, new ArrayList<>(wanted));
        for (int i = 0; i < needed.size(); i++) {
            if (needed.get(i) instanceof AddNodes nodes && nodes.count() > 1) {
                int place = i;
                List<Change> now = needed;
                long least = laboratory.least(0, nodes.count(), 1, count -> {
                    List<Change> fewer = new ArrayList<>(now);
                    fewer.set(place, nodes.times(Math.toIntExact(count)));
                    return laboratory.frees(Laboratory.joined(fixed, fewer));
                });
                needed.set(i, nodes.times(Math.toIntExact(least)));
            }
        }
        return Laboratory.joined(fixed, needed);
    }

    /** What the cluster lacks for a gang whose pods nobody has made yet: such nodes as there are, or one that has it all. */
    private List<AddNodes> forAll(Inquiry inquiry) {
        Map<String, Long> missing = new TreeMap<>();
        for (Finding each : Stages.tooLittle(inquiry, gang, laboratory.cluster())) {
            if (each instanceof Finding.TooLittle little) {
                missing.put(little.resource(), little.missing());
            }
        }
        if (missing.isEmpty()) {
            return List.of();
        }
        missing.put(PODS, (long) Math.max(1, gang.spec().minMember()));
        AddNodes fewest = new AddNodes(1, AddNodes.shape(missing, Json.object()), "");
        int most = MANY;
        for (NodeTable.Node node : laboratory.cluster().nodes()) {
            int count = thatHave(missing, node, most);
            boolean better = count < most
                    || (count == most && !fewest.like().isEmpty() && node.name().compareTo(fewest.like()) < 0);
            if (better) {
                fewest = new AddNodes(count, node, node.name());
                most = count;
            }
        }
        return List.of(fewest);
    }

    /** How many like a node have so much; a number above the limit where that is beyond it. */
    private static int thatHave(Map<String, Long> amounts, NodeTable.Node node, int limit) {
        long count = 1;
        for (Map.Entry<String, Long> each : amounts.entrySet()) {
            long has = node.allocatable().getOrDefault(each.getKey(), 0L);
            count = has <= 0 ? Long.MAX_VALUE : Math.max(count, Math.ceilDiv(each.getValue(), has));
        }
        return (int) Math.min(count, limit + 1L);
    }

    private List<AddNodes> byKind(Inquiry inquiry) {
        // Kinds that want the same nodes share them.
        Map<NodeTable.Node, AddNodes> wanted = new LinkedHashMap<>();
        for (Inquiry.Fitting each : inquiry.fitting(gang)) {
            int lacking = each.kind().pods() - each.fitting();
            if (lacking > 0 && each.hopeless().isEmpty()) {
                NodeTable.Node like = template(inquiry, each.kind());
                NodeTable.Node shape = like == null ? described(each.kind()) : like;
                AddNodes nodes = new AddNodes(lacking, shape, like == null ? "" : like.name());
                wanted.merge(shape, nodes, (one, other) -> one.times(one.count() + other.count()));
            }
        }
        return List.copyOf(wanted.values());
    }

    /** The node that would take most pods of a kind if it were empty; null if none would take any. */
    private NodeTable.@Nullable Node template(Inquiry inquiry, Inquiry.Kind kind) {
        NodeTable.Node best = null;
        long most = 0;
        for (NodeTable.Node node : laboratory.cluster().nodes()) {
            long pods = capacity(node, kind.request());
            boolean better =
                    pods > most || (pods == most && best != null && node.name().compareTo(best.name()) < 0);
            if (pods > 0 && better && inquiry.wouldTake(gang, kind.first(), node.name())) {
                best = node;
                most = pods;
            }
        }
        return best;
    }

    private static long capacity(NodeTable.Node node, Map<String, Long> request) {
        long pods = node.allocatable().getOrDefault(PODS, 0L);
        for (Map.Entry<String, Long> each : request.entrySet()) {
            pods = Math.min(pods, node.allocatable().getOrDefault(each.getKey(), 0L) / each.getValue());
        }
        return pods;
    }

    /** A node for one pod, with the labels it asks for. */
    private NodeTable.Node described(Inquiry.Kind kind) {
        Map<String, Long> amounts = new TreeMap<>(kind.request());
        amounts.put(PODS, 1L);
        ObjectNode labels = Json.object();
        for (Member member : gang.members()) {
            if (member.spec().pod().name().equals(kind.first())) {
                labels = labels(member.spec().pod().key());
            }
        }
        return AddNodes.shape(amounts, labels);
    }

    /** The labels of a node that a pod asks for. */
    static ObjectNode labels(ObjectNode pod) {
        ObjectNode labels = Json.object();
        affinity(pod, labels);
        ObjectNode selector = Json.objectAt(pod, "nodeSelector");
        if (selector != null) {
            labels.setAll(selector);
        }
        return labels;
    }

    /** What the first of its alternatives asks for, as far as labels can satisfy it. */
    private static void affinity(ObjectNode pod, ObjectNode labels) {
        JsonNode terms = Json.listAt(
                pod, "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms");
        if (terms.isEmpty()) {
            return;
        }
        for (JsonNode each : Json.listAt(terms.get(0), "matchExpressions")) {
            String value = Json.listAt(each, "values").isEmpty()
                    ? ""
                    : Json.listAt(each, "values").get(0).asText();
            switch (Json.textAt(each, "operator")) {
                case "In", "Exists" -> labels.put(Json.textAt(each, "key"), value);
                default -> {}
            }
        }
    }
}
