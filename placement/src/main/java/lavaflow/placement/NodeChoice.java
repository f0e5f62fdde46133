package lavaflow.placement;

import java.util.Arrays;
import java.util.List;
import java.util.Set;

import lavaflow.kube.Json;
import lavaflow.kube.NodeAffinity;
import lavaflow.kube.Taint;
import lavaflow.kube.Toleration;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Which nodes pods accept by what a node is, not by what runs there: cordons, taints, labels. Answers are remembered until
 * the node changes, and shared by all classes of pods that ask the same.
 */
public final class NodeChoice {
    final ObjectNode key;
    final NodeAffinity affinity;
    final List<Toleration> tolerations;
    /** The only nodes that can fit; null if any might. */
    final @Nullable Set<String> names;
    /** How many classes share it. */
    int classes;

    /** Null where the node fits. */
    private @Nullable Reason[] verdicts = new @Nullable Reason[0];

    private int[] versions = new int[0];

    NodeChoice(ObjectNode key) {
        this.key = key;
        this.affinity = NodeAffinity.of(key);
        this.tolerations = Toleration.of(key);
        this.names = affinity.names();
    }

    /** Something no node can help with; null if there is nothing such. */
    @Nullable
    String hopeless() {
        return names != null && names.isEmpty() ? "pod affinity terms conflict" : null;
    }

    static ObjectNode key(ObjectNode classKey) {
        ObjectNode key = Json.object();
        for (String field : List.of("nodeSelector", "tolerations")) {
            JsonNode value = classKey.get(field);
            if (value != null) {
                key.set(field, value);
            }
        }
        JsonNode affinity = Json.at(classKey, "affinity", "nodeAffinity");
        if (affinity != null) {
            key.putObject("affinity").set("nodeAffinity", affinity);
        }
        return key;
    }

    /** Null if the node is acceptable. */
    @Nullable
    public Reason refusal(NodeTable nodes, int slot) {
        if (slot >= verdicts.length) {
            verdicts = Arrays.copyOf(verdicts, nodes.slots());
            versions = Arrays.copyOf(versions, nodes.slots());
        }
        int version = nodes.version(slot);
        if (versions[slot] != version) {
            verdicts[slot] = judge(nodes.node(slot), Rules.ALL);
            versions[slot] = version;
        }
        return verdicts[slot];
    }

    /** The same where not all rules hold, which nobody remembers. */
    @Nullable
    public Reason refusal(NodeTable nodes, int slot, Rules rules) {
        return rules.allOfNode() ? refusal(nodes, slot) : judge(nodes.node(slot), rules);
    }

    private @Nullable Reason judge(NodeTable.Node node, Rules rules) {
        if (rules.nodeAffinity() && names != null && !names.contains(node.name())) {
            return Reason.NOT_NAMED;
        }
        if (node.unschedulable() && !Toleration.anyTolerates(tolerations, Taint.UNSCHEDULABLE)) {
            return Reason.UNSCHEDULABLE;
        }
        if (rules.taints() && !toleratesAll(node)) {
            return Reason.TAINTED;
        }
        return !rules.nodeAffinity() || affinity.accepts(node.name(), node.labels()) ? null : Reason.AFFINITY;
    }

    boolean toleratesAll(NodeTable.Node node) {
        for (Taint taint : node.taints()) {
            if (taint.keepsOff() && !Toleration.anyTolerates(tolerations, taint)) {
                return false;
            }
        }
        return true;
    }

    boolean accepts(NodeTable.Node node) {
        return affinity.acceptsAll() || affinity.accepts(node.name(), node.labels());
    }

    /** How many taints ask the pod to go elsewhere if it can. */
    int dislikes(NodeTable.Node node) {
        int count = 0;
        for (Taint taint : node.taints()) {
            if (taint.effect().equals(Taint.PREFER_NO_SCHEDULE) && !Toleration.anyTolerates(tolerations, taint)) {
                count++;
            }
        }
        return count;
    }
}
