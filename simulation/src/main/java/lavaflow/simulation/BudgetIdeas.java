package lavaflow.simulation;

import java.util.List;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Disruption budgets, and people who empty nodes. */
final class BudgetIdeas implements Ideas {
    private static final String GUARDED = "guarded";

    private final Workspace workspace;

    BudgetIdeas(Workspace workspace) {
        this.workspace = workspace;
    }

    /** Whether people leave the size of something to itself. */
    static boolean isGuarded(ObjectNode object) {
        return Workspace.name(object).startsWith(GUARDED);
    }

    @Override
    public List<Runnable> usual() {
        return List.of(
                this::guard, this::guard, this::protect, this::changeBudget, this::drain, this::drain, this::uncordon);
    }

    /** Pods that only evictions take away, with a budget. */
    private void guard() {
        String name = workspace.newName(GUARDED);
        ObjectNode set = Workspace.named(name);
        ObjectNode spec = set.putObject("spec");
        spec.put("replicas", 2 + workspace.any(3));
        Workspace.select(spec, name);
        workspace.template(spec, name);
        String namespace = workspace.somewhereRoomy();
        workspace.create(Kinds.REPLICA_SETS, namespace, set);
        budget(namespace, name);
    }

    private void budget(String namespace, String app) {
        ObjectNode budget = Workspace.named("budget-" + app);
        ObjectNode spec = budget.putObject("spec");
        Workspace.select(spec, app);
        switch (workspace.any(4)) {
            case 0 -> spec.put("maxUnavailable", workspace.any(2));
            case 1 -> spec.put("minAvailable", "50%");
            default -> spec.put("minAvailable", 1 + workspace.any(2));
        }
        workspace.create(Kinds.BUDGETS, namespace, budget);
    }

    private void protect() {
        KubeApi.Kind kind = workspace.oneOf(List.of(Kinds.DEPLOYMENTS, Kinds.STATEFUL_SETS));
        ObjectNode behind = workspace.pick(kind, _ -> true);
        if (behind != null) {
            budget(Workspace.namespace(behind), Workspace.name(behind));
        }
    }

    private void changeBudget() {
        workspace.edit(Kinds.BUDGETS, budget -> {
            ObjectNode spec = Json.ensureObject(budget, "spec");
            spec.remove("maxUnavailable");
            spec.put("minAvailable", workspace.any(3));
        });
    }

    /** As kubectl drain does it: nothing new comes, and what is there is asked to go. */
    private void drain() {
        List<ObjectNode> nodes = workspace.clusterWide(Kinds.NODES);
        if (nodes.isEmpty()) {
            return;
        }
        String node = Workspace.name(workspace.oneOf(nodes));
        NodeIdeas.setUnschedulable(workspace, node, true);
        for (ObjectNode pod : workspace.all(Kinds.PODS)) {
            if (Json.textAt(pod, "spec", "nodeName").equals(node)
                    && !BudgetsKept.isOfDaemonSet(pod)
                    && !Observer.isDeleting(pod)) {
                evict(pod);
            }
        }
    }

    private void evict(ObjectNode pod) {
        String place = Observer.place(pod);
        ObjectNode eviction = Workspace.named(Workspace.name(pod));
        eviction.put("apiVersion", "policy/v1").put("kind", "Eviction");
        try {
            workspace.api().post(Kinds.PODS, Workspace.namespace(pod), Workspace.name(pod), "eviction", eviction);
            workspace.say("evicts " + place);
        } catch (ApiException e) {
            workspace.say("may not evict " + place + ": " + e.getMessage());
        }
    }

    private void uncordon() {
        for (ObjectNode node : workspace.clusterWide(Kinds.NODES)) {
            if (Json.flagAt(node, "spec", "unschedulable")) {
                NodeIdeas.setUnschedulable(workspace, Workspace.name(node), false);
                return;
            }
        }
    }
}
