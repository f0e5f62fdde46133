package lavaflow.simulation;

import java.util.List;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Deployments, ReplicaSets, ReplicationControllers, StatefulSets and DaemonSets, and what becomes of their pods. */
final class WorkloadIdeas implements Ideas {
    private static final List<KubeApi.Kind> REMOVABLE = List.of(
            Kinds.DEPLOYMENTS,
            Kinds.REPLICA_SETS,
            Kinds.REPLICATION_CONTROLLERS,
            Kinds.STATEFUL_SETS,
            Kinds.DAEMON_SETS,
            Kinds.JOBS,
            Kinds.CRON_JOBS);

    private final Workspace workspace;

    WorkloadIdeas(Workspace workspace) {
        this.workspace = workspace;
    }

    @Override
    public List<Runnable> usual() {
        return List.of(
                this::deploy,
                this::deploy,
                this::replicate,
                this::number,
                this::number,
                this::onEveryNode,
                () -> workspace.edit(Kinds.DEPLOYMENTS, this::changeMind),
                () -> workspace.edit(Kinds.DEPLOYMENTS, this::changeMind),
                () -> workspace.edit(Kinds.STATEFUL_SETS, this::changeMind),
                () -> workspace.edit(Kinds.STATEFUL_SETS, this::changeMind),
                () -> workspace.edit(Kinds.DAEMON_SETS, workspace::changeImage),
                () -> workspace.edit(Kinds.REPLICA_SETS, this::resizeLoose),
                this::remove);
    }

    @Override
    public List<Runnable> rough() {
        return List.of(this::deletePod, this::orphanPod);
    }

    private void deploy() {
        String name = workspace.newName("web");
        ObjectNode deployment = Workspace.named(name);
        ObjectNode spec = deployment.putObject("spec");
        spec.put("replicas", workspace.any(6));
        Workspace.select(spec, name);
        workspace.template(spec, name);
        if (workspace.oneIn(5)) {
            spec.putObject("strategy").put("type", "Recreate");
        } else {
            ObjectNode rolling = spec.putObject("strategy").putObject("rollingUpdate");
            boolean surge = workspace.oneIn(2);
            rolling.put("maxSurge", surge ? 1 + workspace.any(2) : 0);
            if (surge && workspace.oneIn(2)) {
                rolling.put("maxUnavailable", "25%");
            } else {
                rolling.put("maxUnavailable", surge ? 0 : 1 + workspace.any(2));
            }
        }
        workspace.create(Kinds.DEPLOYMENTS, workspace.somewhere(), deployment);
    }

    private void replicate() {
        String name = workspace.newName("copy");
        ObjectNode set = Workspace.named(name);
        ObjectNode spec = set.putObject("spec");
        spec.put("replicas", workspace.any(5));
        boolean old = workspace.oneIn(2);
        if (old) {
            spec.putObject("selector").put("app", name);
        } else {
            Workspace.select(spec, name);
        }
        workspace.template(spec, name);
        workspace.create(old ? Kinds.REPLICATION_CONTROLLERS : Kinds.REPLICA_SETS, workspace.somewhere(), set);
    }

    /** Some of them keep data. */
    private void number() {
        String name = workspace.newName("db");
        ObjectNode set = Workspace.named(name);
        ObjectNode spec = set.putObject("spec");
        spec.put("replicas", workspace.any(4)).put("serviceName", name);
        if (workspace.oneIn(3)) {
            spec.put("podManagementPolicy", "Parallel");
        }
        Workspace.select(spec, name);
        workspace.template(spec, name);
        if (workspace.oneIn(2)) {
            ObjectNode claim = spec.putArray("volumeClaimTemplates").addObject();
            claim.putObject("metadata").put("name", "data");
            claim.set("spec", StorageIdeas.claim(StorageIdeas.LOCAL));
            spec.putObject("persistentVolumeClaimRetentionPolicy")
                    .put("whenDeleted", workspace.oneIn(2) ? "Delete" : "Retain")
                    .put("whenScaled", workspace.oneIn(2) ? "Delete" : "Retain");
        }
        workspace.create(Kinds.STATEFUL_SETS, workspace.somewhere(), set);
    }

    private void onEveryNode() {
        String name = workspace.newName("agent");
        ObjectNode set = Workspace.named(name);
        ObjectNode spec = set.putObject("spec");
        Workspace.select(spec, name);
        ObjectNode pod = workspace.template(spec, name);
        if (workspace.oneIn(2)) {
            pod.putObject("nodeSelector").put(NodeIdeas.TIER, "fast");
        }
        if (workspace.oneIn(4)) {
            spec.putObject("updateStrategy").put("type", "OnDelete");
        } else {
            ObjectNode rolling = spec.putObject("updateStrategy")
                    .put("type", "RollingUpdate")
                    .putObject("rollingUpdate");
            boolean surge = workspace.oneIn(3);
            rolling.put("maxSurge", surge ? 1 : 0).put("maxUnavailable", surge ? 0 : 1 + workspace.any(2));
        }
        workspace.create(Kinds.DAEMON_SETS, workspace.somewhereRoomy(), set);
    }

    private void changeMind(ObjectNode object) {
        ObjectNode spec = Json.ensureObject(object, "spec");
        switch (workspace.any(4)) {
            case 0, 3 -> {
                if (Json.textAt(object, "kind").equals("Deployment") && workspace.oneIn(2)) {
                    spec.put("paused", !Json.flagAt(spec, "paused"));
                } else {
                    spec.put("replicas", workspace.any(6));
                }
            }
            default -> workspace.changeImage(object);
        }
    }

    /** Only replica sets that no deployment looks after, and no budget needs as they are. */
    private void resizeLoose(ObjectNode set) {
        if (Observer.owner(set).isEmpty() && !BudgetIdeas.isGuarded(set)) {
            Json.ensureObject(set, "spec").put("replicas", workspace.any(6));
        }
    }

    private void remove() {
        KubeApi.Kind kind = workspace.oneOf(REMOVABLE);
        // What somebody else looks after they leave alone.
        ObjectNode object = workspace.pick(kind, each -> Observer.owner(each).isEmpty());
        if (object != null) {
            workspace.remove(kind, object, workspace.oneOf(List.of("Background", "Foreground", "Orphan")));
        }
    }

    private void deletePod() {
        ObjectNode pod = workspace.pick(Kinds.PODS, _ -> true);
        if (pod != null) {
            workspace.remove(Kinds.PODS, pod, null);
        }
    }

    /** Takes the label away by which somebody knows a pod as theirs. */
    private void orphanPod() {
        workspace.edit(
                Kinds.PODS,
                pod -> Json.ensureObject(Json.ensureObject(pod, "metadata"), "labels")
                        .put("app", "nobody"));
    }

    @Override
    public void makeAmends() {
        // Who has nobody's label may still have the name that a numbered set wants to give.
        for (ObjectNode pod : workspace.all(Kinds.PODS)) {
            if (Json.textAt(pod, "metadata", "labels", "app").equals("nobody")) {
                workspace.remove(Kinds.PODS, pod, null);
            }
        }
        for (ObjectNode deployment : workspace.all(Kinds.DEPLOYMENTS)) {
            workspace.edit(Kinds.DEPLOYMENTS, deployment, each -> {
                if (Json.flagAt(each, "spec", "paused")) {
                    Json.ensureObject(each, "spec").put("paused", false);
                }
            });
        }
    }
}
