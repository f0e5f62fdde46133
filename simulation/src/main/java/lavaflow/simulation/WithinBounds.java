package lavaflow.simulation;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** An autoscaler never wants more or fewer pods than it may, and ends with as many as the work asks for. */
final class WithinBounds implements Invariant {
    /** Upstream's: so far off does not matter. */
    private static final double TOLERANCE = 0.1;

    private final Meter meter;

    WithinBounds(Meter meter) {
        this.meter = meter;
    }

    @Override
    public void after(Observer.Change change, Observer observer) {
        ObjectNode autoscaler = change.after();
        if (autoscaler != null && change.kind().equals(Kinds.AUTOSCALERS)) {
            long wanted = Json.longAt(autoscaler, 0, "status", "desiredReplicas");
            long least = Json.longAt(autoscaler, 1, "spec", "minReplicas");
            long most = Json.longAt(autoscaler, 1, "spec", "maxReplicas");
            Violation.unless(
                    wanted == 0 || (wanted >= least && wanted <= most),
                    () -> "%s wants %d pods, and may want %d to %d"
                            .formatted(Observer.place(autoscaler), wanted, least, most));
        }
    }

    @Override
    public void atRest(Observer observer) {
        for (ObjectNode autoscaler : observer.all(Kinds.AUTOSCALERS)) {
            for (ObjectNode target : observer.all(Kinds.DEPLOYMENTS)) {
                if (Workspace.namespace(target).equals(Workspace.namespace(autoscaler))
                        && Workspace.name(target).equals(ServiceIdeas.target(autoscaler))) {
                    judge(autoscaler, target);
                }
            }
        }
    }

    private void judge(ObjectNode autoscaler, ObjectNode target) {
        long replicas = Json.longAt(target, 1, "spec", "replicas");
        if (replicas == 0) {
            // Nobody scales what somebody has turned off.
            return;
        }
        long least = Json.longAt(autoscaler, 1, "spec", "minReplicas");
        long most = Json.longAt(autoscaler, 1, "spec", "maxReplicas");
        long work = meter.work(Workspace.name(target));
        long ideal = Math.clamp((work + ServiceIdeas.SHARE - 1) / ServiceIdeas.SHARE, least, most);
        double use = (double) work / (replicas * ServiceIdeas.SHARE);
        boolean near = replicas >= least && replicas <= most && Math.abs(use - 1) <= TOLERANCE;
        Violation.unless(
                replicas == ideal || near,
                () -> "%s: %d pods for work of %dm, where %d would do (%d to %d)"
                        .formatted(Observer.place(autoscaler), replicas, work, ideal, least, most));
    }
}
