package lavaflow.gang;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;
import lavaflow.placement.Attempt;
import lavaflow.placement.ClusterState;
import lavaflow.placement.NodeTable;
import lavaflow.placement.PodClass;
import lavaflow.placement.Rules;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What plugins say of nodes: which are acceptable for a pod, and how good they are. */
final class NodeVotes {
    private final ClusterState cluster;
    private final NodeTable nodes;
    private final List<Plugin.NodeScore> scores;
    private final List<Plugin.MemberScore> memberScores;
    private final List<Plugin.BatchScore> batchScores;
    private final List<Plugin.Filter> filters;
    private final List<Plugin.Notes> notes;
    private final @Nullable Rules rules;

    NodeVotes(Seats seats, ClusterState cluster) {
        this.cluster = cluster;
        this.nodes = cluster.nodes();
        scores = seats.all(Plugin.NodeScore.class, Callback.NODE_ORDER);
        memberScores = seats.all(Plugin.MemberScore.class, Callback.NODE_ORDER);
        batchScores = seats.all(Plugin.BatchScore.class, Callback.NODE_ORDER);
        filters = seats.all(Plugin.Filter.class, Callback.PREDICATE);
        notes = seats.all(Plugin.Notes.class, null);
        rules = seats.all(Plugin.Predicates.class, Callback.PREDICATE).stream()
                .map(Plugin.Predicates::rules)
                .findFirst()
                .orElse(null);
    }

    /** The nodes as a pod sees them by kube-scheduler's rules; null if these do not count. */
    @Nullable
    Attempt attempt(Member member) {
        return rules == null ? null : new Attempt(cluster, member.spec.pod(), member.type, rules);
    }

    /** What is missing on a node for a pod, in Volcano's words; empty if nothing is. */
    List<String> missing(Member member, int slot) {
        return nodes.missing(member.type, slot).stream()
                .map(word -> word.equals(NodeTable.TOO_MANY_PODS) ? "node(s) pod number exceeded" : word)
                .toList();
    }

    /** Whether a node is acceptable whatever runs there. */
    boolean accepts(PodClass type, int slot) {
        return rules == null || type.choice.refusal(nodes, slot, rules) == null;
    }

    /** What plugins care about in a pod when they look at nodes; null if no answer can be kept. */
    @Nullable
    List<Object> scopes(Member member) {
        for (Plugin.BatchScore plugin : batchScores) {
            if (plugin.concerns(member)) {
                return null;
            }
        }
        List<Object> found = new ArrayList<>(0);
        for (int i = 0; i < filters.size() + memberScores.size(); i++) {
            Plugin.Scope scope = i < filters.size()
                    ? filters.get(i).scope(member)
                    : memberScores.get(i - filters.size()).scope(member);
            if (scope instanceof Plugin.Scope.Wide) {
                return null;
            }
            if (!(scope instanceof Plugin.Scope.None)) {
                found.add(i);
                found.add(scope);
            }
        }
        return found;
    }

    /** Why plugins refuse a node; null if none does. */
    Plugin.@Nullable Refusal refusal(Member member, int slot) {
        for (Plugin.Filter plugin : filters) {
            Plugin.Refusal refusal = plugin.refusal(member, slot);
            if (refusal != null) {
                return refusal;
            }
        }
        return null;
    }

    /** How good a node is for pods of a class that are not remarkable otherwise. */
    double score(PodClass type, int slot) {
        double sum = 0;
        for (Plugin.NodeScore plugin : scores) {
            sum += plugin.score(type, slot);
        }
        return sum;
    }

    /** How good a node is, regardless of others. */
    double score(Member member, int slot) {
        double sum = score(member.type, slot);
        for (Plugin.MemberScore plugin : memberScores) {
            sum += plugin.score(member, slot);
        }
        return sum;
    }

    /** How good nodes are among others. */
    double[] scores(Member member, int[] slots) {
        double[] sums = new double[slots.length];
        for (int i = 0; i < slots.length; i++) {
            sums[i] = score(member, slots[i]);
        }
        for (Plugin.BatchScore plugin : batchScores) {
            if (plugin.concerns(member)) {
                plugin.score(member, slots, sums);
            }
        }
        return sums;
    }

    /** What is written on a pod when it is given its node. */
    ObjectNode annotations(Member member) {
        ObjectNode annotations = Json.object();
        for (Plugin.Notes plugin : notes) {
            plugin.annotate(member, annotations);
        }
        return annotations;
    }

    Decision bind(Member member) {
        return new Decision.Bind(member, nodes.node(member.slot).name(), annotations(member));
    }
}
