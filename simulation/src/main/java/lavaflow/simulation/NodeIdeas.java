package lavaflow.simulation;

import java.util.List;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Nodes that get other labels, taints and troubles. */
final class NodeIdeas implements Ideas {
    /** The label by which some pods choose their nodes. */
    static final String TIER = "tier";

    private final Workspace workspace;

    NodeIdeas(Workspace workspace) {
        this.workspace = workspace;
    }

    @Override
    public List<Runnable> usual() {
        return List.of(this::label, this::label);
    }

    @Override
    public List<Runnable> rough() {
        return List.of(this::disturb, this::disturb);
    }

    static void setUnschedulable(Workspace workspace, String node, boolean unschedulable) {
        ObjectNode patch = Json.object();
        patch.putObject("spec").put("unschedulable", unschedulable);
        workspace.say((unschedulable ? "cordons " : "uncordons ") + node);
        workspace.api().patch(Kinds.NODES, "", node, "", KubeApi.Merge.PLAIN, patch);
    }

    private void label() {
        List<ObjectNode> nodes = workspace.clusterWide(Kinds.NODES);
        if (nodes.isEmpty()) {
            return;
        }
        String name = Workspace.name(workspace.oneOf(nodes));
        String tier = workspace.oneIn(3) ? "slow" : "fast";
        ObjectNode patch = Json.object();
        patch.putObject("metadata").putObject("labels").put(TIER, tier);
        workspace.say("makes node " + name + " of the " + tier + " tier");
        workspace.api().patch(Kinds.NODES, "", name, "", KubeApi.Merge.PLAIN, patch);
    }

    private void disturb() {
        List<ObjectNode> nodes = workspace.clusterWide(Kinds.NODES);
        if (!nodes.isEmpty()) {
            tell(workspace.oneOf(nodes), workspace.oneOf(List.of("not-ready", "slow", "lost", "lost", "ready")));
        }
    }

    private void tell(ObjectNode node, String state) {
        ObjectNode patch = Json.object();
        patch.putObject("metadata").putObject("annotations").put(Workspace.SIM + "state", state);
        workspace.say("makes node " + Workspace.name(node) + " " + state);
        if (state.equals("lost")) {
            workspace.stage().faults().add(Fault.LOST_NODE);
        }
        workspace.api().patch(Kinds.NODES, "", Workspace.name(node), "", KubeApi.Merge.PLAIN, patch);
    }

    @Override
    public void makeAmends() {
        for (ObjectNode node : workspace.clusterWide(Kinds.NODES)) {
            tell(node, "ready");
            setUnschedulable(workspace, Workspace.name(node), false);
        }
    }
}
