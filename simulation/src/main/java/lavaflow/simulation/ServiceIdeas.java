package lavaflow.simulation;

import java.util.List;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Services in front of pods, and autoscalers that follow their work. */
final class ServiceIdeas implements Ideas {
    /** What one pod is meant to do, in thousandths of a processor. */
    static final long SHARE = 100;

    private final Workspace workspace;

    ServiceIdeas(Workspace workspace) {
        this.workspace = workspace;
    }

    @Override
    public List<Runnable> usual() {
        return List.of(this::serve, this::serve, this::autoscale, this::load, this::remove);
    }

    private void serve() {
        KubeApi.Kind kind =
                workspace.oneOf(List.of(Kinds.DEPLOYMENTS, Kinds.DEPLOYMENTS, Kinds.STATEFUL_SETS, Kinds.DAEMON_SETS));
        ObjectNode behind = workspace.pick(kind, _ -> true);
        if (behind == null) {
            return;
        }
        ObjectNode service = Workspace.named(workspace.newName("svc"));
        ObjectNode spec = service.putObject("spec");
        spec.putObject("selector").put("app", Workspace.name(behind));
        spec.putArray("ports").addObject().put("port", 80);
        if (workspace.oneIn(4)) {
            spec.put("clusterIP", "None");
        }
        workspace.create(Kinds.SERVICES, Workspace.namespace(behind), service);
    }

    private void autoscale() {
        ObjectNode target = workspace.pick(
                Kinds.DEPLOYMENTS,
                each -> !Workspace.namespace(each).equals(Workspace.LIMITED)
                        && workspace.all(Kinds.AUTOSCALERS).stream()
                                .noneMatch(other -> target(other).equals(Workspace.name(each))));
        if (target == null) {
            return;
        }
        ObjectNode autoscaler = Workspace.named(workspace.newName("scale"));
        ObjectNode spec = autoscaler.putObject("spec");
        spec.putObject("scaleTargetRef")
                .put("apiVersion", "apps/v1")
                .put("kind", "Deployment")
                .put("name", Workspace.name(target));
        int least = 1 + workspace.any(3);
        spec.put("minReplicas", least).put("maxReplicas", least + workspace.any(4));
        ObjectNode metric = spec.putArray("metrics").addObject().put("type", "Resource");
        metric.putObject("resource")
                .put("name", "cpu")
                .putObject("target")
                .put("type", "AverageValue")
                .put("averageValue", SHARE + "m");
        // Shorter than the silence that counts as rest.
        Json.ensureObject(spec, "behavior", "scaleDown").put("stabilizationWindowSeconds", 30);
        workspace.stage().meter().setWork(Workspace.name(target), workspace.any(8) * SHARE);
        workspace.create(Kinds.AUTOSCALERS, Workspace.namespace(target), autoscaler);
    }

    /** Whom an autoscaler scales. */
    static String target(ObjectNode autoscaler) {
        return Json.textAt(autoscaler, "spec", "scaleTargetRef", "name");
    }

    private void load() {
        ObjectNode autoscaler = workspace.pick(Kinds.AUTOSCALERS, _ -> true);
        if (autoscaler != null) {
            long work = workspace.any(8) * SHARE;
            workspace.say("gives " + target(autoscaler) + " work for " + work + "m");
            workspace.stage().meter().setWork(target(autoscaler), work);
        }
    }

    private void remove() {
        KubeApi.Kind kind = workspace.oneIn(3) ? Kinds.AUTOSCALERS : Kinds.SERVICES;
        ObjectNode object = workspace.pick(kind, _ -> true);
        if (object != null) {
            workspace.remove(kind, object, null);
        }
    }
}
